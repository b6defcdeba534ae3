-- The queries of the work queue. Times are the database's; channels are named
-- <schema>.<channel>.
--
-- Joins look a key up as `= any(ARRAY[key])`, so that they take its index: why is
-- said above workers/queries.sql and at by_index_only in sql/connection/pool.h.

-- name: insert_jobs
-- Many jobs at once, in their order, and one notification for each queue named
-- in $10. Whoever leases builds on this: the clock is read after the transaction
-- has its id, and a time that has passed leaves a rewind.
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
-- The same for jobs without options: due now, no tags, no metadata.
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

-- name: copy_time
-- The clock, read after the transaction has its id (see insert_jobs).
SELECT CASE
  WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp()
END AS time;

-- name: rewind_queues
-- Jobs of these queues ($1) were made available that were due at $2 already.
INSERT INTO job_rewinds (queue, rewound_to)
SELECT r.queue, r.rewound_to
FROM unnest($1::text [], $2::timestamptz []) AS r (queue, rewound_to);

-- name: announce_queues
-- Wakes the workers of these queues.
SELECT pg_notify(current_schema() || '.jobs', told.queue)
FROM unnest($1::text []) AS told (queue);

-- name: complete_jobs
-- Moves completed jobs away, each if it still runs (has a client) in the attempt
-- named. Straight into the partition of their state.
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
-- Moves jobs that ended away, each if it still runs (has a client) in the
-- attempt named, with an error if there is one and metadata merged.
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
-- Jobs that failed (an error is given) or were snoozed, each if it still runs
-- (has a client) in the attempt named: to be tried later, or over, if this was
-- the last attempt or it is to be cancelled. What is available at once is so
-- from now on (see insert_jobs).
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
-- Stops leasing from a queue, if there is one of that name.
INSERT INTO job_queues (name, paused_at)
SELECT $1, now()
WHERE
  EXISTS (SELECT FROM jobs WHERE queue = $1)
  OR EXISTS (SELECT FROM job_queues WHERE name = $1)
ON CONFLICT (name) DO UPDATE
SET paused_at = coalesce(job_queues.paused_at, now())
RETURNING name;

-- name: resume_queue
-- Lets a queue run again and wakes its workers. Says whether there is one of
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
-- Up to $1 jobs whose time has come; wakes the workers of their queues.
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
-- Nobody leases by what he saw an hour ago.
DELETE FROM job_rewinds WHERE created_at < now() - interval '1 hour';

-- name: forget_dead_clients
-- Removes the clients whose heartbeat is older than their time to live, or of a
-- time that is to come, since the clock went back: one that lives writes
-- another within its time to live.
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
-- Makes up to $1 running jobs of clients that are gone available, or ends them
-- after their last attempt. Hops from client to client by the index, so that
-- the many jobs of a living one cost nothing.
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

-- name: register_client
-- A new client, alive from now on; an earlier life of it ends.
WITH earlier AS (
  DELETE FROM clients WHERE id = $3
)
INSERT INTO clients (name, time_to_live) VALUES ($1, $2::interval)
RETURNING id;

-- name: beat
-- A sign of life; no row if it comes too late.
UPDATE clients
SET heartbeat_at = now()
WHERE id = $1 AND heartbeat_at + time_to_live > now()
RETURNING id;

-- name: cancel_requests
-- The jobs of a client that it is asked to stop.
SELECT id FROM jobs
WHERE client_id = $1 AND state = 'running' AND cancel_requested_at IS NOT NULL;

-- name: release_jobs
-- Gives back what a client still holds; no attempt is burnt.
WITH released AS (
  UPDATE jobs
  SET state = 'available', client_id = NULL, max_attempts = max_attempts + 1
  WHERE client_id = $1 AND state = 'running'
  RETURNING queue, scheduled_at
),

queues AS (
  SELECT
    queue,
    min(scheduled_at) AS first
  FROM released
  GROUP BY queue
),

rewound AS (
  INSERT INTO job_rewinds (queue, rewound_to)
  SELECT queue, first FROM queues
)

SELECT pg_notify(current_schema() || '.jobs', q.queue) FROM queues AS q;

-- name: unregister_client
-- Takes a client off the list.
DELETE FROM clients WHERE id = $1;

-- name: withdraw_clients
-- Takes clients off the list whose leases nobody can tell.
DELETE FROM clients WHERE id = ANY($1::bigint []);

-- name: read_leader
-- The term, whether it is this client's, and whether its owner is alive.
SELECT
  l.term,
  l.client_id = $2 AS own,
  c.id IS NOT NULL AS alive
FROM leaders AS l
LEFT JOIN clients AS c
  ON
    c.id = l.client_id
    AND c.heartbeat_at + c.time_to_live > now()
    AND c.heartbeat_at <= clock_timestamp() + c.time_to_live
WHERE l.name = $1;

