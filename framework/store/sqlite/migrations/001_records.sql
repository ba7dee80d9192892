-- Times are microseconds since 1970. Lists within a record are JSON.

-- +goose Up
CREATE TABLE secrets (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    secret BLOB NOT NULL
);

CREATE TABLE threads (
    id       TEXT PRIMARY KEY,
    tenant   TEXT NOT NULL,
    dialect  TEXT NOT NULL,
    parent   TEXT NOT NULL,
    head     BLOB NOT NULL,
    messages INTEGER NOT NULL,
    hints    TEXT NOT NULL,
    forced   INTEGER NOT NULL,
    pause    TEXT NOT NULL,
    counts   TEXT NOT NULL,
    last     BLOB,
    version  INTEGER NOT NULL,
    updated  INTEGER NOT NULL
);
CREATE INDEX threads_head ON threads (tenant, dialect, head);
CREATE INDEX threads_updated ON threads (updated);

CREATE TABLE checkpoints (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    id        TEXT NOT NULL UNIQUE,
    tenant    TEXT NOT NULL,
    dialect   TEXT NOT NULL,
    thread    TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    prefix    BLOB NOT NULL,
    messages  INTEGER NOT NULL,
    key       TEXT NOT NULL,
    script    BLOB,
    has_text  INTEGER NOT NULL,
    previous  BLOB,
    before    INTEGER NOT NULL,
    after     INTEGER NOT NULL,
    estimator TEXT NOT NULL,
    native    INTEGER NOT NULL,
    created   INTEGER NOT NULL
);
CREATE INDEX checkpoints_prefix ON checkpoints (tenant, dialect, prefix);
CREATE INDEX checkpoints_thread ON checkpoints (thread, number);

CREATE TABLE windows (
    key    TEXT PRIMARY KEY,
    tokens INTEGER NOT NULL,
    at     INTEGER NOT NULL
);

CREATE TABLE leases (
    key    TEXT PRIMARY KEY,
    owner  TEXT NOT NULL,
    number INTEGER NOT NULL,
    until  INTEGER NOT NULL
);
-- The last fencing number that was given out.
CREATE TABLE fence (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    number INTEGER NOT NULL
);
INSERT INTO fence VALUES (1, 0);
