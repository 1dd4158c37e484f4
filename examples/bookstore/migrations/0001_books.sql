CREATE TABLE books (
	isbn        TEXT PRIMARY KEY CHECK (length(isbn) = 13),
	title       TEXT NOT NULL CHECK (title <> ''),
	year        INTEGER NOT NULL,
	price_cents INTEGER NOT NULL CHECK (price_cents >= 0),
	stock       INTEGER NOT NULL CHECK (stock >= 0)
) STRICT;

CREATE TABLE authors (
	isbn     TEXT NOT NULL REFERENCES books (isbn) ON DELETE CASCADE,
	position INTEGER NOT NULL,
	name     TEXT NOT NULL CHECK (name <> ''),
	PRIMARY KEY (isbn, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE covers (
	isbn       TEXT PRIMARY KEY REFERENCES books (isbn) ON DELETE CASCADE,
	media_type TEXT NOT NULL,
	data       BLOB NOT NULL,
	changed    INTEGER NOT NULL -- milliseconds since 1970, UTC, as all times here
) STRICT;
