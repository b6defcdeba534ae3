-- Groups, members, jobs, nodes, queues and pools for people and programs.

-- name: places_in_line
-- The positions of those of the groups $1 that are in the pending order. Reads
-- the whole pending order.
SELECT
  p.group_id,
  p.position
FROM pending AS p
WHERE p.group_id = any($1::bigint []) AND p.position IS NOT NULL;

-- name: count_groups
-- The number of groups by state, finished ones by result: of namespace $1, of
-- queue $2, finished since $3.
SELECT
  c.state,
  count(*) AS groups
FROM (
  SELECT
    o.namespace,
    o.queue,
    coalesce(o.result, o.state) AS state
  FROM inactive_groups AS o
  WHERE o.recorded_at >= $3::timestamptz
  UNION ALL
  SELECT
    g.namespace,
    g.queue,
    g.state
  FROM pod_groups AS g
) AS c
WHERE
  ($1::text IS NULL OR c.namespace = $1)
  AND ($2::text IS NULL OR c.queue = $2)
GROUP BY c.state;

-- name: summarize_finished
-- The groups finished since $3, of namespace $1, of queue $2: their number, how
-- long they waited for their binding, and the time from the first submission to
-- the last end, in seconds.
SELECT
  count(*) AS groups,
  coalesce(sum(h.group_size), 0)::bigint AS pods,
  percentile_cont(0.5) WITHIN GROUP (
    ORDER BY extract(EPOCH FROM h.bound_at - h.submitted_at)
  ) AS wait_p50,
  percentile_cont(0.95) WITHIN GROUP (
    ORDER BY extract(EPOCH FROM h.bound_at - h.submitted_at)
  ) AS wait_p95,
  extract(EPOCH FROM max(h.ended_at) - min(h.submitted_at))::double precision
  AS makespan
FROM group_history AS h
WHERE
  h.recorded_at >= $3::timestamptz
  AND ($1::text IS NULL OR h.namespace = $1)
  AND ($2::text IS NULL OR h.queue = $2);

-- name: list_generations
-- The groups with name $2 in namespace $1, unfinished before finished, newest
-- first; only the group $3 if that is not null.
SELECT
  c.id,
  c.state,
  c.ended_at
FROM (
  SELECT
    o.group_id AS id,
    coalesce(o.result, o.state) AS state,
    o.ended_at
  FROM inactive_groups AS o
  WHERE o.namespace = $1 AND o.group_name = $2
  UNION ALL
  SELECT
    g.id,
    g.state,
    NULL
  FROM pod_groups AS g
  WHERE g.namespace = $1 AND g.group_name = $2
) AS c
WHERE $3::bigint IS NULL OR c.id = $3
ORDER BY c.ended_at IS NOT NULL, c.id DESC
LIMIT 10;

-- name: list_members
-- The pods of group $1 of pod_groups, with the present or planned node of each.
-- An elastic group also lists the pods beyond its size, an external group its
-- placements.
SELECT
  p.pod_name,
  p.state,
  coalesce(p.node_name, l.node_name) AS node_name,
  p.request,
  p.owner_kind,
  p.owner_name,
  p.created_at,
  p.bound_at,
  p.ended_at,
  CASE
    WHEN p.replaced_by IS NOT NULL THEN 'replaced'
    WHEN p.group_id <> $1 THEN 'beyond the minimum'
  END AS note,
  p.group_id <> $1 AS beyond,
  p.completion_index AS place,
  coalesce(l.parts, p.parts) AS inside,
  coalesce(l.devices, p.devices) AS devices
FROM pods AS p
LEFT JOIN placements AS l ON l.fluxion_job = p.group_id AND l.pod_uid = p.uid
WHERE
  p.group_id = any(
    $1::bigint || ARRAY(
      SELECT x.id FROM pod_groups AS x WHERE x.extends = $1
    )
  )
UNION ALL
SELECT
  l.pod_uid,
  'given out',
  l.node_name,
  e.request,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  false,
  split_part(l.pod_uid, '-', 3)::integer,
  l.parts,
  l.devices
FROM external_groups AS e
INNER JOIN placements AS l ON l.fluxion_job = e.group_id
WHERE e.group_id = $1
ORDER BY beyond, place, pod_name;

-- name: list_resource_sets
-- What the pods of group $1 hold: on which node, which amounts, and what inside
-- of the node, also as R version 1; and whether its nodes are its own.
SELECT
  coalesce(p.pod_name, l.pod_uid) AS pod_name,
  l.node_name,
  l.cpu_milli,
  l.memory_bytes,
  l.other::text AS other,
  l.parts,
  l.resource_set::text AS resource_set,
  a.whole_nodes
