package main

import (
	"fmt"
	"strings"
)

// tested is what a verbose test run of the stores prints. The failures give a
// test's own lines by its name; no clock is asked, all tests take as long.
func tested(failures map[string]string) string {
	var out strings.Builder
	status := "ok  \ttidewatch/internal/store\t0.412s"
	for _, x := range things {
		for _, what := range []string{"RoundTrip", "List", "Delete"} {
			name := "Test" + x.Name + what
			fmt.Fprintf(&out, "=== RUN   %s\n", name)
			if lines, failed := failures[name]; failed {
				fmt.Fprintf(&out, "%s--- FAIL: %s (0.02s)\n", lines, name)
				status = "FAIL\nFAIL\ttidewatch/internal/store\t0.431s"
			} else {
				fmt.Fprintf(&out, "--- PASS: %s (0.02s)\n", name)
			}
		}
	}
	fmt.Fprintf(&out, "%s\n?   \ttidewatch/cmd/tidewatch\t[no test files]\n?   \ttidewatch/internal/web\t[no test files]\n", status)
	return out.String()
}

// shifted is what the tests of alerts fail with where the server's zone is not
// UTC.
func shifted() map[string]string {
	var list strings.Builder
	for i := range 4 {
		fmt.Fprintf(&list, "    alerts_test.go:43: alerts[%d] is of 2031-03-01 %d:00:00 +0100 CET, want 2031-03-01 %d:00:00 +0000 UTC\n", i, 20+i, 20+i)
	}
	return map[string]string{
		"TestAlertRoundTrip": "    alerts_test.go:22: got {ID:1 At:2031-03-01 12:30:00 +0100 CET StationID:0 Level: Text:}, want {ID:1 At:2031-03-01 12:30:00 +0000 UTC StationID:0 Level: Text:}\n",
		"TestAlertList":      list.String(),
	}
}

// unordered is what the test of a list without an order fails with.
func unordered() map[string]string {
	var list strings.Builder
	for i, hour := range []int{22, 20, 23, 21} {
		fmt.Fprintf(&list, "    forecasts_test.go:43: forecasts[%d] is of 2031-03-01 %d:00:00 +0000 UTC, want 2031-03-01 %d:00:00 +0000 UTC\n", i, hour, 20+i)
	}
	return map[string]string{"TestForecastList": list.String()}
}

// served is a log of requests, one line each.
func served(n int) string {
	var out strings.Builder
	paths := []string{"/alerts?since=2031-03-30T00:00:00Z", "/readings?since=2031-03-30T01:00:00Z", "/stations/7", "/forecasts?since=2031-03-30T02:00:00Z"}
	for i := range n {
		fmt.Fprintf(&out, "2031-03-30T02:%02d:%02dZ subscriber=%d GET %s 200 %dB\n", i/60, i%60, 40+i%7, paths[i*5%4], 180+i*37%900)
	}
	return out.String()
}
