package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
)

// users are found by the SHA-256 of their key.
var users = map[[sha256.Size]byte]string{
	sha256.Sum256([]byte("key-of-anna")): "anna",
	sha256.Sum256([]byte("key-of-ben")):  "ben",
}

// userOf is whose key the request carries; "" is nobody's.
func userOf(r *http.Request) string {
	return users[sha256.Sum256([]byte(r.Header.Get("X-Api-Key")))]
}

// checked lets only users pass.
func checked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if userOf(r) == "" {
			http.Error(w, "The key in X-Api-Key is missing or wrong", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

var books = map[string]string{"1": "Notes by the Translator", "2": "The Education of a Computer"}

func book(w http.ResponseWriter, r *http.Request) {
	title, known := books[r.PathValue("id")]
	if !known {
		http.Error(w, "There is no such book", http.StatusNotFound)
		return
	}
	fmt.Fprintln(w, title)
}

func order(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, "Ordered by %s\n", userOf(r))
}
