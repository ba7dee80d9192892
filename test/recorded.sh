#!/usr/bin/env bash
# Compacts recorded request bodies with bin/compactor and checks what it wrote.
#
# usage: test/recorded.sh FOLDER CHECKER
#
# FOLDER holds requests/<dialect>/*.json. CHECKER is a Python program that
# reads a folder of bodies and fails on one that breaks its provider's rules
# or is over --max-tokens; findings that --baseline has too do not count.
set -euo pipefail

if [ $# != 2 ]; then
	echo "usage: $0 FOLDER CHECKER" >&2
	exit 2
fi
requests=$(cd "$1/requests" && pwd)
checker=$(realpath "$2")
cd "$(dirname "$0")/.."

shopt -s nullglob
bodies=("$requests"/*/*.json)
echo "${#bodies[@]} recorded bodies"
if [ "${#bodies[@]}" = 0 ]; then
	echo "no body in $requests/<dialect>/*.json" >&2
	exit 1
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# compact LIMIT FOLDER compacts every body to at most LIMIT tokens.
compact() {
	local body failed=0
	for body in "${bodies[@]}"; do
		bin/compactor compact --max-tokens "$1" "$body" --out "$2/${body#"$requests"/}" 2>"$out/report" && continue
		echo "FAIL $body at --max-tokens $1, exit status $?:" >&2
		cat "$out/report" >&2
		failed=$((failed + 1))
	done
	if [ "$failed" != 0 ]; then
		echo "$failed of ${#bodies[@]} bodies failed at --max-tokens $1" >&2
		exit 1
	fi
}

compact 20000 "$out/small"
python3 "$checker" "$out/small" --expect "${#bodies[@]}" --max-tokens 20000 --baseline "$requests"

# With room for everything there is nothing to do, and no byte changes.
compact 9000000 "$out/same"
for body in "${bodies[@]}"; do
	cmp "$body" "$out/same/${body#"$requests"/}"
done
echo "${#bodies[@]} bodies compacted to 20000 tokens; ${#bodies[@]} written back unchanged at 9000000"
