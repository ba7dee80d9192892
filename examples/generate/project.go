package main

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// thing is one kind of record in the made-up project.
type thing struct {
	Name, Plural string
	About        string
	Fields       []field
	// Zone is the expression for the zone in which times are read.
	Zone string
	// Sorted tells whether lists have an order.
	Sorted bool
}

type field struct{ Name, Type, Column, About string }

// Lower is the name as it begins a variable.
func (t thing) Lower() string { return strings.ToLower(t.Name) }

// things are what the project stores. One reads its times in the wrong zone,
// one lists without an order: the story finds out.
var things = []thing{
	{
		Name: "Station", Plural: "stations", About: "a tide gauge in a harbour", Zone: "time.UTC", Sorted: true,
		Fields: []field{
			{"Harbour", "string", "harbour", "the harbour it stands in"},
			{"Latitude", "float64", "latitude", "degrees north"},
			{"Longitude", "float64", "longitude", "degrees east"},
		},
	},
	{
		Name: "Reading", Plural: "readings", About: "a water level that a station measured", Zone: "time.UTC", Sorted: true,
		Fields: []field{
			{"StationID", "int64", "station_id", "the station that measured"},
			{"Level", "float64", "level", "metres above chart datum"},
			{"Quality", "string", "quality", "good, doubtful or bad"},
		},
	},
	{
		Name: "Alert", Plural: "alerts", About: "a warning that was sent to subscribers", Zone: "time.Local", Sorted: true,
		Fields: []field{
			{"StationID", "int64", "station_id", "the station that it is about"},
			{"Level", "string", "level", "how urgent it is: notice, warning or danger"},
			{"Text", "string", "text", "what the subscribers were told"},
		},
	},
	{
		Name: "Subscriber", Plural: "subscribers", About: "somebody who is warned", Zone: "time.UTC", Sorted: true,
		Fields: []field{
			{"Address", "string", "address", "where warnings go"},
			{"StationID", "int64", "station_id", "the station that is watched"},
			{"Threshold", "float64", "threshold", "metres above chart datum at which to warn"},
		},
	},
	{
		Name: "Forecast", Plural: "forecasts", About: "a water level that is expected", Zone: "time.UTC",
		Fields: []field{
			{"StationID", "int64", "station_id", "the station that it is for"},
			{"Level", "float64", "level", "metres above chart datum"},
			{"Model", "string", "model", "the model that computed it"},
		},
	},
}

// newProject makes the files of the project.
func newProject() (map[string]string, error) {
	t, err := template.ParseFS(templates, "templates/*.tmpl")
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	render := func(path, name string, data any) {
		var out strings.Builder
		if err == nil {
			err = t.ExecuteTemplate(&out, name, data)
		}
		files[path] = out.String()
	}
	render("README.md", "readme.tmpl", things)
	render("cmd/tidewatch/main.go", "main.tmpl", things)
	render("internal/store/store.go", "db.tmpl", nil)
	render("internal/store/store_test.go", "dbtest.tmpl", nil)
	render("internal/web/reply.go", "reply.tmpl", nil)
	for _, x := range things {
		render("internal/store/"+x.Plural+".go", "store.tmpl", x)
		render("internal/store/"+x.Plural+"_test.go", "test.tmpl", x)
		render("internal/web/"+x.Plural+".go", "web.tmpl", x)
		render("migrations/"+x.Plural+".sql", "sql.tmpl", x)
	}
	return files, err
}
