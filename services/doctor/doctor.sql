-- The checks of `fluxnetes doctor` on the schema.

-- name: missing_rights
-- The privileges that the role lacks on tables of the schema, by privilege.
SELECT
  p.privilege,
  array_agg(c.relname::text ORDER BY c.relname) AS tables
FROM pg_class AS c
CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p (privilege)
WHERE
  c.relnamespace = current_schema()::regnamespace
  AND c.relkind IN ('r', 'p')
  AND NOT c.relispartition
  AND c.relname <> 'schema_migrations'
  AND NOT has_table_privilege(c.oid, p.privilege)
GROUP BY p.privilege
ORDER BY p.privilege;

-- name: inspect_clients
-- The registered clients, how many of them are alive, and the seconds since the
-- most recent heartbeat.
SELECT
  count(*) AS clients,
  count(*) FILTER (WHERE heartbeat_at + time_to_live > now()) AS alive,
  extract(EPOCH FROM now() - max(heartbeat_at))::double precision AS silent
FROM clients;

-- name: list_ownerless
-- Leaderships and queues without a live owner, except those acquired within the
-- last 10 seconds.
SELECT v.name
FROM (
  SELECT 'match:' || q.name AS name FROM queues AS q
  UNION
  SELECT o.name FROM leaders AS o
  WHERE o.name NOT LIKE 'match:%'
) AS v
LEFT JOIN leaders AS l ON l.name = v.name
LEFT JOIN clients AS c
  ON c.id = l.client_id AND c.heartbeat_at + c.time_to_live > now()
WHERE c.id IS NULL AND coalesce(now() - l.acquired_at > interval '10 seconds', true)
ORDER BY v.name;

-- name: inspect_jobs
-- Stuck jobs: leased by dead clients, failed at least 5 times, discarded within
-- a day; the longest wait of an available job in seconds; and the paused job
-- queues.
SELECT
  (
    SELECT count(*) FROM running_jobs AS r WHERE NOT r.client_alive
  ) AS orphaned,
  (
    SELECT count(*) FROM jobs AS j
    WHERE j.state = 'retryable' AND j.attempt >= 5
  ) AS failing,
  (
    SELECT count(*) FROM jobs_finished AS f
    WHERE f.state = 'discarded' AND f.finalized_at > now() - interval '1 day'
  ) AS discarded,
  (
    SELECT extract(EPOCH FROM max(s.oldest_available))::double precision
    FROM job_queue_summary AS s
    WHERE NOT s.paused AND s.queue NOT LIKE 'match:%'
  ) AS oldest_available,
  (
    SELECT array_agg(q.name ORDER BY q.name) FROM job_queues AS q
    WHERE q.paused_at IS NOT NULL
  ) AS paused;

-- name: count_partitions_ahead
-- For each table with daily partitions, the number of days from today on that
-- have a partition.
SELECT
  v.parent,
  (
    SELECT count(*)
    FROM generate_series(0, 30) AS d (day)
    WHERE
      NOT EXISTS (
        SELECT FROM generate_series(0, d.day) AS b (day)
        WHERE
          to_regclass(
            format(
              '%I.%I',
              current_schema(),
              v.parent || '_' || to_char(
                (now() AT TIME ZONE 'UTC')::date + b.day, 'YYYYMMDD'
              )
            )
          ) IS NULL
      )
  ) AS days
FROM unnest(
  ARRAY[
    'group_history', 'jobs_finished_completed', 'jobs_finished_cancelled',
    'jobs_finished_discarded'
  ]
) AS v (parent);

-- name: inspect_records
-- The number of nodes, closed nodes and queues; the paused queues, those with
-- deadline_action owner; and the kinds of differences that the resync repaired
-- within a day.
SELECT
  (SELECT count(*) FROM nodes) AS nodes,
  (SELECT count(*) FROM nodes WHERE unschedulable IS NOT NULL) AS closed,
  (SELECT count(*) FROM queues) AS queues,
  (
    SELECT array_agg(q.name ORDER BY q.name) FROM queues AS q WHERE q.paused
  ) AS paused,
  (
    SELECT array_agg(q.name ORDER BY q.name) FROM queues AS q
    WHERE q.deadline_action = 'owner'
  ) AS owners,
  (
    SELECT array_agg(r.kind ORDER BY r.kind) FROM resync_differences AS r
    WHERE r.last_found_at > now() - interval '1 day'
  ) AS healed;

-- name: inspect_autovacuum
-- Whether autovacuum runs on this server, and the tables that it leaves alone.
SELECT
  current_setting('autovacuum')::boolean
  AND current_setting('track_counts')::boolean AS runs,
  ARRAY(
    SELECT c.relname::text FROM pg_class AS c
    CROSS JOIN LATERAL pg_options_to_table(c.reloptions) AS o
    WHERE
      c.relnamespace = current_schema()::regnamespace
      AND c.relkind = 'r'
      AND o.option_name = 'autovacuum_enabled'
      AND NOT o.option_value::boolean
    ORDER BY c.relname
  ) AS left_alone;

-- name: list_old_statistics
-- Tables with old statistics, the most changed first: those of which $1 rows
-- more than there are have changed since the last ANALYZE, which is older than
-- $2; and those with $1 rows or more that were never analysed (age: null).
SELECT
  s.relname::text AS name,
  s.n_live_tup AS live,
  s.n_mod_since_analyze AS changed,
  extract(
    EPOCH FROM now() - greatest(s.last_analyze, s.last_autoanalyze)
  )::double precision AS age
FROM pg_stat_user_tables AS s
WHERE
  s.schemaname = current_schema()
  AND CASE
    WHEN greatest(s.last_analyze, s.last_autoanalyze) IS NULL
      THEN s.n_live_tup >= $1::bigint
    ELSE
      s.n_mod_since_analyze >= $1 + s.n_live_tup
      AND greatest(s.last_analyze, s.last_autoanalyze)
      < now() - $2::interval
  END
ORDER BY s.n_mod_since_analyze DESC, s.relname;
