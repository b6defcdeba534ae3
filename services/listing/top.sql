-- The queries of `fluxnetes top`.

-- name: top_nodes
-- Nodes with the amounts in use and the number of groups on them, the fullest
-- first.
SELECT
  u.node_name,
  u.unschedulable,
  u.cpu_milli,
  least(u.granted_cpu_milli + u.unmanaged_cpu_milli, u.cpu_milli) AS used_cpu_milli,
  u.memory_bytes,
  least(
    u.granted_memory_bytes + u.unmanaged_memory_bytes, u.memory_bytes
  ) AS used_memory_bytes,
  u.granted_pods + u.unmanaged_pods AS used_pods,
  u.pods,
  coalesce(h.groups, 0) AS groups
FROM node_usage AS u
LEFT JOIN (
  SELECT
    node_name,
    count(DISTINCT fluxion_job) AS groups
  FROM placements
  GROUP BY node_name
) AS h ON h.node_name = u.node_name
ORDER BY
  greatest(
    (u.granted_cpu_milli + u.unmanaged_cpu_milli)::double precision
    / nullif(u.cpu_milli, 0),
    (u.granted_memory_bytes + u.unmanaged_memory_bytes)::double precision
    / nullif(u.memory_bytes, 0)
  ) DESC NULLS LAST,
  u.node_name;

-- name: top_groups
-- Groups with their allocations: of namespace $1, of queue $2, at most $3.
-- Those with the largest share of the cluster's cpu or memory come first.
WITH cluster AS (
  SELECT
    sum(cpu_milli)::double precision AS cpu_milli,
    sum(memory_bytes)::double precision AS memory_bytes
  FROM nodes
),

held AS (
  SELECT
    l.fluxion_job,
    count(*) AS pods,
    count(DISTINCT l.node_name) AS nodes,
    sum(l.cpu_milli)::bigint AS cpu_milli,
    sum(l.memory_bytes)::bigint AS memory_bytes
  FROM placements AS l
  GROUP BY l.fluxion_job
)

SELECT
  g.group_id AS id,
  g.namespace,
  g.group_name,
  g.queue,
  g.state,
  g.shown_state,
  h.pods,
  h.nodes,
  h.cpu_milli,
  h.memory_bytes,
  a.starts_at,
  a.ends_at,
  greatest(
    h.cpu_milli / nullif(c.cpu_milli, 0),
    h.memory_bytes / nullif(c.memory_bytes, 0)
  ) AS share
FROM held AS h
INNER JOIN allocations AS a ON a.fluxion_job = h.fluxion_job
INNER JOIN group_standing AS g ON g.group_id = a.group_id
CROSS JOIN cluster AS c
WHERE
  ($1::text IS NULL OR g.namespace = $1)
  AND ($2::text IS NULL OR g.queue = $2)
ORDER BY share DESC NULLS LAST, g.group_id
LIMIT $3::bigint;
