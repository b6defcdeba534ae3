-- Links and sessions of the pages in the browser.

-- name: make_web_link
-- Adds a link with digest $1 for caller $2 with role $3, for $4 seconds.
INSERT INTO web_links (digest, caller, role, expires_at)
VALUES ($1, $2, $3, now() + make_interval(secs => $4));

-- name: drop_old_web_links
-- Removes the links that have expired.
DELETE FROM web_links
WHERE expires_at <= now();

-- name: drop_old_web_sessions
-- Removes the sessions that have expired.
DELETE FROM web_sessions
WHERE expires_at <= now();

-- name: open_web_session
-- Exchanges the link with digest $1 for a session with digest $2 of $3 seconds.
WITH link AS (
  DELETE FROM web_links
  WHERE digest = $1
  RETURNING caller, role, expires_at
)

INSERT INTO web_sessions (digest, caller, role, expires_at)
SELECT
  $2,
  l.caller,
  l.role,
  now() + make_interval(secs => $3)
FROM link AS l
WHERE l.expires_at > now()
RETURNING caller, role;

-- name: find_web_session
-- Returns the session with digest $1, unless it has expired.
SELECT
  s.caller,
  s.role,
  ceil(extract(EPOCH FROM s.expires_at - now()))::bigint AS seconds_left
FROM web_sessions AS s
WHERE s.digest = $1 AND s.expires_at > now();

-- name: end_web_session
-- Ends the session with digest $1.
DELETE FROM web_sessions
WHERE digest = $1;
