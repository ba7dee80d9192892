package strategytest

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
)

// vocabulary is words of several scripts, marks and emoji: one to four bytes a
// character, joiners, right-to-left text, characters outside the basic plane.
var vocabulary = strings.Fields(`
	the parser reads a config file and returns an error when the path is wrong
	retry test build fails again because the buffer was closed before flush
	func main() { return nil } if x < y && z > 0 path/to/file.go:42 "quoted" C:\temp\new 100% #17
	größer Übung façade naïve señal łódź Straße
	конфигурация проверка ошибка файл
	文件 读取 错误 配置 测试 修复 上下文
	テスト 失敗 エラー を確認する
	설정 파일 오류 확인
	फ़ाइल त्रुटि जाँच
	الملف خطأ اختبار
	👍 🚀 👩‍💻 🏳️‍🌈 é 𝒳 𠮷
`)

// sentence is n words.
func sentence(rng *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[rng.IntN(len(vocabulary))])
	}
	return b.String()
}

// prose is a few lines of words, never empty and without space at its ends.
func prose(rng *rand.Rand) string {
	lines := make([]string, 1+rng.IntN(3))
	for i := range lines {
		lines[i] = sentence(rng, 2+rng.IntN(20))
	}
	return strings.Join(lines, "\n")
}

// output is what a tool printed, about n characters: source lines, a log with
// colours, or words.
func output(rng *rand.Rand, n int) string {
	var b strings.Builder
	form := rng.IntN(3)
	for line := 1; b.Len() < n; line++ {
		switch form {
		case 0:
			fmt.Fprintf(&b, "%6d\tif err := %s.Close(); err != nil { // %s\n", line, token(rng, 3), sentence(rng, 4))
		case 1:
			fmt.Fprintf(&b, "\x1b[3%dm%02d:%02d\x1b[0m level=info id=%s msg=%q\r\n", rng.IntN(8), line/60%24, line%60, token(rng, 8), sentence(rng, 6))
		default:
			b.WriteString(sentence(rng, 12) + "\n")
		}
	}
	return b.String()
}

// token is n random bytes in hex, as ids and encrypted content look.
func token(rng *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return hex.EncodeToString(b)
}