-- name: take_over
-- A new term for this client, if it is alive and no living client owns it.
INSERT INTO leaders (name, client_id)
SELECT $1, id FROM clients
WHERE id = $2 AND heartbeat_at + time_to_live > now()
ON CONFLICT (name) DO UPDATE
SET term = leaders.term + 1, client_id = excluded.client_id, acquired_at = now(),
  confirmed_at = now()
WHERE NOT EXISTS (
  SELECT FROM clients
  WHERE
    id = leaders.client_id
    AND heartbeat_at + time_to_live > now()
    AND heartbeat_at <= clock_timestamp() + time_to_live
)
RETURNING term;

-- name: take_over_together
-- New terms for this client of those of the leaderships that it has or that no
-- living client has, in order of their names, as all lock them.
INSERT INTO leaders (name, client_id)
SELECT v.name, c.id
FROM unnest($1::text []) AS v (name)
INNER JOIN clients AS c ON c.id = $2 AND c.heartbeat_at + c.time_to_live > now()
ORDER BY v.name
ON CONFLICT (name) DO UPDATE
SET term = leaders.term + 1, client_id = excluded.client_id, acquired_at = now(),
  confirmed_at = now()
WHERE
  leaders.client_id = excluded.client_id
  OR NOT EXISTS (
    SELECT FROM clients
    WHERE
      id = leaders.client_id
      AND heartbeat_at + time_to_live > now()
      AND heartbeat_at <= clock_timestamp() + time_to_live
  )
RETURNING name, term;

-- name: read_own_terms
-- Those of the leaderships that a client has.
SELECT name, term FROM leaders
WHERE name = ANY($1::text []) AND client_id = $2;

-- name: hold_term
-- Whether the term is still this client's; it stays so until the transaction
-- ends.
SELECT term FROM leaders
WHERE name = $1 AND term = $2 AND client_id = $3
FOR SHARE;

-- name: hold_terms
-- Those of the terms that are still this client's; they stay so until the
-- transaction ends.
SELECT l.name
FROM unnest($1::text [], $2::bigint []) AS v (name, term)
INNER JOIN leaders AS l ON l.name = v.name
WHERE l.term = v.term AND l.client_id = $3
ORDER BY l.name
FOR SHARE OF l;

-- name: confirm_term
-- Writes that the term is still this client's.
UPDATE leaders SET confirmed_at = now()
WHERE name = $1 AND term = $2 AND client_id = $3;

-- name: resign
-- Gives a leadership up and says so.
WITH given_up AS (
  UPDATE leaders SET client_id = NULL
  WHERE name = $1 AND client_id = $2
  RETURNING name
)
SELECT pg_notify(current_schema() || '.leaders', name) FROM given_up;

-- name: resign_together
-- Gives leaderships up, in order of their names, and says so.
WITH held AS (
  SELECT name FROM leaders
  WHERE name = ANY($1::text []) AND client_id = $2
  ORDER BY name
  FOR UPDATE
),

given_up AS (
  UPDATE leaders AS l SET client_id = NULL
  FROM held
  WHERE l.name = held.name
  RETURNING l.name
)

SELECT pg_notify(current_schema() || '.leaders', name) FROM given_up;

-- name: resign_everywhere
-- Gives all leaderships of a client up and says so.
WITH given_up AS (
  UPDATE leaders SET client_id = NULL
  WHERE client_id = $1
  RETURNING name
)
SELECT pg_notify(current_schema() || '.leaders', name) FROM given_up;

-- name: make_partitions
-- Makes the daily partitions of a table from today to $2 days on.
SELECT make_partitions($1::text::regclass, $2) AS made;

-- name: old_partitions
-- Partitions (named <table>_YYYYMMDD) that ended more than $2 days ago, with the
-- statements that remove them ($3: concurrently). A detach that was interrupted
-- comes first, since it must be finished before there can be another.
SELECT
  c.relname AS partition,
  CASE
    WHEN i.inhdetachpending
      THEN format(
        'ALTER TABLE %I.%I DETACH PARTITION %I.%I FINALIZE',
        n.nspname, $1::text, n.nspname, c.relname
      )
    WHEN i.inhrelid IS NOT NULL
      THEN format(
        'ALTER TABLE %I.%I DETACH PARTITION %I.%I%s',
        n.nspname, $1::text, n.nspname, c.relname,
        CASE WHEN $3::boolean THEN ' CONCURRENTLY' ELSE '' END
      )
  END AS detach,
  format('DROP TABLE %I.%I', n.nspname, c.relname) AS drop
FROM pg_class AS c
INNER JOIN pg_namespace AS n ON n.oid = c.relnamespace
LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
WHERE
  n.nspname = current_schema()
  AND c.relkind = 'r'
  AND c.relname ~ ('^' || $1::text || '_[0-9]{8}$')
  AND to_date(right(c.relname, 8), 'YYYYMMDD')
  < (now() AT TIME ZONE 'UTC')::date - $2::integer
ORDER BY coalesce(i.inhdetachpending, false) DESC, c.relname;
