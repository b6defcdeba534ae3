// The life cycle of jobs in River (https://riverqueue.com), for the benchmark of the
// work queue: inserts many, then works them all, on the server named.
//
//	river CONNECTION JOBS RUNS
//
// Prints a JSON object per row, in jobs per second. The settings are those of
// River's own benchmark: 2,000 workers, a fetch every 2 ms.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

const batch = 1_000

type benchmarkArgs struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

func (benchmarkArgs) Kind() string { return "benchmark" }

type benchmarkWorker struct {
	river.WorkerDefaults[benchmarkArgs]
	left atomic.Int64
	done chan struct{}
}

func (w *benchmarkWorker) Work(context.Context, *river.Job[benchmarkArgs]) error {
	if w.left.Add(-1) == 0 {
		w.done <- struct{}{}
	}
	return nil
}

type rates struct{ insert, work, both float64 }

func insertAll(ctx context.Context, client *river.Client[pgx.Tx], jobs int) error {
	text := strings.Repeat("x", 200)
	for first := 0; first < jobs; first += batch {
		params := make([]river.InsertManyParams, min(batch, jobs-first))
		for i := range params {
			params[i].Args = benchmarkArgs{Number: first + i, Text: text}
		}
		if _, err := client.InsertManyFast(ctx, params); err != nil {
			return err
		}
	}
	return nil
}

// finished waits until every job is completed: River records results
// asynchronously.
func finished(ctx context.Context, pool *pgxpool.Pool) error {
	for {
		var more bool
		err := pool.QueryRow(ctx, "SELECT EXISTS "+
			"(SELECT FROM river_job WHERE state <> 'completed')").Scan(&more)
		if err != nil || !more {
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func run(ctx context.Context, pool *pgxpool.Pool, jobs int) (rates, error) {
	if _, err := pool.Exec(ctx, "TRUNCATE river_job"); err != nil {
		return rates{}, err
	}
	worker := &benchmarkWorker{done: make(chan struct{}, 1)}
	worker.left.Store(int64(jobs))
	workers := river.NewWorkers()
	river.AddWorker(workers, worker)
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		FetchCooldown:     2 * time.Millisecond,
		FetchPollInterval: 5 * time.Millisecond,
		JobTimeout:        -1,
		Logger:            slog.New(slog.NewTextHandler(io.Discard, nil)),
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2_000}},
		Workers:           workers,
	})
	if err != nil {
		return rates{}, err
	}
	begin := time.Now()
	if err := insertAll(ctx, client, jobs); err != nil {
		return rates{}, err
	}
	inserted := time.Now()
	if err := client.Start(ctx); err != nil {
		return rates{}, err
	}
	<-worker.done
	if err := finished(ctx, pool); err != nil {
		return rates{}, err
	}
	worked := time.Now()
	per := func(from time.Time, to time.Time) float64 {
		return float64(jobs) / to.Sub(from).Seconds()
	}
	return rates{per(begin, inserted), per(inserted, worked), per(begin, worked)},
		client.Stop(ctx)
}

func report(row string, all []rates, of func(rates) float64) {
	var values []float64
	for _, one := range all {
		values = append(values, of(one))
	}
	slices.Sort(values)
	text, _ := json.Marshal(map[string]any{
		"row": row, "value": values[len(values)/2], "unit": "1/s",
		"min": values[0], "max": values[len(values)-1]})
	fmt.Println(string(text))
}

func measure(connection string, jobs int, runs int) error {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(connection)
	if err != nil {
		return err
	}
	config.MaxConns = 10
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	var all []rates
	for range runs {
		one, err := run(ctx, pool, jobs)
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	report("insert", all, func(r rates) float64 { return r.insert })
	report("work", all, func(r rates) float64 { return r.work })
	report("whole life", all, func(r rates) float64 { return r.both })
	return nil
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "river CONNECTION JOBS RUNS")
		os.Exit(2)
	}
	jobs, _ := strconv.Atoi(os.Args[2])
	runs, _ := strconv.Atoi(os.Args[3])
	if jobs < 1 || runs < 1 {
		fmt.Fprintln(os.Stderr, "river: JOBS and RUNS are numbers above 0")
		os.Exit(2)
	}
	if err := measure(os.Args[1], jobs, runs); err != nil {
		fmt.Fprintln(os.Stderr, "river:", err)
		os.Exit(1)
	}
}
