-- The queries of the work queue: insert, finish, postpone and rescue jobs.
-- Times are the database's; channels are named <schema>.<channel>.
--
-- Joins look a key up as `= any(ARRAY[key])`, so that the planner uses its
-- index; the reason is given at the head of workers/loops/groups.sql and at
-- by_index_only in sql/connection/pool.h.

-- name: insert_jobs
-- Inserts many jobs, in order, and sends one notification for each queue named
-- in $10. Leases rely on two facts: the clock is read after the transaction has
-- its id, and a job due in the past leaves a rewind.
WITH present AS MATERIALIZED (
  SELECT CASE
    WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp()
  END AS time
),

inserted AS (
  INSERT INTO jobs (
    kind, queue, priority, max_attempts, state, created_at, scheduled_at, args,
    tags, metadata
  )
  SELECT
    j.kind,
    j.queue,
    j.priority,
    j.max_attempts,
    CASE
      WHEN j.pending THEN 'pending'
      WHEN j.scheduled_at > present.time THEN 'scheduled'
      ELSE 'available'
    END,
    present.time,
    coalesce(j.scheduled_at, present.time),
    j.args,
    j.tags::text [],
    j.metadata
  FROM present, unnest(
    $1::text [], $2::text [], $3::smallint [], $4::integer [],
    $5::timestamptz [], $6::jsonb [], $7::text [], $8::jsonb [], $9::boolean []
  ) AS j (
    kind, queue, priority, max_attempts, scheduled_at, args, tags, metadata,
    pending
  )
  RETURNING id
),

rewound AS (
  INSERT INTO job_rewinds (queue, rewound_to)
  SELECT
    past.queue,
    min(past.scheduled_at)
  FROM present, unnest($2::text [], $5::timestamptz [], $9::boolean []) AS past (
    queue, scheduled_at, pending
  )
  WHERE past.scheduled_at <= present.time AND NOT past.pending
  GROUP BY past.queue
)

SELECT id FROM inserted
UNION ALL
SELECT NULL
FROM
  unnest($10::text []) AS told (queue),
  pg_notify(current_schema() || '.jobs', told.queue);

-- name: insert_plain_jobs
-- Likewise, for jobs without options: due now, no tags, no metadata.
WITH present AS MATERIALIZED (
  SELECT CASE
    WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp()
  END AS time
),

inserted AS (
  INSERT INTO jobs (
    kind, queue, priority, max_attempts, created_at, scheduled_at, args
  )
  SELECT
    j.kind, j.queue, j.priority, j.max_attempts, present.time, present.time,
    j.args
  FROM present, unnest(
    $1::text [], $2::text [], $3::smallint [], $4::integer [], $5::jsonb []
  ) AS j (kind, queue, priority, max_attempts, args)
  RETURNING id
)

SELECT id FROM inserted
UNION ALL
SELECT NULL
FROM
  unnest($6::text []) AS told (queue),
  pg_notify(current_schema() || '.jobs', told.queue);

-- name: insert_leased_jobs
-- Inserts such jobs, the first $7 of them leased to client $6 in their first
-- attempt; if $8, only those of queues that the client leads, whose terms are
-- locked until the transaction ends. Jobs are left available where a lease
-- would get nothing: the client's heartbeat is late, or the queue is paused.
WITH present AS MATERIALIZED (
  SELECT
    CASE
      WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp()
    END AS time,
    EXISTS (
      SELECT FROM clients AS c
      WHERE c.id = $6 AND c.heartbeat_at + c.time_to_live > now()
    ) AS client_lives
),

led AS MATERIALIZED (
  SELECT l.name
  FROM leaders AS l
  WHERE $8 AND l.name = any($2::text []) AND l.client_id = $6
  ORDER BY l.name
  FOR SHARE
)

INSERT INTO jobs (
  kind, queue, priority, max_attempts, created_at, scheduled_at, args, state,
  attempt, client_id, attempted_at
)
SELECT
  j.kind,
  j.queue,
  j.priority,
  j.max_attempts,
  present.time,
  present.time,
  j.args,
  CASE WHEN lease.holds THEN 'running' ELSE 'available' END,
  lease.holds::integer,
  CASE WHEN lease.holds THEN $6::bigint END,
  CASE WHEN lease.holds THEN present.time END
