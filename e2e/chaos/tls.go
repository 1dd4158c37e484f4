package main

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
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport-go/sallyport"
)

var tlsScenarios = []scenario{
	{name: "http/TLS", promise: "handshakes that stall or are none end within the time-out of 1 s and 1 s more; TLS 1.1 is refused; others are served", run: stalledTLS},
}

// certificate writes a chain and a key for 127.0.0.1.
func certificate(t *trial) (certFile, keyFile string, roots *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	t.must(err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	t.must(err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	t.must(err)
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	chain := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	t.must(os.WriteFile(certFile, chain, 0o600))
	t.must(os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(chain)
	return certFile, keyFile, roots
}

func stalledTLS(t *trial) {
	server := impatient
	server.H2C = false
	var roots *x509.CertPool
	server.CertFile, server.KeyFile, roots = certificate(t)
	h := startTarget(t, server, sallyport.Config{})
	grown := watchMemory()
	n := pick(t, 50, 200)
	for name, first := range map[string]string{
		"nothing":            "",
		"a record's head":    "\x16\x03\x01\x40\x00",
		"half a ClientHello": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"rubbish":            strings.Repeat("\xff", 4096),
		"an SSL 2 hello":     "\x80\x2e\x01\x00\x02",
	} {
		var all sync.WaitGroup
		var stuck, longest atomic.Int64
		for range n {
			all.Go(func() {
				took, closed := drip(h.addr, first, name)
				longest.Store(max(longest.Load(), took.Milliseconds()))
				if !closed {
					stuck.Add(1)
				}
			})
		}
		all.Wait()
		t.check(stuck.Load() == 0 && longest.Load() < 2000, "%s: %d of %d were not closed, the longest took %d ms", name, stuck.Load(), n, longest.Load())
		t.measure("%s: %d closed within %.1f s", name, int64(n)-stuck.Load(), float64(longest.Load())/1000)
	}
	k := say(h.addr, get("/api/v1/open"), time.Second)
	t.check(k.onlyRefused(), "plain HTTP: %s", k)
	t.measure("plain HTTP: %v", k.statuses)
	for version, want := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		d := tls.Dialer{Config: &tls.Config{RootCAs: roots, MinVersion: version, MaxVersion: version}}
		c, err := d.DialContext(t.ctx, "tcp", h.addr)
		t.check((err == nil) == want, "%s: %v", tls.VersionName(version), err)
		if err == nil {
			_ = c.SetDeadline(time.Now().Add(3 * time.Second))
			_, _ = io.WriteString(c, get("/api/v1/open"))
			t.check(len(hear(c).statuses) == 1, "%s: no answer", tls.VersionName(version))
			_ = c.Close()
		}
	}
	t.measure("TLS 1.0 and 1.1 refused, 1.2 and 1.3 served")
	g := grown()
	t.check(g < 64<<20, "the heap grew by %s", mib(g))
	t.measure("heap +%s; %d warnings", mib(g), len(h.errors.with("level=WARN")))
}
