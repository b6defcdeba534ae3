-- The queries of leaderships, and of the leases that a new leader takes over.

-- name: take_leases_over
-- Transfers the jobs that others have leased from queues ($1) to a client, if
-- it is alive, in a new attempt; no attempt is used up.
UPDATE jobs
SET
  attempt = attempt + 1,
  max_attempts = max_attempts + 1,
  client_id = c.id,
  attempted_at = now()
FROM clients AS c
WHERE
  c.id = $2
  AND c.heartbeat_at + c.time_to_live > now()
  AND jobs.state = 'running'
  AND jobs.client_id <> c.id
  AND jobs.queue = ANY($1::text []);

-- name: read_leader
-- The term, whether it belongs to this client, and whether its owner is alive.
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
-- Starts a new term for this client, if it is alive and no living client leads.
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
-- Starts new terms for this client of those leaderships that it has or that no
-- living client has. Locks in order of name, as all statements do.
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
-- The leaderships, of those named, that a client has.
SELECT name, term FROM leaders
WHERE name = ANY($1::text []) AND client_id = $2;

-- name: hold_term
-- Returns a row if the term is still this client's, and locks it until the
-- transaction ends.
SELECT term FROM leaders
WHERE name = $1 AND term = $2 AND client_id = $3
FOR SHARE;

-- name: hold_terms
-- Returns the terms that are still this client's, and locks them until the
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
-- Gives up a leadership and notifies.
WITH given_up AS (
  UPDATE leaders SET client_id = NULL
  WHERE name = $1 AND client_id = $2
  RETURNING name
)
SELECT pg_notify(current_schema() || '.leaders', name) FROM given_up;

-- name: resign_together
-- Gives up leaderships, in order of name, and notifies.
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
