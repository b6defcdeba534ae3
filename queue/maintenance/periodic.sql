-- Jobs that are inserted repeatedly by a schedule.

-- name: set_periodic_job
-- Adds or changes one; its next tick ($10) is kept if the schedule is
-- unchanged.
INSERT INTO periodic_jobs AS p (
  name, schedule, kind, queue, priority, max_attempts, args, tags, metadata,
  next_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (name) DO UPDATE
SET
  next_at = CASE
    WHEN p.schedule = excluded.schedule THEN p.next_at ELSE excluded.next_at
  END,
  problem = CASE WHEN p.schedule = excluded.schedule THEN p.problem END,
  schedule = excluded.schedule,
  kind = excluded.kind,
  queue = excluded.queue,
  priority = excluded.priority,
  max_attempts = excluded.max_attempts,
  args = excluded.args,
  tags = excluded.tags,
  metadata = excluded.metadata;

-- name: periodic_time
-- The value of now() in this transaction.
SELECT now() AS time;

-- name: remove_periodic_job
-- Removes a periodic job.
DELETE FROM periodic_jobs WHERE name = $1;

-- name: pause_periodic_job
-- Pauses or resumes ($2) a periodic job.
UPDATE periodic_jobs
SET paused_at = CASE WHEN $2::boolean THEN coalesce(paused_at, now()) END
WHERE name = $1;

-- name: list_periodic_jobs
-- All periodic jobs.
SELECT
  name, schedule, kind, queue, priority, max_attempts, args, tags, metadata,
  next_at, last_at, last_job_id, paused_at, problem
FROM periodic_jobs
ORDER BY name;

-- name: due_periodic_jobs
-- Locks up to $1 periodic jobs whose tick has come.
SELECT
  name,
  schedule,
  kind,
  queue,
  priority,
  max_attempts,
  args,
  tags,
  metadata || jsonb_build_object('periodic', name, 'tick', next_at) AS metadata,
  next_at,
  now() AS time
FROM periodic_jobs
WHERE next_at <= now() AND paused_at IS NULL
ORDER BY next_at, name
LIMIT $1
FOR UPDATE SKIP LOCKED;

-- name: record_ticks
-- Records for periodic jobs ($1) the jobs inserted ($2) and their next ticks
-- ($3).
UPDATE periodic_jobs AS p
SET last_at = p.next_at, last_job_id = t.job_id, next_at = t.next_at
FROM unnest(
  $1::text [], $2::bigint [], $3::timestamptz []
) AS t (name, job_id, next_at)
WHERE p.name = ANY(ARRAY[t.name]);

-- name: set_periodic_problem
-- Disables a periodic job with an unreadable schedule until the schedule is set
-- again.
UPDATE periodic_jobs SET problem = $2, next_at = 'infinity' WHERE name = $1;
