-- The queries of `fluxnetes timeline` and GetTimeline.

-- name: list_spans
-- Running groups, groups with a reservation or drain set, and groups that will
-- start by the forecast, in this order, each by start: of namespace $1, of
-- queue $2, starting up to $3, only the group $8. At most $7, after the one with
-- stage $4, start $5 and id $6. OFFSET 0: the group of each span is looked up by its id;
-- reversed, the join would read all estimates for each group.
SELECT
  s.kind,
  s.stage,
  g.group_id AS id,
  g.namespace,
  g.group_name,
  g.group_size,
  g.queue,
  g.duration_seconds,
  s.nodes,
  s.starts_at,
  s.ends_at,
  (SELECT x.pools FROM pod_groups AS x WHERE x.id = g.group_id)::text AS pools
FROM (
  SELECT
    1 AS stage,
    'running' AS kind,
    a.group_id,
    a.nodes,
    a.starts_at,
    a.ends_at
  FROM allocations AS a
  UNION ALL
  SELECT
    2,
    CASE r.kind WHEN 'drain' THEN 'draining' ELSE 'reserved' END,
    r.group_id,
    r.nodes,
    r.starts_at,
    NULL
  FROM reservations AS r
  UNION ALL
  SELECT
    3,
    CASE WHEN e.approximate THEN 'approximate' ELSE 'forecast' END,
    e.group_id,
    '{}',
    e.starts_at,
    NULL
  FROM estimates AS e
  WHERE e.starts_at IS NOT NULL
) AS s
CROSS JOIN LATERAL (
  SELECT * FROM group_standing AS k WHERE k.group_id = s.group_id
  OFFSET 0
) AS g
WHERE
  (
    s.stage = 1
    OR (s.stage = 2 AND g.reservation IS NOT NULL)
    OR (s.stage = 3 AND g.reservation IS NULL AND g.estimate = s.kind)
  )
  AND ($1::text IS NULL OR g.namespace = $1)
  AND ($2::text IS NULL OR g.queue = $2)
  AND ($8::bigint IS NULL OR s.group_id = $8)
  AND ($3::timestamptz IS NULL OR s.starts_at IS NULL OR s.starts_at <= $3)
  AND (
    $4::integer IS NULL
    OR (s.stage, coalesce(s.starts_at, 'infinity'), g.group_id)
    > ($4, coalesce($5::timestamptz, 'infinity'), $6::bigint)
  )
ORDER BY s.stage, s.starts_at, g.group_id
LIMIT $7;

-- name: list_chart_spans
-- The same groups for a chart of all of them: of namespace $1 and of queue $2, at
-- most $3, running ones first, each kind in any order. Joins whole tables, where
-- list_spans looks up each group.
SELECT
  'running' AS kind,
  g.id,
  g.namespace,
  g.group_name,
  g.queue,
  g.group_size,
  a.starts_at,
  a.ends_at,
  g.duration_seconds,
  a.nodes
FROM allocations AS a
INNER JOIN pod_groups AS g ON a.group_id = g.id
WHERE
  ($1::text IS NULL OR g.namespace = $1)
  AND ($2::text IS NULL OR g.queue = $2)
UNION ALL
SELECT
  CASE r.kind WHEN 'drain' THEN 'draining' ELSE 'reserved' END,
  g.id,
  g.namespace,
  g.group_name,
  g.queue,
  g.group_size,
  r.starts_at,
  NULL,
  g.duration_seconds,
  r.nodes
FROM reservations AS r
INNER JOIN pod_groups AS g ON r.group_id = g.id
WHERE
  has_position(g.phase, g.cancel_reason)
  AND ($1::text IS NULL OR g.namespace = $1)
  AND ($2::text IS NULL OR g.queue = $2)
UNION ALL
SELECT
  CASE WHEN e.approximate THEN 'approximate' ELSE 'forecast' END,
  g.id,
  g.namespace,
  g.group_name,
  g.queue,
  g.group_size,
  e.starts_at,
  NULL,
  g.duration_seconds,
  '{}'
FROM estimates AS e
INNER JOIN pod_groups AS g ON e.group_id = g.id
LEFT JOIN reservations AS r ON e.group_id = r.group_id
WHERE
  e.starts_at IS NOT NULL
  AND g.cancel_reason IS NULL
  AND (
    g.phase = 'deferred'
    OR (has_position(g.phase, NULL) AND r.group_id IS NULL)
  )
  AND ($1::text IS NULL OR g.namespace = $1)
  AND ($2::text IS NULL OR g.queue = $2)
LIMIT $3;

-- name: list_span_nodes
-- Nodes, their cpu, and how much of it unmanaged pods use.
SELECT
  node_name,
  cpu_milli,
  least(unmanaged_cpu_milli, cpu_milli) AS unmanaged_cpu_milli
FROM nodes
ORDER BY node_name;

-- name: list_chart_nodes
-- Nodes, and their values of the label $1.
SELECT
  node_name,
  labels ->> $1::text AS value
FROM nodes
ORDER BY node_name;

-- name: list_span_cpu
-- The cpu that each group with an allocation, or each of the groups $1, has on
-- each node.
SELECT
  fluxion_job,
  node_name,
  sum(cpu_milli)::bigint AS cpu_milli
FROM placements
WHERE $1::bigint [] IS NULL OR fluxion_job = any($1)
GROUP BY fluxion_job, node_name;

-- name: list_span_inside
-- What the pods of groups with an allocation (stage 1) have inside of each of
-- their nodes and which devices, and those with a reservation (2) are to have; of
-- the groups $1, or of all.
SELECT
  1 AS stage,
  l.fluxion_job AS id,
  l.node_name,
  coalesce(
    array_agg(l.parts ORDER BY l.parts) FILTER (WHERE l.parts IS NOT NULL), '{}'
  ) AS parts,
  CASE
    WHEN count(l.devices) > 0 THEN device_names(array_agg(l.devices)) ELSE '{}'
  END AS devices
FROM placements AS l
WHERE
  coalesce(l.parts, l.devices) IS NOT NULL
  AND ($1::bigint [] IS NULL OR l.fluxion_job = any($1))
GROUP BY l.fluxion_job, l.node_name
UNION ALL
SELECT
  2 AS stage,
  r.group_id AS id,
  r.nodes[t.place + 1] AS node_name,
  coalesce(
    array_agg(t.parts ORDER BY t.parts) FILTER (WHERE t.parts <> ''), '{}'
  ) AS parts,
  CASE
    WHEN count(t.devices) > 0 THEN device_names(array_agg(t.devices)) ELSE '{}'
  END AS devices
FROM reservations AS r
CROSS JOIN LATERAL unnest(r.places, r.parts, r.devices)
  AS t (place, parts, devices)
WHERE concat(t.parts, t.devices) <> '' AND ($1::bigint [] IS NULL OR r.group_id = any($1))
GROUP BY r.group_id, r.nodes[t.place + 1];

-- name: list_span_maintenance
-- Node maintenance that is not over at $1.
SELECT
  node_name,
  starts_at,
  ends_at,
  reason
FROM node_maintenance
WHERE ends_at IS NULL OR ends_at > $1
ORDER BY starts_at, node_name;
