-- Actions of people and programs on existing jobs. Each statement changes those
-- of the jobs $1 that their state allows and returns their ids; the caller has
-- locked the jobs before (lock_jobs).

-- name: lock_jobs
-- Locks these jobs until the transaction ends.
SELECT id FROM jobs WHERE id = ANY($1::bigint []) ORDER BY id FOR UPDATE;

-- name: lock_finished_jobs
-- Likewise, for jobs that have ended.
SELECT id FROM jobs_finished
WHERE id = ANY($1::bigint [])
ORDER BY id
FOR UPDATE;

-- name: cancel_waiting_jobs
-- Cancels the jobs that are not running.
WITH gone AS (
  DELETE FROM jobs
  WHERE id = ANY($1::bigint []) AND state <> 'running'
  RETURNING *
)
INSERT INTO jobs_finished (
  id, kind, queue, priority, state, attempt, max_attempts, created_at,
  scheduled_at, attempted_at, args, errors, tags, metadata
)
SELECT
  id, kind, queue, priority, 'cancelled', attempt, max_attempts, created_at,
  scheduled_at, attempted_at, args, errors, tags, metadata
FROM gone
RETURNING id;

-- name: request_cancel_of_running_jobs
-- Asks the clients that run these jobs (have a client) to stop them, and
-- notifies them: "<schema>.cancels" with the client's id.
WITH asked AS (
  UPDATE jobs
  SET cancel_requested_at = coalesce(cancel_requested_at, now())
  WHERE id = ANY($1::bigint []) AND client_id IS NOT NULL
  RETURNING id, client_id
),

rung AS MATERIALIZED (
  SELECT pg_notify(current_schema() || '.cancels', clients.id::text)
  FROM (SELECT DISTINCT client_id AS id FROM asked) AS clients
)

SELECT asked.id FROM asked
WHERE (SELECT count(*) FROM rung) >= 0;

-- name: run_jobs_now
-- Makes scheduled and retryable jobs available at once.
WITH present AS MATERIALIZED (
  SELECT CASE
    WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp()
  END AS time
),

changed AS (
  UPDATE jobs
  SET
    state = 'available',
    scheduled_at = CASE
      WHEN state = 'available' THEN scheduled_at ELSE present.time
    END
  FROM present
  WHERE
    id = ANY($1::bigint [])
    AND state IN ('available', 'scheduled', 'retryable')
  RETURNING id, queue
)

SELECT id, queue FROM changed;

-- name: release_parked_jobs
-- Releases pending jobs: scheduled until their time, or available if it has
-- come.
WITH present AS MATERIALIZED (
  SELECT CASE
    WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp()
  END AS time
),

changed AS (
  UPDATE jobs
  SET
    state = CASE
      WHEN scheduled_at > present.time THEN 'scheduled' ELSE 'available'
    END,
    scheduled_at = greatest(scheduled_at, present.time)
  FROM present
  WHERE id = ANY($1::bigint []) AND state = 'pending'
  RETURNING id, queue
)

SELECT id, queue FROM changed;

-- name: run_jobs_again
-- Makes finished jobs available again, at once.
WITH present AS MATERIALIZED (
  SELECT CASE
    WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp()
  END AS time
),

back AS (
  DELETE FROM jobs_finished
  WHERE id = ANY($1::bigint [])
  RETURNING *
)

INSERT INTO jobs (
  id, kind, queue, priority, attempt, max_attempts, created_at, scheduled_at,
  attempted_at, args, errors, tags, metadata
)
OVERRIDING SYSTEM VALUE
SELECT
  back.id, back.kind, back.queue, back.priority, back.attempt,
  greatest(back.max_attempts, back.attempt + 1), back.created_at, present.time,
  back.attempted_at, back.args, back.errors, back.tags, back.metadata
FROM back, present
RETURNING id, queue;

-- name: delete_jobs
-- Deletes the jobs that are not running, including finished ones.
WITH waiting AS (
  DELETE FROM jobs
  WHERE id = ANY($1::bigint []) AND state <> 'running'
  RETURNING id
),

finished AS (
  DELETE FROM jobs_finished
  WHERE id = ANY($1::bigint [])
  RETURNING id
)

SELECT id FROM waiting
UNION ALL
SELECT id FROM finished;

-- name: update_jobs
-- Changes priority, time, number of attempts, args, tags or metadata of waiting
-- jobs; null leaves a field unchanged.
WITH present AS MATERIALIZED (
  SELECT CASE
    WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp()
  END AS time
),

changed AS (
  UPDATE jobs
  SET
    priority = coalesce($2::smallint, priority),
    scheduled_at = coalesce($3::timestamptz, scheduled_at),
    state = CASE
      WHEN $3 IS NULL OR state = 'pending' THEN state
      WHEN $3 <= present.time THEN 'available'
      WHEN state = 'available' THEN 'scheduled'
      ELSE state
    END,
    max_attempts = greatest(
      coalesce($4::integer, max_attempts), attempt + 1
    ),
    args = coalesce($5::jsonb, args),
    tags = coalesce($6::text [], tags),
    metadata = coalesce($7::jsonb, metadata)
  FROM present
  WHERE id = ANY($1::bigint []) AND state <> 'running'
  RETURNING id, queue, state, scheduled_at
),

rewound AS (
  INSERT INTO job_rewinds (queue, rewound_to)
  SELECT
    queue,
    min(scheduled_at)
  FROM changed
  WHERE state = 'available'
  GROUP BY queue
)

SELECT
  id,
  CASE WHEN state = 'available' THEN queue END AS queue
FROM changed;