FROM allocations AS a
INNER JOIN placements AS l ON l.fluxion_job = a.fluxion_job
LEFT JOIN LATERAL (
  SELECT
    x.pod_name,
    x.completion_index
  FROM pods AS x
  WHERE x.uid = l.pod_uid
  OFFSET 0
) AS p ON true
WHERE a.fluxion_job = $1
ORDER BY l.node_name, p.completion_index, pod_name;

-- name: list_provisional_members
-- The pods that have arrived for a provisional group, refused ones too.
SELECT
  p.pod_name,
  CASE
    WHEN p.refused IS NOT NULL THEN 'refused'
    WHEN p.gated THEN 'gated'
    ELSE 'arrived'
  END AS state,
  NULL::text AS node_name,
  p.request,
  p.owner_kind,
  p.owner_name,
  p.created_at,
  NULL::timestamptz AS bound_at,
  NULL::timestamptz AS ended_at,
  p.refused AS note,
  NULL::text AS inside,
  NULL::text AS devices
FROM pods_provisional AS p
WHERE p.namespace = $1 AND p.group_name = $2
ORDER BY p.completion_index, p.pod_name;

-- name: list_finished_members
-- The pods of a group in group_history.
SELECT
  m.name AS pod_name,
  m.state,
  m.node AS node_name,
  NULL::jsonb AS request,
  NULL::text AS owner_kind,
  NULL::text AS owner_name,
  NULL::timestamptz AS created_at,
  NULL::timestamptz AS bound_at,
  NULL::timestamptz AS ended_at,
  NULL::text AS note,
  m.inside,
  m.devices::text AS devices
FROM group_history AS h
CROSS JOIN LATERAL jsonb_to_recordset(h.pods) AS m (
  name text, node text, state text, inside text, devices jsonb
)
WHERE h.namespace = $1 AND h.group_name = $2 AND h.group_id = $3
ORDER BY m.name;

-- name: read_report
-- What the waiting pods of group $1, which has name $3 in namespace $2 while it
-- fills, were last told, if they were told anything.
SELECT g.told_at, g.told
FROM pod_groups AS g
WHERE g.id = $1 AND g.told IS NOT NULL AND g.told_at IS NOT NULL
UNION ALL
SELECT f.told_at, f.told
FROM groups_provisional AS f
WHERE
  f.namespace = $2
  AND f.group_name = $3
  AND f.group_id = $1
  AND f.told IS NOT NULL
  AND f.told_at IS NOT NULL;

-- name: list_jobs_of_group
-- The live jobs of group $1, with its match job $2.
SELECT
  j.id,
  j.kind,
  j.queue,
  j.state,
  j.attempt,
  j.max_attempts,
  j.scheduled_at,
  j.errors -> -1 ->> 'message' AS error
FROM jobs AS j
WHERE
  j.id = $2
  OR (
    j.queue IN ('bind', 'cleanup', 'notice')
    AND j.args -> 'group' = to_jsonb($1::bigint)
  )
ORDER BY j.id;

-- name: read_whole_tables
-- Lets the planner read tables as a whole, until the transaction ends: for
-- queries that need all rows of them, which it would else join row by row.
SELECT
  set_config('enable_seqscan', 'on', true),
  set_config('enable_mergejoin', 'on', true);

-- name: list_nodes
-- Nodes, the amounts and devices in use on them, and the first maintenance of each
-- that is not over at $2; only the node $1 if that is not null. A device that pods
-- of groups and others share counts as held by groups.
SELECT
  u.*,
  n.other,
  n.labels,
  n.seen_at,
  coalesce(o.granted, '{}') AS granted_other,
  n.devices,
  coalesce(d.held, '{}') AS held_devices,
  coalesce(d.unmanaged, '{}') AS unmanaged_devices,
  m.starts_at AS maintenance_from,
  m.ends_at AS maintenance_until,
  m.reason AS maintenance_reason
