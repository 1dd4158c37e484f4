package sallyport_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
)

// certificateFiles are a certificate with a serial number and its key.
type certificateFiles struct{ cert, key string }

// write makes a new certificate, maybe in place of an earlier one.
func (f certificateFiles) write(t testing.TB, serial int64) (authority *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{"example.com"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC), // bubbles begin in 2000
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	f.set(t, f.cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), serial)
	f.set(t, f.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), serial)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	authority = x509.NewCertPool()
	authority.AddCert(certificate)
	return authority
}

// set writes a file with a time of its own, as two writes may come in one tick.
func (f certificateFiles) set(t testing.TB, name string, text []byte, serial int64) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, text, 0o600))
	at := time.Unix(1e9+serial, 0)
	require.NoError(t, os.Chtimes(name, at, at))
}

func newCertificateFiles(t testing.TB) certificateFiles {
	dir := t.TempDir()
	return certificateFiles{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
}

func TestServeWithTLS(t *testing.T) {
	files := newCertificateFiles(t)
	authority := files.write(t, 1)
	log, logger := newErrorLog()
	s := startServer(t, sallyport.Server{CertFile: files.cert, KeyFile: files.key, ErrorLog: logger}, okPage)
	for name, row := range map[string]struct {
		config *tls.Config
		http2  bool
		want   string // the protocol; "": there is no connection
	}{
		"HTTP/2":   {&tls.Config{RootCAs: authority}, true, "HTTP/2.0"},
		"HTTP/1.1": {&tls.Config{RootCAs: authority}, false, "HTTP/1.1"},
		"TLS 1.2":  {&tls.Config{RootCAs: authority, MaxVersion: tls.VersionTLS12}, true, "HTTP/2.0"},
		"TLS 1.1":  {&tls.Config{RootCAs: authority, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			transport := &http.Transport{TLSClientConfig: row.config, ForceAttemptHTTP2: row.http2}
			defer transport.CloseIdleConnections()
			r, err := http.NewRequestWithContext(t.Context(), "GET", "https://"+s.addr.String(), nil)
			require.NoError(t, err)
			res, err := transport.RoundTrip(r)
			if row.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			require.Equal(t, row.want, res.Proto)
		})
	}
	conn := dial(t, s.addr)
	_, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	require.NoError(t, err)
	_, err = io.ReadAll(conn)
	require.NoError(t, err)
	require.NoError(t, s.end())
	require.Len(t, log.records(t), 2)
	for _, record := range log.records(t) {
		require.Regexp(t, "^DEBUG http: TLS handshake error from ", record)
	}
}

// A program with settings of its own brings its listener.
func TestServeWithATLSListener(t *testing.T) {
	files := newCertificateFiles(t)
	authority := files.write(t, 1)
	certificate, err := tls.LoadX509KeyPair(files.cert, files.key)
	require.NoError(t, err)
	inner, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	listener := tls.NewListener(inner, &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}})
	s := startServer(t, sallyport.Server{Listener: listener}, okPage)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authority}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	res, text := call(t, &http.Client{Transport: transport}, "GET", "https://"+s.addr.String())
	require.Equal(t, "HTTP/2.0 ok", res.Proto+" "+text)
	require.NoError(t, s.end())
}

// A renewed certificate is served within a minute, and a broken one never.
func TestTheCertificateIsReadAgain(t *testing.T) {
	files := newCertificateFiles(t)
	synctest.Test(t, func(t *testing.T) {
		files.write(t, 1)
		log, logger := newErrorLog()
		network := newPipes()
		s := startServer(t, sallyport.Server{Listener: network, CertFile: files.cert, KeyFile: files.key, ErrorLog: logger}, okPage)
		serial := func() int64 {
			conn, err := network.dial(t.Context(), "", "")
			require.NoError(t, err)
			client := tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
			require.NoError(t, client.HandshakeContext(t.Context()))
			defer conn.Close()
			return client.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
		}
		old, err := os.ReadFile(files.key)
		require.NoError(t, err)
		for _, step := range []struct {
			name   string
			change func()
			after  time.Duration
			want   int64
			logged int
		}{
			{"the first", func() {}, 0, 1, 0},
			{"renewed, but not looked for", func() { files.write(t, 2) }, 59 * time.Second, 1, 0},
			{"renewed", func() {}, time.Second, 2, 0},
			{"the key is of another one", func() { files.set(t, files.key, old, 3) }, time.Minute, 2, 1},
			{"looked at once a minute", func() {}, 30 * time.Second, 2, 1},
			{"still", func() {}, 30 * time.Second, 2, 2},
			{"a file is gone", func() { require.NoError(t, os.Remove(files.cert)) }, time.Minute, 2, 3},
			{"no certificate", func() { files.set(t, files.cert, []byte("none"), 4) }, time.Minute, 2, 4},
			{"a whole pair", func() { files.write(t, 5) }, time.Minute, 5, 4},
			{"nothing new", func() {}, time.Hour, 5, 4},
		} {
			step.change()
			time.Sleep(step.after)
			require.Equal(t, step.want, serial(), step.name)
			synctest.Wait()
			warnings := 0
			for _, record := range log.records(t) {
				if record[:4] == "WARN" {
					require.Contains(t, record, "the certificate cannot be read again, so the old one stays")
					warnings++
				}
			}
			require.Equal(t, step.logged, warnings, step.name)
		}
		require.NoError(t, s.end())
	})
}
