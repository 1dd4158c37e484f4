package main

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

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
		if ctx.Err() != nil { // which package sql tells in many words
			err = ctx.Err()
		}
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
	if file, err = filepath.Abs(file); err != nil {
		return err
	}
	if err := private(file); err != nil {
		return err
	}
	if s.write, err = open(file, "_txlock=immediate", "_pragma=journal_mode(WAL)"); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if err := connect(ctx, s.write); err != nil {
		return err
	}
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

// private makes the file if it is not there: SQLite would make one that everybody
// may read. It leaves alone one that is there, since to close it would end the locks
// of connections that this process has to it.
func private(file string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) //nolint:gosec // the user of the program says which file
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

const busyTimeout = 5 * time.Second // to wait for other programs on the same file

func open(file string, options ...string) (*sql.DB, error) {
	source := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(file), RawQuery: "_pragma=foreign_keys(1)"}
	source.RawQuery += fmt.Sprintf("&_pragma=busy_timeout(%d)", busyTimeout.Milliseconds())
	for _, option := range options {
		source.RawQuery += "&" + option
	}
	return sql.Open("sqlite", source.String())
}

// connect makes the first connection, which turns a new database to WAL. For that
// alone SQLite does not wait until others are done with it.
func connect(ctx context.Context, db *sql.DB) error {
	ctx, stop := context.WithTimeout(ctx, busyTimeout)
	defer stop()
	for {
		err := db.PingContext(ctx)
		if !isBusy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
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

// migrate runs the migrations that the database has not seen, and gives a new one
// something to try. That is one transaction: a start that is stopped leaves nothing
// behind, and of programs that start at once one does it while the others wait.
func (s *store) migrate(ctx context.Context) error {
	files, err := migrations.ReadDir("migrations") // in the order of their names
	if err != nil {
		return err
	}
	return s.inTx(ctx, func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		switch {
		case version < 0 || version > len(files):
			return fmt.Errorf("the database has version %d, this program knows %d", version, len(files))
		case version == len(files):
			return nil
		}
		for _, file := range files[version:] {
			script, err := migrations.ReadFile(path.Join("migrations", file.Name()))
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, string(script)); err != nil {
				return fmt.Errorf("%s: %w", file.Name(), err)
			}
		}
		if version == 0 {
			if _, err := tx.ExecContext(ctx, seed); err != nil {
				return fmt.Errorf("seed.sql: %w", err)
			}
		}
		_, err := tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(len(files))) // a PRAGMA takes no parameters
		return err
	})
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

// isBusy reports whether another connection holds what this one needs.
func isBusy(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_BUSY
}
