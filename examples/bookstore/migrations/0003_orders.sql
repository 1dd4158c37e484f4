CREATE TABLE orders (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	customer    TEXT NOT NULL REFERENCES customers (name),
	created     INTEGER NOT NULL,
	total_cents INTEGER NOT NULL
) STRICT;

CREATE INDEX orders_of_customer ON orders (customer, id);

CREATE TABLE order_lines (
	order_id    INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
	position    INTEGER NOT NULL,
	isbn        TEXT NOT NULL REFERENCES books (isbn),
	quantity    INTEGER NOT NULL CHECK (quantity > 0),
	price_cents INTEGER NOT NULL, -- of one copy, when it was ordered
	PRIMARY KEY (order_id, position)
) STRICT, WITHOUT ROWID;
