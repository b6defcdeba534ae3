-- Jobs that are inserted again and again.

-- name: set_periodic_job
-- Makes or changes one; its next tick ($10) stays if the schedule does.
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
-- What now() is in this transaction.
SELECT now() AS time;

-- name: remove_periodic_job
-- Takes one off the list.
DELETE FROM periodic_jobs WHERE name = $1;

-- name: pause_periodic_job
-- Inserts nothing for it from now on ($2), or does again.
UPDATE periodic_jobs
SET paused_at = CASE WHEN $2::boolean THEN coalesce(paused_at, now()) END
WHERE name = $1;

-- name: list_periodic_jobs
-- All of them.
SELECT
  name, schedule, kind, queue, priority, max_attempts, args, tags, metadata,
  next_at, last_at, last_job_id, paused_at, problem
FROM periodic_jobs
ORDER BY name;

-- name: due_periodic_jobs
-- Up to $1 whose tick has come, held until the transaction ends.
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
-- The ticks of these ($1) came, these jobs ($2) were inserted, these ticks ($3)
-- come next.
UPDATE periodic_jobs AS p
SET last_at = p.next_at, last_job_id = t.job_id, next_at = t.next_at
FROM unnest(
  $1::text [], $2::bigint [], $3::timestamptz []
) AS t (name, job_id, next_at)
WHERE p.name = ANY(ARRAY[t.name]);

-- name: set_periodic_problem
-- A schedule that cannot be read does not come again until it is mended.
UPDATE periodic_jobs SET problem = $2, next_at = 'infinity' WHERE name = $1;
