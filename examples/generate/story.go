package main

// story is the session, one request of the user after the other. Each chapter
// leaves the project as the next one finds it.
var story = []func(*session){
	lateAlerts,
	flakyForecasts,
	deletedStations,
	csvExport,
	renameLevel,
	pagination,
	rateLimit,
}

func lateAlerts(s *session) {
	s.user("Since the clocks changed, alerts show up an hour late in the harbour offices. Please find out why and fix it. Two rules for everything you do here: never edit anything below migrations/, because those files have been applied already, and always run the tests before you tell me that something is done.")
	s.do("I'll get an overview first.", s.list(""))
	s.do("", s.read("README.md"), s.read("cmd/tidewatch/main.go"))
	s.do("Times are read in the stores. Where do zones come in?", s.search("time.Local"), s.search("ParseInLocation"))
	s.do("Alerts are the only ones read in the local zone. I want to see all of that file before I judge.", s.read("internal/store/alerts.go"))
	s.do("And what its tests say:", s.read("internal/store/alerts_test.go"), run("TZ=Europe/Oslo go test -v ./...", tested(shifted())).fails())
	s.do("That is the fault, and in UTC no test can see it. The stored text is UTC, so it has to be read as UTC.",
		s.edit("internal/store/alerts.go", "time.ParseInLocation(time.DateTime, at, time.Local)", "time.ParseInLocation(time.DateTime, at, time.UTC)"))
	s.do("", run("TZ=Europe/Oslo go test -v ./...", tested(nil)))
	s.say("Alerts were written in UTC and read in the server's local zone, which went unnoticed in winter at a server on UTC. They are read in UTC now, and the tests pass under TZ=Europe/Oslo as well. I would let CI run once with that zone: without it the tests cannot see such a fault.")
}

func flakyForecasts(s *session) {
	s.user("Good catch, CI has that zone now. Next: TestForecastList fails there every few runs. Why?")
	s.do("", s.read("internal/store/forecasts_test.go"), run("go test -v ./...", tested(unordered())).fails())
	s.do("The test expects an order. Does the query ask for one?", s.read("internal/store/forecasts.go"))
	s.do("It does not. How do the others do it?", s.search("ORDER BY"))
	s.do("", s.edit("internal/store/forecasts.go", "FROM forecasts WHERE at >= ?`", "FROM forecasts WHERE at >= ? ORDER BY at, id`"))
	s.do("", run("go test -run TestForecastList -count=200 ./internal/store", "ok  \ttidewatch/internal/store\t3.870s\n"), run("go test -v ./...", tested(nil)))
	s.say("The list of forecasts was the only one without ORDER BY, so SQLite was free to answer in any order, and sometimes did. It is ordered by time and id like the others now; 200 runs of the test pass.")
}

func deletedStations(s *session) {
	s.user("When a station is deleted, its subscribers stay and keep getting warnings from the forecast job. They should go with it. You must not lose the readings, the university wants those.")
	s.do("", s.read("internal/store/stations.go"), s.read("internal/store/subscribers.go"))
	s.do("Is there a foreign key?", s.read("migrations/subscribers.sql"), s.read("migrations/stations.sql"))
	s.do("There is none, and migrations are not to be edited. So the store does it, in one transaction.",
		s.edit("internal/store/stations.go", "\tif _, err := s.db.ExecContext(ctx, `DELETE FROM stations WHERE id = ?`, id); err != nil {\n\t\treturn fmt.Errorf(\"delete station %d: %w\", id, err)\n\t}\n\treturn nil\n",
			"\ttx, err := s.db.BeginTx(ctx, nil)\n\tif err != nil {\n\t\treturn fmt.Errorf(\"delete station %d: %w\", id, err)\n\t}\n\tdefer tx.Rollback()\n\t// Readings stay: they are worth keeping without their station.\n\tfor _, query := range []string{`DELETE FROM subscribers WHERE station_id = ?`, `DELETE FROM stations WHERE id = ?`} {\n\t\tif _, err := tx.ExecContext(ctx, query, id); err != nil {\n\t\t\treturn fmt.Errorf(\"delete station %d: %w\", id, err)\n\t\t}\n\t}\n\treturn tx.Commit()\n"))
	s.do("A test for both halves of the request:", s.read("internal/store/stations_test.go"))
	s.do("", s.write("internal/store/cascade_test.go", cascadeTest))
	s.do("", run("go test -v ./...", tested(nil)))
	s.say("Deleting a station now deletes its subscribers in the same transaction; readings, alerts and forecasts stay. A new test, cascade_test.go, holds both. Subscribers of stations that were deleted earlier are still in the database; that would take a new migration, which I have not written.")
}

