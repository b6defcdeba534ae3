package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

func isWatch(r *http.Request) bool { return r.URL.Query().Get("watch") == "true" }

const tooOld = `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1",` +
	`"metadata":{},"status":"Failure","reason":"Expired",` +
	`"message":"too old resource version","code":410}}` + "\n"

// Events are told late and twice as lines of JSON, also to who would take Protobuf.
func (p *proxy) watch(w http.ResponseWriter, r *http.Request, dice *rand.Rand) {
	r.Header.Set("Accept", "application/json")
	if p.calm {
		p.stream(w, r, nil)
		return
	}
	lists := r.URL.Query().Has("sendInitialEvents")
	switch n := dice.IntN(100); {
	case n < 4:
		p.count("watch: 429")
		refuse(w, http.StatusTooManyRequests, "1")
	case n < 8:
		p.count("watch: 500")
		refuse(w, http.StatusInternalServerError, "")
	case n < 12:
		p.count("watch: cut before")
		cut()
	case n < 16 && !lists:
		p.count("watch: 410")
		refuse(w, http.StatusGone, "")
	case n < 26 && lists:
		p.count("watch: no streaming lists")
		refuse(w, http.StatusBadRequest, "")
	default:
		p.stream(w, r, dice)
	}
}

// How a stream of a troubled server goes.
type streamTrouble struct {
	p     *proxy
	dice  *rand.Rand
	lines int      // until it ends; < 0: not by lines
	late  [][]byte // told once, and to be told again
	wait  int      // lines until then
	held  []byte   // to be told after the next, if that is of another object
}

// How long a line is held if no other comes.
const holdTime = 50 * time.Millisecond

func (p *proxy) stream(w http.ResponseWriter, r *http.Request, dice *rand.Rand) {
	ctx := r.Context()
	var t *streamTrouble
	if dice != nil {
		t = &streamTrouble{p: p, dice: dice, lines: -1}
		if dice.IntN(2) == 0 {
			t.lines = dice.IntN(300)
		}
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx,
			between(dice, 300*time.Millisecond, 12*time.Second))
		defer stop()
	}
	answer, err := p.send(r.WithContext(ctx), nil)
	if err != nil {
		cut()
	}
	defer answer.Body.Close()
	copyHeader(w, answer)
	w.WriteHeader(answer.StatusCode)
	flush := w.(http.Flusher).Flush
	flush()
	lines := linesOf(ctx, answer.Body)
	for open := true; open; {
		var line []byte
		select {
		case line, open = <-lines:
		default:
			flush()
			select {
			case line, open = <-lines:
			case <-t.heldLongEnough():
			}
		}
		switch {
		case t == nil:
			w.Write(line)
		case line == nil:
			t.letGo(w)
		case !t.tell(w, flush, line):
			return
		}
	}
	if p.isAway() || t != nil && dice.IntN(2) == 0 {
		p.count("watch: cut")
		cut()
	}
	p.count("watch: ended")
}

// Closed at the end of the stream.
func linesOf(ctx context.Context, stream io.Reader) <-chan []byte {
	in := bufio.NewReaderSize(stream, 1<<20)
	lines := make(chan []byte, 64)
	go func() {
		defer close(lines)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// What an event is of; empty: it is none, but a bookmark or an error.
func objectOf(line []byte) string {
	var said struct {
		Type   string
		Object struct{ Metadata struct{ UID string } }
	}
	if json.Unmarshal(line, &said) != nil || said.Type == "BOOKMARK" {
		return ""
	}
	return said.Object.Metadata.UID
}

// Null if none is held.
func (t *streamTrouble) heldLongEnough() <-chan time.Time {
	if t == nil || t.held == nil {
		return nil
	}
	return time.After(holdTime)
}

func (t *streamTrouble) letGo(w io.Writer) {
	w.Write(t.held)
	t.held = nil
}

// A server keeps the order of what it says of one object, and says in a bookmark
// what it has said before; nothing else is promised of several objects. True:
// the line is written, or held.
func (t *streamTrouble) swap(w io.Writer, line []byte) bool {
	object := objectOf(line)
	if t.held != nil && object != "" && object != objectOf(t.held) {
		t.p.count("watch: swapped")
		// At once: where it goes on after a cut is by the last line heard.
		w.Write(append(line, t.held...))
		t.held = nil
		return true
	}
	t.letGo(w)
	if object == "" || t.dice.IntN(100) >= 15 {
		return false
	}
	t.held = line
	return true
}

// Writes a line as it is told in times of trouble; false: that was the last.
func (t *streamTrouble) tell(w io.Writer, flush func(), line []byte) bool {
	if t.lines == 0 {
		t.letGo(w)
		t.end(w, flush, line)
		return false
	}
	t.lines--
	if t.swap(w, line) {
		return true
	}
	w.Write(line)
	isEvent := !bytes.Contains(line[:min(len(line), 40)], []byte("BOOKMARK"))
	switch n := t.dice.IntN(100); {
	case n < 5 && isEvent:
		t.p.count("watch: told twice")
		w.Write(line)
	case n < 10 && isEvent:
		t.late = append(t.late, line)
		if t.wait <= 0 {
			t.wait = 1 + t.dice.IntN(30)
		}
	case n < 12:
		t.p.count("watch: late")
		flush()
		time.Sleep(between(t.dice, time.Millisecond, 300*time.Millisecond))
	}
	if t.wait--; t.wait == 0 {
		for _, again := range t.late {
			t.p.count("watch: told again")
			w.Write(again)
		}
		t.late = nil
	}
	return true
}

func (t *streamTrouble) end(w io.Writer, flush func(), line []byte) {
	switch t.dice.IntN(3) {
	case 0:
		t.p.count("watch: torn")
		w.Write(line[:len(line)/2])
		flush()
		cut()
	case 1:
		t.p.count("watch: too old")
		io.WriteString(w, tooOld)
	default:
		t.p.count("watch: cut")
		flush()
		cut()
	}
}
