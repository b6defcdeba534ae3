-- The checks of `fluxnetes doctor` that need no schema.

-- name: inspect_server
-- The server: version, clock, limits, settings that durability depends on.
SELECT
  current_setting('server_version_num')::integer AS version_number,
  current_setting('server_version') AS version,
  current_setting('max_connections')::integer AS max_connections,
  (
    SELECT count(*) FROM pg_stat_activity
    WHERE backend_type = 'client backend'
  ) AS connections,
  current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit,
  pg_is_in_recovery() AS in_recovery,
  current_user AS role,
  clock_timestamp() AS now,
  (
    SELECT max(extract(EPOCH FROM clock_timestamp() - s.xact_start))
    FROM pg_stat_activity AS s
    WHERE s.datname = current_database() AND s.state LIKE 'idle in transaction%'
  )::double precision AS oldest_idle_transaction;
