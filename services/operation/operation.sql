-- The overview of the work, and the state of the replicas.

-- name: count_overview
-- Unfinished groups by state, groups that ended since $1 by result, nodes,
-- paused queues and jobs that fail.
SELECT
  g.pending,
  g.unsatisfiable,
  g.allocated,
  g.bound,
  h.succeeded,
  h.failed,
  (SELECT count(*) FROM groups_provisional) AS provisional,
  (SELECT count(*) FROM nodes) AS nodes,
  (SELECT count(*) FROM nodes AS n WHERE n.unschedulable IS NOT NULL) AS closed_nodes,
  ARRAY(
    SELECT q.name FROM queues AS q
    WHERE q.paused
    ORDER BY q.name
  ) AS paused_queues,
  (
    SELECT count(*) FROM jobs AS j
    WHERE j.state = 'retryable' AND j.attempt >= 5
  ) AS failing_jobs
FROM (
  SELECT
    count(*) FILTER (WHERE state = 'pending') AS pending,
    count(*) FILTER (WHERE state = 'unsatisfiable') AS unsatisfiable,
    count(*) FILTER (WHERE state = 'allocated') AS allocated,
    count(*) FILTER (WHERE state = 'bound') AS bound
  FROM pod_groups
) AS g
CROSS JOIN (
  SELECT
    count(*) FILTER (WHERE result = 'succeeded') AS succeeded,
    count(*) FILTER (WHERE result <> 'succeeded') AS failed
  FROM group_history
  WHERE recorded_at >= $1::timestamptz
) AS h;

-- name: list_longest_waiting
-- The $1 pending groups whose first pods are the oldest.
WITH oldest AS MATERIALIZED (
  SELECT
    g.id,
    g.submitted_at
  FROM pod_groups AS g
  WHERE g.state = 'pending'
  ORDER BY g.submitted_at, g.id
  LIMIT $1::bigint
)

SELECT
  s.group_id,
  s.namespace,
  s.group_name,
  s.queue,
  s.group_size,
  s.reason AS note,
  o.submitted_at AS at
FROM oldest AS o
INNER JOIN group_standing AS s ON s.group_id = o.id
ORDER BY o.submitted_at, o.id;

-- name: list_next_starts
-- The $1 waiting groups whose estimated starts are the earliest.
WITH next AS MATERIALIZED (
  SELECT
    e.group_id AS id,
    e.starts_at
  FROM estimates AS e
  CROSS JOIN LATERAL (
    SELECT
    FROM pod_groups AS g
    WHERE g.id = e.group_id AND g.state = 'pending'
    OFFSET 0
  ) AS pending
  WHERE e.starts_at IS NOT NULL
  ORDER BY e.starts_at, e.group_id
  LIMIT $1::bigint
)

SELECT
  s.group_id,
  s.namespace,
  s.group_name,
  s.queue,
  s.group_size,
  s.rests_on AS note,
  coalesce(s.estimated_start, n.starts_at) AS at
FROM next AS n
CROSS JOIN LATERAL (
  SELECT
    x.group_id,
    x.namespace,
    x.group_name,
    x.queue,
    x.group_size,
    x.rests_on,
    x.estimated_start
  FROM group_standing AS x
  WHERE x.group_id = n.id
  OFFSET 0
) AS s
ORDER BY n.starts_at, n.id;

-- name: describe_database
-- The server, its clock, and the size of this database.
SELECT
  current_setting('server_version') AS version,
  current_schema()::text AS schema,
  (SELECT max(m.version) FROM schema_migrations AS m)::integer AS migration,
  pg_database_size(current_database()) AS size_bytes,
  (
    SELECT count(*) FROM pg_stat_activity
    WHERE backend_type = 'client backend'
  )::integer AS connections,
  current_setting('max_connections')::integer AS max_connections,
  clock_timestamp() AS now;

-- name: list_replicas
-- Registered clients, those alive first, with the number of their leases.
SELECT
  c.id,
  c.name,
  c.started_at,
  c.heartbeat_at,
  c.heartbeat_at + c.time_to_live > clock_timestamp() AS alive,
  (
    SELECT count(*) FROM jobs AS j
    WHERE j.client_id = c.id AND j.state = 'running'
  ) AS leases
FROM clients AS c
ORDER BY alive DESC, c.id;

-- name: list_leaderships
-- All leaderships, and who leads: a client that is alive, or null.
SELECT
  l.name,
  l.term,
  c.id AS replica,
  l.acquired_at
FROM leaders AS l
LEFT JOIN clients AS c
  ON c.id = l.client_id AND c.heartbeat_at + c.time_to_live > clock_timestamp()
ORDER BY l.name;
