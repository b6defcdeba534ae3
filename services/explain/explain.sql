-- The queries of `fluxnetes explain group` that `describe` does not need.

-- name: list_before
-- The groups of queue $1 ahead of position $2 in the pending order, in that
-- order, at most $3.
SELECT
  p.namespace,
  p.group_name,
  p.group_size,
  p.position,
  p.phase,
  p.shown_state,
  p.estimated_start,
  p.estimate
FROM pending AS p
WHERE p.queue = $1 AND p.position < $2
ORDER BY p.position
LIMIT $3::bigint;

-- name: list_reserved_before
-- The nodes reserved in queue $1 for groups ahead of position $2, each with one
-- of these groups.
SELECT
  n.node_name,
  min(p.namespace || '/' || p.group_name) AS group_name
FROM pending AS p
INNER JOIN reservations AS r ON r.group_id = p.group_id
CROSS JOIN LATERAL unnest(r.nodes) AS n (node_name)
WHERE p.queue = $1 AND p.position < $2
GROUP BY n.node_name;

-- name: list_closed_nodes
-- The nodes that accept no pods, with the reason.
SELECT
  node_name,
  unschedulable
FROM nodes
WHERE unschedulable IS NOT NULL;

-- name: list_holders
-- The groups besides $3 with an allocation on any of the nodes $1, in the order
-- of their ends, at most $2; and how many there are in all, and how many without
-- an end.
SELECT
  g.namespace,
  g.group_name,
  a.ends_at,
  count(*) OVER () AS holders,
  count(*) FILTER (WHERE a.ends_at IS NULL) OVER () AS endless
FROM allocations AS a
INNER JOIN pod_groups AS g ON g.id = a.group_id
WHERE a.nodes && $1::text [] AND a.group_id <> $3::bigint
ORDER BY a.ends_at, g.id
LIMIT $2::bigint;

-- name: list_pools_of_group
-- The pools that group $1 needs: how much of them is free, and the holder that
-- ends first.
SELECT
  k.key AS pool,
  k.value::bigint AS needs,
  u.total,
  u.free,
  h.holder,
  h.ends_at
FROM pod_groups AS g
CROSS JOIN LATERAL jsonb_each_text(g.pools) AS k
LEFT JOIN pool_use AS u ON u.pool = k.key
LEFT JOIN LATERAL (
  SELECT o.namespace || '/' || o.group_name AS holder, o.ends_at
  FROM pool_holders AS o
  WHERE o.pool = k.key AND o.kind = 'held' AND o.group_id <> g.id
  ORDER BY o.ends_at, o.group_id
  LIMIT 1
) AS h ON true
WHERE g.id = $1
ORDER BY k.key;
