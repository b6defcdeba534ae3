-- Leases of jobs; low_water_mark.h explains why the marks are exact.

-- name: lease_jobs
-- Leases the first jobs of a queue to a client, if the client is alive and the
-- queue is not paused. Skips jobs that others are leasing at the moment. The
-- scan starts at the marks, $4 to $7 by priority, or at the earliest rewind
-- that the snapshot $8 did not show.
UPDATE jobs
SET
  state = 'running',
  attempt = attempt + 1,
  client_id = $2,
  attempted_at = now()
WHERE ctid = ANY(ARRAY(
  SELECT first.ctid
  FROM (
    VALUES
    (1::smallint, $4::timestamptz),
    (2::smallint, $5::timestamptz),
    (3::smallint, $6::timestamptz),
    (4::smallint, $7::timestamptz)
  ) AS level (priority, mark)
  CROSS JOIN LATERAL (
    SELECT j.ctid
    FROM jobs AS j
    WHERE
      j.queue = $1
      AND j.state = 'available'
      AND j.priority = level.priority
      AND j.scheduled_at >= least(
        coalesce(level.mark, '-infinity'),
        (
          SELECT min(r.rewound_to) FROM job_rewinds AS r
          WHERE
            r.queue = $1
            AND r.transaction_id >= pg_snapshot_xmin($8::text::pg_snapshot)
            AND NOT pg_visible_in_snapshot(
              r.transaction_id, $8::text::pg_snapshot
            )
        )
      )
      AND EXISTS (
        SELECT FROM clients AS c
        WHERE c.id = $2 AND c.heartbeat_at + c.time_to_live > now()
      )
      AND NOT EXISTS (
        SELECT FROM job_queues AS q
        WHERE q.name = $1 AND q.paused_at IS NOT NULL
      )
    ORDER BY j.scheduled_at, j.id
    LIMIT $3
    FOR UPDATE SKIP LOCKED
  ) AS first
  LIMIT $3
))
RETURNING
  id, kind, queue, args, priority, attempt, max_attempts, created_at,
  scheduled_at, attempted_at, metadata, tags,
  jsonb_array_length(errors) AS failures;

-- name: glance_at_queue
-- A glance: the time, then an id and a snapshot, and what the snapshot shows:
-- the first available job of each priority from the marks $2 to $5 on, and the
-- earliest rewind by transactions that the snapshot $6 did not show.
SELECT
  pg_postmaster_start_time()::text AS server,
  statement_timestamp() AS time,
  pg_current_snapshot()::text AS snapshot,
  (
    SELECT j.scheduled_at FROM jobs AS j
    WHERE
      j.queue = $1 AND j.state = 'available' AND j.priority = 1
      AND j.scheduled_at >= coalesce($2::timestamptz, '-infinity')
    ORDER BY j.scheduled_at, j.id
    LIMIT 1
  ) AS first_1,
  (
    SELECT j.scheduled_at FROM jobs AS j
    WHERE
      j.queue = $1 AND j.state = 'available' AND j.priority = 2
      AND j.scheduled_at >= coalesce($3::timestamptz, '-infinity')
    ORDER BY j.scheduled_at, j.id
    LIMIT 1
  ) AS first_2,
  (
    SELECT j.scheduled_at FROM jobs AS j
    WHERE
      j.queue = $1 AND j.state = 'available' AND j.priority = 3
      AND j.scheduled_at >= coalesce($4::timestamptz, '-infinity')
    ORDER BY j.scheduled_at, j.id
    LIMIT 1
  ) AS first_3,
  (
    SELECT j.scheduled_at FROM jobs AS j
    WHERE
      j.queue = $1 AND j.state = 'available' AND j.priority = 4
      AND j.scheduled_at >= coalesce($5::timestamptz, '-infinity')
    ORDER BY j.scheduled_at, j.id
    LIMIT 1
  ) AS first_4,
  (
    SELECT min(r.rewound_to) FROM job_rewinds AS r
    WHERE
      r.queue = $1
      AND r.transaction_id >= pg_snapshot_xmin($6::text::pg_snapshot)
      AND NOT pg_visible_in_snapshot(r.transaction_id, $6::text::pg_snapshot)
  ) AS rewound_to,
  pg_current_xact_id()::text AS transaction;

-- name: use_queue
-- Notes that a queue is in use by workers.
INSERT INTO job_queues (name) VALUES ($1)
ON CONFLICT (name) DO UPDATE SET used_at = now();
