-- The queries of what runs jobs.

-- name: held_jobs
-- What a client holds.
SELECT id, attempt FROM jobs WHERE client_id = $1 AND state = 'running';