FROM
  present,
  unnest(
    $1::text [], $2::text [], $3::smallint [], $4::integer [], $5::jsonb []
  ) WITH ORDINALITY AS j (
    kind, queue, priority, max_attempts, args, place
  ),
  LATERAL (
    SELECT
      j.place <= $7::bigint
      AND present.client_lives
      AND (NOT $8::boolean OR j.queue IN (SELECT led.name FROM led))
      AND j.queue NOT IN (
        SELECT q.name
        FROM job_queues AS q
        WHERE q.name = any($2::text []) AND q.paused_at IS NOT NULL
      ) AS holds
  ) AS lease
RETURNING
  id, kind, queue, args, priority, attempt, max_attempts, created_at,
  scheduled_at, coalesce(attempted_at, created_at) AS attempted_at, metadata,
  tags,
  jsonb_array_length(errors) AS failures;

-- name: copy_time
-- The time, read after the transaction has its id (see insert_jobs).
SELECT CASE
  WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp()
END AS time;

-- name: rewind_queues
-- Records that jobs of these queues ($1) due at $2, in the past, became
-- available.
INSERT INTO job_rewinds (queue, rewound_to)
SELECT r.queue, r.rewound_to
FROM unnest($1::text [], $2::timestamptz []) AS r (queue, rewound_to);

-- name: announce_queues
-- Notifies the workers of these queues.
SELECT pg_notify(current_schema() || '.jobs', told.queue)
FROM unnest($1::text []) AS told (queue);

-- name: complete_jobs
-- Moves completed jobs straight into the partition of their state, each if it
-- still runs (has a client) in the attempt named.
WITH gone AS (
  DELETE FROM jobs
  USING unnest($1::bigint [], $2::integer []) AS r (id, attempt)
  WHERE
    jobs.id = any(ARRAY[r.id])
    AND jobs.attempt = r.attempt
    AND jobs.client_id IS NOT NULL
  RETURNING jobs.*
)
INSERT INTO jobs_finished_completed (
  id, kind, queue, priority, state, attempt, max_attempts, client_id,
  created_at, scheduled_at, attempted_at, args, errors, tags, metadata
)
SELECT
  id, kind, queue, priority, 'completed', attempt, max_attempts, client_id,
  created_at, scheduled_at, attempted_at, args, errors, tags, metadata
FROM gone
RETURNING id, attempt;

-- name: finish_jobs
-- Moves finished jobs to jobs_finished, each if it still runs (has a client) in
-- the attempt named, with its error, if any, and merged metadata.
WITH gone AS (
  DELETE FROM jobs
  USING unnest(
    $1::bigint [], $2::integer [], $3::text [], $4::text [], $5::text [],
    $6::jsonb []
  ) AS r (id, attempt, state, error, trace, metadata)
  WHERE
    jobs.id = any(ARRAY[r.id])
    AND jobs.attempt = r.attempt
    AND jobs.client_id IS NOT NULL
  RETURNING
    jobs.*, r.state AS final, r.error, r.trace, r.metadata AS added
)
INSERT INTO jobs_finished (
  id, kind, queue, priority, state, attempt, max_attempts, client_id,
  created_at, scheduled_at, attempted_at, args, errors, tags, metadata
)
SELECT
  id, kind, queue, priority, final, attempt, max_attempts, client_id,
  created_at, scheduled_at, attempted_at, args,
  CASE
    WHEN error = '' AND trace = '' THEN errors
    ELSE with_error(errors, attempt, error, trace)
  END,
  tags, metadata || added
FROM gone
RETURNING id, attempt;

-- name: postpone_jobs
-- Handles jobs that failed (an error is given) or were snoozed, each if it
-- still runs (has a client) in the attempt named: they are retried after their
-- backoff, or end if this was the last attempt or a cancel was requested. The
-- backoff is the delay of the result, or (failures + 1)^4 seconds, 10 % more or
-- less. A job available at once is due from now on (see insert_jobs).
WITH result AS MATERIALIZED (
  SELECT r.id, r.attempt, r.failed, r.error, r.delay, r.trace, r.metadata
  FROM unnest(
    $1::bigint [], $2::integer [], $3::boolean [], $4::text [],
    $5::interval [], $6::text [], $7::jsonb []
  ) AS r (id, attempt, failed, error, delay, trace, metadata)
),