FROM node_usage AS u
INNER JOIN nodes AS n ON n.node_name = u.node_name
LEFT JOIN (
  SELECT
    s.node_name,
    jsonb_object_agg(s.resource, s.amount) AS granted
  FROM (
    SELECT
      l.node_name,
      e.key AS resource,
      sum(e.value::numeric) AS amount
    FROM placements AS l
    CROSS JOIN LATERAL jsonb_each_text(l.other) AS e
    WHERE l.other IS NOT NULL
    GROUP BY l.node_name, e.key
  ) AS s
  GROUP BY s.node_name
) AS o ON o.node_name = u.node_name
LEFT JOIN (
  SELECT
    s.node_name,
    jsonb_object_agg(s.driver, s.held) FILTER (WHERE s.held > 0) AS held,
    jsonb_object_agg(s.driver, s.unmanaged) FILTER (WHERE s.unmanaged > 0)
      AS unmanaged
  FROM (
    SELECT
      c.node_name,
      c.driver,
      sum(c.held) AS held,
      sum(c.unmanaged) AS unmanaged
    FROM (
      SELECT
        l.node_name,
        e.key AS driver,
        e.value::integer AS held,
        0 AS unmanaged
      FROM placements AS l
      CROSS JOIN LATERAL jsonb_each_text(l.own_devices) AS e
      WHERE l.own_devices IS NOT NULL AND ($1::text IS NULL OR l.node_name = $1)
      UNION ALL
      SELECT
        t.node_name,
        t.driver,
        bool_or(t.of_group)::integer,
        (NOT bool_or(t.of_group))::integer
      FROM (
        SELECT
          l.node_name,
          l.devices::jsonb AS devices,
          true AS of_group
        FROM placements AS l
        WHERE l.devices IS NOT NULL AND l.own_devices IS NULL
        UNION ALL
        SELECT
          x.node_name,
          x.unmanaged_devices,
          false
        FROM nodes AS x
        WHERE x.unmanaged_devices <> '[]'
      ) AS h
      CROSS JOIN LATERAL (
        SELECT
          h.node_name,
          h.of_group,
          e.*
        FROM jsonb_to_recordset(h.devices) AS e (
          driver text, pool text, device text, admin boolean
        )
      ) AS t
      WHERE t.admin IS NOT TRUE AND ($1::text IS NULL OR h.node_name = $1)
      GROUP BY t.node_name, t.driver, t.pool, t.device
    ) AS c
    GROUP BY c.node_name, c.driver
  ) AS s
  GROUP BY s.node_name
) AS d ON d.node_name = u.node_name
LEFT JOIN LATERAL (
  SELECT
    e.starts_at,
    e.ends_at,
    e.reason
  FROM maintenance AS e
  WHERE
    (u.node_name = any(e.nodes) OR n.labels @> e.node_selector)
    AND (e.ends_at IS NULL OR e.ends_at > $2)
  ORDER BY e.starts_at, e.id
  LIMIT 1
) AS m ON true
WHERE $1::text IS NULL OR u.node_name = $1
ORDER BY u.node_name;

-- name: list_maintenance
-- Maintenance that is not over at $1, with the number of nodes and groups
-- affected; only that of node $2 if that is not null.
SELECT
  m.id,
  m.nodes,
  m.node_selector::text AS node_selector,
  m.starts_at,
  m.ends_at,
  m.reason,
  m.made_at,
  count(n.node_name) AS known_nodes,
  coalesce(sum(n.groups_in_the_way), 0)::bigint AS groups
FROM maintenance AS m
LEFT JOIN node_maintenance AS n ON n.maintenance_id = m.id
WHERE
  (m.ends_at IS NULL OR m.ends_at > $1)
  AND (
    $2::text IS NULL
    OR $2 = any(m.nodes)
    OR EXISTS (
      SELECT FROM nodes AS k
      WHERE k.node_name = $2 AND k.labels @> m.node_selector
    )
  )
GROUP BY m.id
ORDER BY m.starts_at, m.id;

-- name: list_groups_on_node
-- Groups that hold something of node $1, with what their pods hold there, then
-- those that have it reserved or in their drain set; each by start, and with its
-- devices.
SELECT
  s.kind,
  g.group_id AS id,
  g.namespace,
  g.group_name,
  g.queue,
  g.group_size,
  g.duration_seconds,
  s.starts_at,
  s.ends_at,
  s.pods,
  s.cpu_milli,
  s.memory_bytes,
  s.inside,
  s.devices
