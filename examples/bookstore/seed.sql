-- What a new database begins with, so that there is something to try. The README
-- has the passwords and the key.
INSERT INTO books (isbn, title, year, price_cents, stock) VALUES
	('9780134190440', 'The Go Programming Language', 2015, 3499, 12),
	('9780131103627', 'The C Programming Language', 1988, 5499, 3),
	('9781449373320', 'Designing Data-Intensive Applications', 2017, 4299, 7),
	('9780135957059', 'The Pragmatic Programmer', 2019, 4499, 5),
	('9780201633610', 'Design Patterns', 1994, 4999, 1),
	('9780262033848', 'Introduction to Algorithms', 2009, 8999, 2);

INSERT INTO authors (isbn, position, name) VALUES
	('9780134190440', 1, 'Alan A. A. Donovan'), ('9780134190440', 2, 'Brian W. Kernighan'),
	('9780131103627', 1, 'Brian W. Kernighan'), ('9780131103627', 2, 'Dennis M. Ritchie'),
	('9781449373320', 1, 'Martin Kleppmann'),
	('9780135957059', 1, 'David Thomas'), ('9780135957059', 2, 'Andrew Hunt'),
	('9780201633610', 1, 'Erich Gamma'), ('9780201633610', 2, 'Richard Helm'),
	('9780201633610', 3, 'Ralph Johnson'), ('9780201633610', 4, 'John Vlissides'),
	('9780262033848', 1, 'Thomas H. Cormen'), ('9780262033848', 2, 'Charles E. Leiserson'),
	('9780262033848', 3, 'Ronald L. Rivest'), ('9780262033848', 4, 'Clifford Stein');

INSERT INTO librarians (name, password_hash) VALUES
	('lina', '$2a$10$e1AMUNZXu2znUSnaEN8SCuI7eDad/jw6rKkl.4.s4YhUQr5pm9bWa');

INSERT INTO customers (name, password_hash, plan) VALUES
	('ada', '$2a$10$Yo.XoykkxteDdgqUQSKfeOpEv9hFiLY9z9zx6fKZztAt1M7/6J3xi', 'free'),
	('grace', '$2a$10$cACGPvvGkYFkRGUEXN4nK.CYnUQMjQRczRZSmYvahSefDdzwEc.u2', 'gold');

INSERT INTO api_keys (hash, owner) VALUES
	(X'878FC03273CB5BFC02EB12BFD2F5F894890EB59A7F90673D848D000B91735CF3', 'warehouse');