present AS MATERIALIZED (
  SELECT CASE
    WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp()
  END AS time
),

postponed AS (
  UPDATE jobs
  SET
    state = CASE
      WHEN coalesce(r.delay, interval '1 second') <= interval '0'
        THEN 'available'
      WHEN r.failed THEN 'retryable'
      ELSE 'scheduled'
    END,
    client_id = NULL,
    max_attempts = max_attempts + CASE WHEN r.failed THEN 0 ELSE 1 END,
    scheduled_at = present.time + coalesce(
      r.delay,
      interval '1 second'
      * power(jsonb_array_length(errors) + 1, 4) * (0.9 + 0.2 * random())
    ),
    errors = CASE
      WHEN r.failed OR r.error <> '' OR r.trace <> ''
        THEN with_error(errors, jobs.attempt, r.error, r.trace)
      ELSE errors
    END,
    metadata = jobs.metadata || r.metadata
  FROM result AS r, present
  WHERE
    jobs.id = any(ARRAY[r.id])
    AND jobs.attempt = r.attempt
    AND jobs.client_id IS NOT NULL
    AND jobs.cancel_requested_at IS NULL
    AND NOT (r.failed AND jobs.attempt >= jobs.max_attempts)
  RETURNING jobs.id, jobs.attempt
),

gone AS (
  DELETE FROM jobs
  USING result AS r
  WHERE
    jobs.id = any(ARRAY[r.id])
    AND jobs.attempt = r.attempt
    AND jobs.client_id IS NOT NULL
    AND (
      jobs.cancel_requested_at IS NOT NULL
      OR (r.failed AND jobs.attempt >= jobs.max_attempts)
    )
  RETURNING jobs.*, r.failed, r.error, r.trace, r.metadata AS added
),

finished AS (
  INSERT INTO jobs_finished (
    id, kind, queue, priority, state, attempt, max_attempts, client_id,
    created_at, scheduled_at, attempted_at, args, errors, tags, metadata
  )
  SELECT
    id, kind, queue, priority,
    CASE
      WHEN cancel_requested_at IS NULL THEN 'discarded' ELSE 'cancelled'
    END,
    attempt, max_attempts, client_id, created_at, scheduled_at, attempted_at,
    args,
    CASE
      WHEN failed OR error <> '' OR trace <> ''
        THEN with_error(errors, attempt, error, trace)
      ELSE errors
    END,
    tags, metadata || added
  FROM gone
  RETURNING id, attempt
)

SELECT id, attempt FROM postponed
UNION ALL
SELECT id, attempt FROM finished;

-- name: pause_queue
-- Pauses a queue, if there is one of that name.
INSERT INTO job_queues (name, paused_at)
SELECT $1, now()
WHERE
  EXISTS (SELECT FROM jobs WHERE queue = $1)
  OR EXISTS (SELECT FROM job_queues WHERE name = $1)
ON CONFLICT (name) DO UPDATE
SET paused_at = coalesce(job_queues.paused_at, now())
RETURNING name;

-- name: resume_queue
-- Resumes a queue and notifies its workers. Returns whether there is one of
-- that name.
WITH resumed AS (
  UPDATE job_queues
  SET paused_at = NULL
  WHERE name = $1 AND paused_at IS NOT NULL
  RETURNING name
)

SELECT
  EXISTS (SELECT FROM jobs WHERE queue = $1)
  OR EXISTS (SELECT FROM job_queues WHERE name = $1) AS known,
  (
    SELECT count(pg_notify(current_schema() || '.jobs', resumed.name))
    FROM resumed
  ) AS rung;