FROM (
  SELECT
    1 AS stage,
    'running' AS kind,
    a.group_id,
    a.starts_at,
    a.ends_at,
    count(*)::integer AS pods,
    sum(l.cpu_milli)::bigint AS cpu_milli,
    sum(l.memory_bytes)::bigint AS memory_bytes,
    coalesce(array_agg(l.parts ORDER BY l.parts) FILTER (WHERE l.parts <> ''), '{}')
      AS inside,
    device_names(array_agg(l.devices)) AS devices
  FROM placements AS l
  INNER JOIN allocations AS a ON a.fluxion_job = l.fluxion_job
  WHERE l.node_name = $1
  GROUP BY a.fluxion_job
  UNION ALL
  SELECT
    2,
    CASE r.kind WHEN 'drain' THEN 'draining' ELSE 'reserved' END,
    r.group_id,
    r.starts_at,
    NULL,
    0,
    0,
    0,
    '{}',
    device_names(
      ARRAY(
        SELECT t.devices
        FROM unnest(r.places, r.devices) AS t (place, devices)
        WHERE r.nodes[t.place + 1] = $1
      )
    )
  FROM reservations AS r
  WHERE $1 = any(r.nodes)
) AS s
CROSS JOIN LATERAL (
  SELECT * FROM group_standing AS k WHERE k.group_id = s.group_id
  OFFSET 0
) AS g
WHERE s.stage = 1 OR g.reservation IS NOT NULL
ORDER BY s.stage, s.starts_at, g.group_id;

-- name: list_unmanaged_devices
-- The devices that pods of other schedulers have on node $1.
SELECT
  concat_ws('/', d.driver, d.pool, d.device) AS device,
  d.namespace,
  d.pod
FROM nodes AS n
CROSS JOIN LATERAL jsonb_to_recordset(n.unmanaged_devices) AS d (
  namespace text, pod text, driver text, pool text, device text
)
WHERE n.node_name = $1
ORDER BY device, d.namespace, d.pod;

-- name: read_structure_of_node
-- What node $1 has inside.
SELECT t.structure
FROM nodes AS n
INNER JOIN node_structures AS t ON t.id = n.structure
WHERE n.node_name = $1;

-- name: list_queues
-- Scheduling queues, their settings and how many groups they have; only the
-- queue $1 if that is not null.
SELECT
  s.queue,
  s.queue_policy,
  s.match_policy,
  s.paused,
  s.provisional,
  s.pending,
  s.unsatisfiable,
  s.allocated,
  s.bound,
  s.oldest_pending,
  q.node_selector,
  q.queue_order,
  q.ageing,
  q.queue_depth,
  q.reservation_depth,
  q.deadline_action,
  q.preemption,
  q.exclusive,
  array_to_json(q.topology)::text AS topology,
  extract(EPOCH FROM q.half_life)::double precision AS half_life,
  extract(EPOCH FROM q.assumed_duration)::double precision AS assumed_duration,
  extract(EPOCH FROM q.bind_timeout)::double precision AS bind_timeout,
  extract(EPOCH FROM q.replacement_hold)::double precision AS replacement_hold
FROM queue_summary AS s
INNER JOIN queues AS q ON q.name = s.queue
WHERE $1::text IS NULL OR s.queue = $1
ORDER BY s.queue;

-- name: list_pools
-- The pools, with the groups that hold something of them or have it reserved;
-- only the pool $1 if that is not null.
SELECT
  u.pool,
  u.total,
  u.held,
  u.reserved,
  u.free,
  u.description,
  (
    SELECT
      coalesce(
        json_agg(
          json_build_object(
            'group', h.namespace || '/' || h.group_name,
            'id', h.group_id,
            'kind', h.kind,
            'amount', h.amount,
            'starts_at', extract(EPOCH FROM h.starts_at)::bigint,
            'ends_at', extract(EPOCH FROM h.ends_at)::bigint
          )
          ORDER BY h.kind, h.ends_at, h.group_id
        ),
        '[]'
      )::text
    FROM pool_holders AS h
    WHERE h.pool = u.pool
  ) AS holders
FROM pool_use AS u
WHERE $1::text IS NULL OR u.pool = $1
ORDER BY u.pool;

-- name: find_pools
-- Those of the pools $1 that exist.
SELECT
  p.name,
  p.total
FROM pools AS p
WHERE p.name = any($1::text []);

-- name: list_estimate_errors
-- The errors of estimated starts by queue, kind of estimate and horizon.
SELECT
  e.queue,
  e.estimate,
  extract(EPOCH FROM e.horizon)::bigint AS horizon,
  e.groups,
  e.mean,
  e.p50,
  e.p95,
  e.bias
FROM estimate_errors AS e
ORDER BY e.queue, e.estimate, e.horizon;
