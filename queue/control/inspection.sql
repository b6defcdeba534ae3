-- Queries for people and monitoring.

-- name: list_jobs
-- Jobs of a queue ($1), kind ($2), in states ($3), finished ones since $4, with
-- an id above $5, at most $6, with a tag ($7); in order of id.
SELECT
  c.*,
  h.name AS client
FROM (
  SELECT
    j.id, j.kind, j.queue, j.priority, j.state, j.attempt, j.max_attempts,
    j.client_id, j.created_at, j.scheduled_at, j.attempted_at,
    NULL::timestamptz AS finalized_at, j.cancel_requested_at, j.args, j.errors,
    j.tags, j.metadata
  FROM jobs AS j
  UNION ALL
  SELECT
    f.id, f.kind, f.queue, f.priority, f.state, f.attempt, f.max_attempts,
    f.client_id, f.created_at, f.scheduled_at, f.attempted_at, f.finalized_at,
    NULL, f.args, f.errors, f.tags, f.metadata
  FROM jobs_finished AS f
  WHERE f.finalized_at >= $4::timestamptz
) AS c
LEFT JOIN clients AS h ON h.id = c.client_id
WHERE
  ($1::text IS NULL OR c.queue = $1)
  AND ($2::text IS NULL OR c.kind = $2)
  AND ($3::text [] IS NULL OR c.state = ANY($3))
  AND c.id > $5::bigint
  AND ($7::text IS NULL OR $7 = ANY(c.tags))
ORDER BY c.id
LIMIT $6::bigint;

-- name: list_newest_jobs
-- Jobs of a queue ($1), kind ($2), in states ($3), finished ones since $4, with
-- an id below $5, at most $6, the newest first.
SELECT
  c.*,
  h.name AS client
FROM (
  (
    SELECT
      j.id, j.kind, j.queue, j.priority, j.state, j.attempt, j.max_attempts,
      j.client_id, j.created_at, j.scheduled_at, j.attempted_at,
      NULL::timestamptz AS finalized_at, j.cancel_requested_at, j.args,
      j.errors, j.tags, j.metadata
    FROM jobs AS j
    WHERE
      ($1::text IS NULL OR j.queue = $1)
      AND ($2::text IS NULL OR j.kind = $2)
      AND ($3::text [] IS NULL OR j.state = ANY($3))
      AND ($5::bigint IS NULL OR j.id < $5)
    ORDER BY j.id DESC
    LIMIT $6::bigint
  )
  UNION ALL
  (
    SELECT
      f.id, f.kind, f.queue, f.priority, f.state, f.attempt, f.max_attempts,
      f.client_id, f.created_at, f.scheduled_at, f.attempted_at,
      f.finalized_at, NULL, f.args, f.errors, f.tags, f.metadata
    FROM jobs_finished AS f
    WHERE
      f.finalized_at >= $4::timestamptz
      AND ($1 IS NULL OR f.queue = $1)
      AND ($2 IS NULL OR f.kind = $2)
      AND ($3 IS NULL OR f.state = ANY($3))
      AND ($5 IS NULL OR f.id < $5)
    ORDER BY f.id DESC
    LIMIT $6
  )
) AS c
LEFT JOIN clients AS h ON h.id = c.client_id
ORDER BY c.id DESC
LIMIT $6;

-- name: find_jobs
-- The jobs with these ids ($1), finished or not, in order of id.
SELECT
  c.*,
  h.name AS client
FROM (
  SELECT
    j.id, j.kind, j.queue, j.priority, j.state, j.attempt, j.max_attempts,
    j.client_id, j.created_at, j.scheduled_at, j.attempted_at,
    NULL::timestamptz AS finalized_at, j.cancel_requested_at, j.args, j.errors,
    j.tags, j.metadata
  FROM jobs AS j
  WHERE j.id = ANY($1::bigint [])
  UNION ALL
  SELECT
    f.id, f.kind, f.queue, f.priority, f.state, f.attempt, f.max_attempts,
    f.client_id, f.created_at, f.scheduled_at, f.attempted_at, f.finalized_at,
    NULL, f.args, f.errors, f.tags, f.metadata
  FROM jobs_finished AS f
  WHERE f.id = ANY($1::bigint [])
) AS c
LEFT JOIN clients AS h ON h.id = c.client_id
ORDER BY c.id;

-- name: queue_stats
-- Per queue ($2: this one only): waiting and running jobs now; and of the jobs
-- that ended within $1 their number, waiting times and run times.
WITH live AS (
  SELECT
    queue,
    count(*) FILTER (WHERE state = 'available') AS available,
    count(*) FILTER (WHERE state = 'scheduled') AS scheduled,
    count(*) FILTER (WHERE state = 'retryable') AS retryable,
    count(*) FILTER (WHERE state = 'pending') AS pending,
    count(*) FILTER (WHERE state = 'running') AS running,
    min(scheduled_at) FILTER (WHERE state = 'available') AS oldest
  FROM jobs
  WHERE $2::text IS NULL OR queue = $2
  GROUP BY queue
),

ended AS (
  SELECT
    queue,
    count(*) FILTER (WHERE state = 'completed') AS completed,
    count(*) FILTER (WHERE state = 'cancelled') AS cancelled,
    count(*) FILTER (WHERE state = 'discarded') AS discarded,
    percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (
      ORDER BY extract(EPOCH FROM attempted_at - scheduled_at)
    ) AS waited,
    percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (
      ORDER BY extract(EPOCH FROM finalized_at - attempted_at)
    ) AS ran
  FROM jobs_finished
  WHERE
    finalized_at >= now() - $1::interval
    AND ($2::text IS NULL OR queue = $2)
  GROUP BY queue
),

paused AS (
  SELECT name AS queue FROM job_queues
  WHERE paused_at IS NOT NULL AND ($2::text IS NULL OR name = $2)
),

names AS (
  SELECT queue FROM live
  UNION
  SELECT queue FROM ended
  UNION
  SELECT queue FROM paused
)

SELECT
  n.queue,
  EXISTS (SELECT FROM paused AS p WHERE p.queue = n.queue) AS paused,
  coalesce(l.available, 0) AS available,
  coalesce(l.scheduled, 0) AS scheduled,
  coalesce(l.retryable, 0) AS retryable,
  coalesce(l.pending, 0) AS pending,
  coalesce(l.running, 0) AS running,
  extract(EPOCH FROM now() - l.oldest)::double precision AS oldest,
  coalesce(e.completed, 0) AS completed,
  coalesce(e.cancelled, 0) AS cancelled,
  coalesce(e.discarded, 0) AS discarded,
  e.waited[1] AS wait_p50,
  e.waited[2] AS wait_p99,
  e.ran[1] AS run_p50,
  e.ran[2] AS run_p99
FROM names AS n
LEFT JOIN live AS l ON l.queue = n.queue
LEFT JOIN ended AS e ON e.queue = n.queue
ORDER BY n.queue;

-- name: count_jobs
-- Jobs that have not ended, by kind and state, and since when the oldest
-- available one has been available. Reads all of them.
SELECT
  kind,
  state,
  count(*) AS jobs,
  extract(
    EPOCH FROM now() - min(scheduled_at) FILTER (WHERE state = 'available')
  )::double precision AS oldest
FROM jobs
GROUP BY kind, state
ORDER BY kind, state;