func csvExport(s *session) {
	s.user("The university would like to fetch readings as CSV, one month at a time. GET /readings.csv?month=2031-03 should do.")
	s.do("", s.read("internal/web/readings.go"), s.read("internal/store/readings.go"))
	s.do("List has no upper bound, so a month needs a query of its own.", s.edit("internal/store/readings.go", "// Delete removes the one with the id.\n", readingsBetween+"\n// Delete removes the one with the id.\n"))
	s.do("", s.write("internal/web/readings_csv.go", readingsCSV))
	s.do("", s.edit("internal/web/readings.go", "\tmux.HandleFunc(\"POST /readings\", h.insert)\n", "\tmux.HandleFunc(\"GET /readings.csv\", h.csv)\n\tmux.HandleFunc(\"POST /readings\", h.insert)\n"))
	s.do("", run("go vet ./... && go test -v ./...", tested(nil)),
		run("curl -s 'localhost:8080/readings.csv?month=2031-03' | head -4", "id,at,station_id,level,quality\n1,2031-03-01T00:00:00Z,7,1.82,good\n2,2031-03-01T00:10:00Z,7,1.79,good\n3,2031-03-01T00:20:00Z,7,1.75,good\n"))
	s.say("GET /readings.csv?month=2031-03 streams a month of readings, ordered by time, with a header line. Rows go out as they are read, so a large month needs no memory. Times are in UTC with a Z, which the first line of the university's importer should agree with.")
}

func renameLevel(s *session) {
	s.user("Alert.Level is confusing beside the levels that are metres. Call it Severity in Go and in the JSON, but leave the column alone.")
	s.do("", s.search("Level"), s.search("level"))
	s.do("Only alerts.go has the urgent kind; in readings and forecasts it is metres.", s.read("internal/store/alerts.go"))
	s.do("",
		s.edit("internal/store/alerts.go", "\t// Level is how urgent it is: notice, warning or danger.\n\tLevel string", "\t// Severity is how urgent it is: notice, warning or danger. Its column is\n\t// called level.\n\tSeverity string"),
		s.edit("internal/store/alerts.go", "x.StationID, x.Level, x.Text)", "x.StationID, x.Severity, x.Text)"),
		s.edit("internal/store/alerts.go", "&x.StationID, &x.Level, &x.Text", "&x.StationID, &x.Severity, &x.Text"))
	s.do("", run("go vet ./... && go test -v ./...", tested(nil)), s.read("internal/web/alerts.go"))
	s.say("The field is Severity in Go, and so in the JSON, which follows the field's name; the column is still level. Clients that send \"Level\" are not refused, their value is just ignored: tell them, or I can make the handler refuse unknown fields.")
}

func pagination(s *session) {
	s.user("Lists get long. Let the list of alerts take limit and after (an id), 100 by default and 500 at most.")
	s.do("", s.read("internal/store/alerts.go"), s.read("internal/web/subscribers.go"))
	s.do("Who calls List?", s.search(".List("))
	s.do("The tests do, and one handler. I'll add a method and leave List as it is.", s.edit("internal/store/alerts.go", "// Delete removes the one with the id.\n", alertsPage+"\n// Delete removes the one with the id.\n"))
	s.do("", s.edit("internal/web/alerts.go", "\tlist, err := h.store.List(r.Context(), since.UTC())\n\treply(w, list, err)\n",
		"\tlimit, after, err := page(r, 100, 500)\n\tif err != nil {\n\t\thttp.Error(w, err.Error(), http.StatusBadRequest)\n\t\treturn\n\t}\n\tlist, err := h.store.Page(r.Context(), since.UTC(), after, limit)\n\treply(w, list, err)\n"))
	s.do("", run("go vet ./...", "# tidewatch/internal/web\ninternal/web/alerts.go:33:24: undefined: page\n").fails())
	s.do("Of course: that one is still to be written.", s.write("internal/web/page.go", pageFunc))
	s.do("", run("go vet ./... && go test -v ./...", tested(nil)))
	s.say("GET /alerts takes limit (100 by default, 500 at most; more is refused) and after, an id. The other lists are as they were; page() in internal/web serves them as well, should you want that.")
}

// rateLimit is the newest request; the agent is in the middle of it.
func rateLimit(s *session) {
	s.user("One more: somebody polls GET /alerts several times a second. Limit it to 60 requests a minute for each subscriber, answer 429 with Retry-After, and tell me what you would test.")
	s.do("First, who polls, and how would I tell a subscriber?", run("grep GET access.log | head -90", served(90)))
	s.do("The log has a subscriber on each line. Where does it come from?", s.search("subscriber"), s.read("internal/web/alerts.go"))
}