-- name: make_due_available
-- Makes up to $1 jobs available whose time has come; notifies their workers.
WITH due AS (
  UPDATE jobs
  SET state = 'available'
  WHERE ctid = ANY(ARRAY(
    SELECT later.ctid
    FROM jobs AS later
    WHERE
      later.state IN ('scheduled', 'retryable')
      AND later.scheduled_at <= now()
    ORDER BY later.scheduled_at
    LIMIT $1
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING queue, scheduled_at
),

queues AS (
  SELECT
    queue,
    count(*) AS jobs,
    min(scheduled_at) AS first
  FROM due
  GROUP BY queue
),

rewound AS (
  INSERT INTO job_rewinds (queue, rewound_to)
  SELECT queue, first FROM queues
)

SELECT q.jobs, pg_notify(current_schema() || '.jobs', q.queue)
FROM queues AS q;

-- name: forget_rewinds
-- Deletes old rewinds: no lease relies on a snapshot that is an hour old.
DELETE FROM job_rewinds WHERE created_at < now() - interval '1 hour';

-- name: forget_dead_clients
-- Deletes the clients whose heartbeat is older than their time to live, or in
-- the future because the clock went back: a living client writes another one
-- within its time to live.
DELETE FROM clients
WHERE id = ANY(ARRAY(
  SELECT dead.id
  FROM clients AS dead
  WHERE
    dead.heartbeat_at + dead.time_to_live <= now()
    OR dead.heartbeat_at > clock_timestamp() + dead.time_to_live
  FOR UPDATE SKIP LOCKED
));

-- name: rescue_jobs
-- Makes up to $1 running jobs of deleted clients available, or ends them after
-- their last attempt. Skips from client to client in the index, so that the
-- many jobs of a living client cost nothing.
WITH RECURSIVE holder (id) AS (
  (
    SELECT client_id FROM jobs
    WHERE state = 'running'
    ORDER BY client_id
    LIMIT 1
  )
  UNION ALL
  SELECT (
    SELECT j.client_id FROM jobs AS j
    WHERE j.state = 'running' AND j.client_id > holder.id
    ORDER BY j.client_id
    LIMIT 1
  )
  FROM holder
  WHERE holder.id IS NOT NULL
),

lost AS MATERIALIZED (
  SELECT jobs.ctid AS place, jobs.attempt >= jobs.max_attempts AS over
  FROM jobs
  WHERE
    jobs.state = 'running'
    AND jobs.client_id = ANY(ARRAY(
      SELECT holder.id FROM holder
      WHERE
        holder.id IS NOT NULL
        AND NOT EXISTS (SELECT FROM clients WHERE clients.id = holder.id)
    ))
  LIMIT $1
  FOR UPDATE SKIP LOCKED
),

rescued AS (
  UPDATE jobs
  SET
    state = 'available',
    client_id = NULL,
    errors = with_error(errors, attempt, 'its client died', '')
  WHERE
    ctid = ANY(ARRAY(SELECT place FROM lost WHERE NOT over))
    AND cancel_requested_at IS NULL
  RETURNING queue, scheduled_at
),

rewound AS (
  INSERT INTO job_rewinds (queue, rewound_to)
  SELECT
    queue,
    min(scheduled_at)
  FROM rescued
  GROUP BY queue
),

gone AS (
  DELETE FROM jobs
  WHERE
    ctid = ANY(ARRAY(SELECT place FROM lost))
    AND (attempt >= max_attempts OR cancel_requested_at IS NOT NULL)
  RETURNING *
),

finished AS (
  INSERT INTO jobs_finished (
    id, kind, queue, priority, state, attempt, max_attempts, client_id,
    created_at, scheduled_at, attempted_at, args, errors, tags, metadata
  )
  SELECT
    id, kind, queue, priority,
    CASE
      WHEN cancel_requested_at IS NULL THEN 'discarded' ELSE 'cancelled'
    END,
    attempt, max_attempts, client_id, created_at, scheduled_at, attempted_at,
    args,
    with_error(errors, attempt, 'its client died', ''),
    tags, metadata
  FROM gone
  RETURNING queue
)

SELECT r.queue, count(*) AS jobs, false AS over FROM rescued AS r
GROUP BY r.queue
UNION ALL
SELECT NULL, count(*), true FROM finished;

-- name: withdraw_clients
-- Removes clients after a lease of unknown outcome.
DELETE FROM clients WHERE id = ANY($1::bigint []);
