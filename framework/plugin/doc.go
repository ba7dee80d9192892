// Package plugin finds, checks, launches, supervises and calls the processes
// that strategies run in.
//
// A Host owns them. Host.Instance gives a configured strategy, whose Compact
// is one compaction: the process is started when it is first needed, shared by
// all instances and concurrent calls, and started afresh after it died.
// Strategies that are linked into the program are called through the same
// Instance.
//
// The way of one call:
//
//	Finder     where the strategy's program is        lookup.go
//	checksum   is it the one the user meant           checksum.go
//	runner     fork, environment, pipes, group kill   runner.go, output.go
//	folder     a private place for the socket         socketfolder.go
//	launch     handshake, first Describe              launch.go, handshake.go
//	supervisor one process for all askers             supervisor.go
//	dialogue   the frames of one compaction           dialogue.go
//
// go-plugin does the handshake, the certificates and the parsing of log lines.
// Everything that touches the operating system is done here, so that a plugin
// that lies, hangs, floods or dies costs its own step and nothing else. A
// plugin's children are killed with it as long as they stay in its process
// group; one that calls setsid leaves it, and outlives plugin and host.
package plugin
