-- The queries of clients, the processes that run jobs.

-- name: register_client
-- Registers a client, alive from now on; removes its former row.
WITH earlier AS (
  DELETE FROM clients WHERE id = $3
)
INSERT INTO clients (name, time_to_live) VALUES ($1, $2::interval)
RETURNING id;

-- name: beat
-- Writes a heartbeat; returns no row if it comes too late.
UPDATE clients
SET heartbeat_at = now()
WHERE id = $1 AND heartbeat_at + time_to_live > now()
RETURNING id;

-- name: cancel_requests
-- The jobs of a client that it was asked to stop.
SELECT id FROM jobs
WHERE client_id = $1 AND state = 'running' AND cancel_requested_at IS NOT NULL;

-- name: release_jobs
-- Gives back all jobs leased to a client; no attempt is used up.
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
-- Removes a client.
DELETE FROM clients WHERE id = $1;

-- name: resign_everywhere
-- Gives up all leaderships of a client and notifies.
WITH given_up AS (
  UPDATE leaders SET client_id = NULL
  WHERE client_id = $1
  RETURNING name
)
SELECT pg_notify(current_schema() || '.leaders', name) FROM given_up;
