package main

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/*.sql
var migrations embed.FS

//go:embed seed.sql
var seed string

// store keeps the shop in one SQLite file. Readers see the last commit and never
// wait. Writers stand in line for the one connection that writes, so that SQLite
// never finds the database busy. All times are UTC in milliseconds, all prices
// integer cents.
type store struct {
	read, write *sql.DB
	queries     queries
	temporary   string // a folder that Close removes, or ""
}

// openStore opens a database, makes it if it is not there, and brings it up to
// date. With "" it is a temporary one, which Close removes.
func openStore(ctx context.Context, file string) (*store, error) {
	s := &store{}
	if err := s.open(ctx, file); err != nil {
		return nil, errors.Join(fmt.Errorf("store: %w", err), s.Close())
	}
	return s, nil
}

func (s *store) open(ctx context.Context, file string) (err error) {
	if file == "" {
		if s.temporary, err = os.MkdirTemp("", "bookstore"); err != nil {
			return err
		}
		file = filepath.Join(s.temporary, "bookstore.db")
	}
	if s.write, err = open(file, "_txlock=immediate", "_pragma=journal_mode(WAL)"); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if err := s.migrate(ctx); err != nil {
		return err
	}
	if s.read, err = open(file, "_pragma=query_only(1)"); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(16)
	s.read.SetMaxIdleConns(16)
	return s.queries.prepare(ctx, s)
}

func open(file string, options ...string) (*sql.DB, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	// SQLite would make a file that everybody may read.
	private, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the user of the program says which file
	if err != nil {
		return nil, err
	}
	if err := private.Close(); err != nil {
		return nil, err
	}
	source := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: "_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)"}
	for _, option := range options {
		source.RawQuery += "&" + option
	}
	return sql.Open("sqlite", source.String())
}

// Close ends it, after those who use it.
func (s *store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} { // the last connection folds the log into the file
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if s.temporary != "" {
		errs = append(errs, os.RemoveAll(s.temporary))
	}
	return errors.Join(errs...)
}

// ping tells whether the database answers.
func (s *store) ping(ctx context.Context) error { return s.read.PingContext(ctx) }

// migrate runs the migrations that the database has not seen, each in a
// transaction of its own. A new database gets something to try as well.
func (s *store) migrate(ctx context.Context) error {
	files, err := migrations.ReadDir("migrations") // in the order of their names
	if err != nil {
		return err
	}
	var version int
	if err := s.write.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > len(files) {
		return fmt.Errorf("the database has version %d, this program knows %d", version, len(files))
	}
	isNew := version == 0
	for ; version < len(files); version++ {
		text, err := migrations.ReadFile("migrations/" + files[version].Name())
		if err != nil {
			return err
		}
		script := string(text)
		if isNew && version == len(files)-1 {
			script += seed
		}
		// A PRAGMA takes no parameters; this one is part of the transaction.
		script += ";PRAGMA user_version = " + strconv.Itoa(version+1)
		if err := s.inTx(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, script)
			return err
		}); err != nil {
			return fmt.Errorf("%s: %w", files[version].Name(), err)
		}
	}
	return nil
}

// inTx commits all that fn does, or nothing of it.
func (s *store) inTx(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// isTaken reports whether something is there already that can be there once.
func isTaken(err *sqlite.Error) bool {
	return err.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY || err.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}
