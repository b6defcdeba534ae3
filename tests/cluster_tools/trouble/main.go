// Trouble stands between a client and a Kubernetes API server and does to it
// what networks and busy API servers do, by a seed: the n-th request for a path
// meets the same with the same seed. With the seed 0 it passes everything on.
//
//	trouble -listen 127.0.0.1:7443 -target https://127.0.0.1:6443 -pki DIR -seed 7
//
// DIR has ca.crt, server.crt and server.key. Who asks is a matter of the header
// Authorization, which goes on as it came. Beside the API it serves
//
//	GET  /trouble            how often it did what, as JSON
//	POST /trouble/hold       {"path": "x-[23]/binding$", "when": "before"}: requests
//	                         other than GET whose path matches are held before they
//	                         go on, or "after": with their answers
//	POST /trouble/release    lets them go on; none is held any more
//	POST /trouble/away       cuts all connections, and those that come
//	POST /trouble/back       passes requests on again
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"time"
)

type proxy struct {
	target  *url.URL
	through http.RoundTripper
	seed    uint64
	calm    bool // passes everything on
	spell   atomic.Int32

	mutex   sync.Mutex
	counts  map[string]int // by what was done
	turns   map[string]uint64
	hold    *regexp.Regexp // nil: none
	after   bool
	release chan struct{} // closed by the release
	away    bool
	gone    chan struct{} // closed when it goes away
}

func (p *proxy) count(what string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.counts[what]++
}

// Waits while requests like this are held; false: the client has gone.
func (p *proxy) wait(r *http.Request, after bool) bool {
	p.mutex.Lock()
	held := p.hold != nil && p.after == after && r.Method != http.MethodGet &&
		p.hold.MatchString(r.URL.Path)
	release := p.release
	p.mutex.Unlock()
	if !held {
		return true
	}
	p.count("held")
	select {
	case <-release:
		p.count("released")
		return true
	case <-r.Context().Done():
		p.count("dropped")
		return false
	}
}

// The request, which ends when the proxy goes away; null: it is away.
func (p *proxy) untilAway(r *http.Request) (*http.Request, func()) {
	p.mutex.Lock()
	away, gone := p.away, p.gone
	p.mutex.Unlock()
	if away {
		return nil, nil
	}
	ctx, stop := context.WithCancel(r.Context())
	go func() {
		select {
		case <-gone:
			stop()
		case <-ctx.Done():
		}
	}()
	return r.WithContext(ctx), stop
}

func (p *proxy) isAway() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.away
}

func (p *proxy) control(w http.ResponseWriter, r *http.Request) {
	var order struct{ Path, When string }
	if r.URL.Path == "/trouble/hold" {
		if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch r.Method + " " + r.URL.Path {
	case "GET /trouble":
	case "POST /trouble/hold":
		pattern, err := regexp.Compile(order.Path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p.hold, p.after = pattern, order.When == "after"
		p.release = make(chan struct{})
	case "POST /trouble/release":
		if p.hold != nil {
			close(p.release)
		}
		p.hold = nil
	case "POST /trouble/away":
		if !p.away {
			close(p.gone)
		}
		p.away = true
	case "POST /trouble/back":
		if p.away {
			p.gone = make(chan struct{})
		}
		p.away = false
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(p.counts)
}

func newProxy(target *url.URL, authorities *x509.CertPool, seed uint64) *proxy {
	p := &proxy{
		target: target,
		through: &http.Transport{
			TLSClientConfig:     &tls.Config{RootCAs: authorities},
			MaxIdleConnsPerHost: 64,
			DisableCompression:  true,
		},
		seed:   seed,
		counts: map[string]int{},
		turns:  map[string]uint64{},
		gone:   make(chan struct{}),
	}
	p.calm = seed == 0
	return p
}

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "where it listens")
	target := flag.String("target", "", "address of the API server")
	pki := flag.String("pki", "", "folder of the certificates")
	seed := flag.Uint64("seed", 0, "of all trouble; 0: none")
	flag.Parse()

	address, err := url.Parse(*target)
	if err != nil {
		log.Fatal(err)
	}
	pem, err := os.ReadFile(filepath.Join(*pki, "ca.crt"))
	if err != nil {
		log.Fatal(err)
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(pem)
	p := newProxy(address, authorities, *seed)
	if *seed != 0 {
		go p.castSpells()
	}
	server := &http.Server{
		Addr:    *listen,
		Handler: p,
		// Not HTTP/2, of which a single request's connection cannot be cut.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
		ErrorLog:     log.New(io.Discard, "", 0),
		IdleTimeout:  time.Minute,
	}
	log.Fatal(server.ListenAndServeTLS(filepath.Join(*pki, "server.crt"),
		filepath.Join(*pki, "server.key")))
}
