-- The query by which a replica reports what its loops do.

-- name: report_loops
-- Writes the loops of client $1, in columns: name, number, runs, failures, the
-- end of the last step that went well, and in seconds how long the last step
-- took, how late it began, and for how long the loop has run and failed.
-- Nothing is written of a client that is no longer registered.
INSERT INTO replica_loops AS l (
  client_id, name, number, runs, failures, last_run_at, took, lag, running,
  failing, reported_at
)
SELECT
  c.id,
  v.name,
  v.number,
  v.runs,
  v.failures,
  v.last_run_at,
  v.took,
  v.lag,
  v.running,
  v.failing,
  clock_timestamp()
FROM unnest(
  $2::text [], $3::integer [], $4::bigint [], $5::bigint [], $6::timestamptz [],
  $7::double precision [], $8::double precision [], $9::double precision [],
  $10::double precision []
)
AS v (
  name, number, runs, failures, last_run_at, took, lag, running, failing
)
INNER JOIN clients AS c ON c.id = $1::bigint
ON CONFLICT (client_id, name, number) DO UPDATE SET
runs = excluded.runs,
failures = excluded.failures,
last_run_at = excluded.last_run_at,
took = excluded.took,
lag = excluded.lag,
running = excluded.running,
failing = excluded.failing,
reported_at = excluded.reported_at;
