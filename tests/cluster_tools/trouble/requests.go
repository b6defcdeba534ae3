package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// What is done for a while to all requests.
const (
	noSpell int32 = iota
	spellCut
	spell503
	spell429
	spells
)

// The dice of the n-th request for this path.
func (p *proxy) dice(r *http.Request) *rand.Rand {
	key := r.Method + " " + r.URL.Path
	if isWatch(r) {
		key += " watch"
	}
	p.mutex.Lock()
	n := p.turns[key]
	p.turns[key]++
	p.mutex.Unlock()
	hash := fnv.New64a()
	fmt.Fprint(hash, key, " ", n)
	return rand.New(rand.NewPCG(p.seed, hash.Sum64()))
}

// Every few seconds, for up to two, no request gets through.
func (p *proxy) castSpells() {
	dice := rand.New(rand.NewPCG(p.seed, 0))
	for {
		time.Sleep(between(dice, 3*time.Second, 9*time.Second))
		p.spell.Store(1 + dice.Int32N(spells-1))
		time.Sleep(between(dice, 100*time.Millisecond, 2*time.Second))
		p.spell.Store(noSpell)
	}
}

func between(dice *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(dice.Int64N(int64(high-low)))
}

// Ends the connection in the middle of whatever it is at.
func cut() { panic(http.ErrAbortHandler) }

func refuse(w http.ResponseWriter, code int, retryAfter string) {
	w.Header().Set("Content-Type", "application/json")
	if retryAfter != "" {
		w.Header().Set("Retry-After", retryAfter)
	}
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},`+
		`"status":"Failure","message":"trouble on the way","code":%d}`, code)
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/trouble") {
		p.control(w, r)
		return
	}
	r, stop := p.untilAway(r)
	if r == nil {
		p.count("away")
		cut()
	}
	defer stop()
	// All of it is read, so that the end of the connection is noticed.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	dice := p.dice(r)
	if !p.calm && p.refuseBySpell(w) {
		return
	}
	if isWatch(r) {
		p.watch(w, r, dice)
		return
	}
	if !p.wait(r, false) {
		return
	}
	if p.calm {
		p.passOn(w, r, body, nil)
		return
	}
	p.trouble(w, r, body, dice)
}

func (p *proxy) refuseBySpell(w http.ResponseWriter) bool {
	switch p.spell.Load() {
	case spellCut:
		p.count("spell: cut")
		cut()
	case spell503:
		p.count("spell: 503")
		refuse(w, http.StatusServiceUnavailable, "")
	case spell429:
		p.count("spell: 429")
		refuse(w, http.StatusTooManyRequests, "1")
	default:
		return false
	}
	return true
}

// Whether a server may answer this with a conflict for no fault of the client.
func mayConflict(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/binding") ||
		r.Method == http.MethodPatch
}

func (p *proxy) trouble(w http.ResponseWriter, r *http.Request, body []byte,
	dice *rand.Rand) {
	switch n := dice.IntN(1000); {
	case n < 20:
		p.count("429")
		refuse(w, http.StatusTooManyRequests, []string{"", "0", "1"}[dice.IntN(3)])
	case n < 40:
		p.count("500")
		refuse(w, http.StatusInternalServerError, "")
	case n < 60:
		p.count("503")
		refuse(w, http.StatusServiceUnavailable, []string{"", "1"}[dice.IntN(2)])
	case n < 80:
		p.count("cut before")
		cut()
	case n < 110:
		p.count("cut after")
		p.passOn(nil, r, body, nil)
		cut()
	case n < 130:
		p.count("500 after")
		p.passOn(nil, r, body, nil)
		refuse(w, http.StatusInternalServerError, "")
	case n < 145:
		p.count("cut in answer")
		p.passOn(w, r, body, cut)
	case n < 175 && mayConflict(r):
		p.count("409")
		refuse(w, http.StatusConflict, "")
	case n < 185 && r.URL.Query().Has("continue"):
		p.count("410 of a page")
		refuse(w, http.StatusGone, "")
	case n < 300:
		p.count("late")
		time.Sleep(between(dice, time.Millisecond, 150*time.Millisecond))
		p.passOn(w, r, body, nil)
	case n < 305:
		p.count("very late")
		time.Sleep(between(dice, time.Second, 6*time.Second))
		p.passOn(w, r, body, nil)
	default:
		p.passOn(w, r, body, nil)
	}
}

// Sends the request on and hands back the answer; without `w` the answer is
// swallowed. `halfway` is called in the middle of it.
func (p *proxy) passOn(w http.ResponseWriter, r *http.Request, body []byte,
	halfway func()) {
	answer, err := p.send(r, body)
	if err != nil {
		cut()
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		cut()
	}
	p.note(r, answer.StatusCode)
	if w == nil || !p.wait(r, true) {
		return
	}
	copyHeader(w, answer)
	w.Header().Set("Content-Length", strconv.Itoa(len(said)))
	w.WriteHeader(answer.StatusCode)
	w.Write(said[:len(said)/2])
	if halfway != nil {
		w.(http.Flusher).Flush()
		halfway()
	}
	w.Write(said[len(said)/2:])
}

// Bindings that the server has taken, and those that it refused.
func (p *proxy) note(r *http.Request, code int) {
	if !strings.HasSuffix(r.URL.Path, "/binding") {
		return
	}
	p.count(fmt.Sprintf("binding: %d", code))
}

func copyHeader(w http.ResponseWriter, answer *http.Response) {
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
}

func (p *proxy) send(r *http.Request, body []byte) (*http.Response, error) {
	to := *r.URL
	to.Scheme, to.Host = p.target.Scheme, p.target.Host
	if limit := to.Query(); !p.calm && limit.Has("limit") {
		limit.Set("limit", "60") // a server may give less than is asked for
		to.RawQuery = limit.Encode()
	}
	request, err := http.NewRequestWithContext(r.Context(), r.Method, to.String(),
		bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = r.Header.Clone()
	return p.through.RoundTrip(request)
}
