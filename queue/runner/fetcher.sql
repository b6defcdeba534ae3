-- The queries of the fetcher.

-- name: held_jobs
-- The jobs leased to a client.
SELECT id, attempt FROM jobs WHERE client_id = $1 AND state = 'running';
