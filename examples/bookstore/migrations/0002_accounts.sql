CREATE TABLE librarians (
	name          TEXT PRIMARY KEY,
	password_hash TEXT NOT NULL -- bcrypt
) STRICT;

CREATE TABLE customers (
	name          TEXT PRIMARY KEY,
	password_hash TEXT NOT NULL, -- bcrypt
	plan          TEXT NOT NULL CHECK (plan IN ('free', 'gold'))
) STRICT;

CREATE TABLE tokens (
	hash     BLOB PRIMARY KEY, -- SHA-256
	customer TEXT NOT NULL REFERENCES customers (name) ON DELETE CASCADE,
	scopes   TEXT NOT NULL, -- divided by spaces
	expires  INTEGER NOT NULL
) STRICT;

CREATE INDEX tokens_by_expiry ON tokens (expires);

CREATE TABLE api_keys (
	hash  BLOB PRIMARY KEY, -- SHA-256
	owner TEXT NOT NULL
) STRICT;
