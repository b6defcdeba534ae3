-- The start of a simulation, except what the match worker's queries read. All
-- of them run in one snapshot.

-- name: snapshot_queues
-- All scheduling queues.
SELECT name FROM queues
ORDER BY name;

-- name: snapshot_nodes
-- All nodes, with the amounts that unmanaged pods use.
SELECT
  node_name,
  cpu_milli,
  memory_bytes,
  pods,
  other::text AS other,
  unmanaged_cpu_milli,
  unmanaged_memory_bytes,
  unmanaged_pods,
  unmanaged_other::text AS unmanaged_other,
  occupants,
  labels::text AS labels,
  taints::text AS taints,
  unschedulable IS NOT NULL AS closed,
  structure,
  topology_policy
FROM nodes
ORDER BY node_name;

-- name: snapshot_structures
-- What nodes have inside, each once.
SELECT
  id,
  structure
FROM node_structures
WHERE id IN (SELECT n.structure FROM nodes AS n);

-- name: snapshot_groups
-- The submission time of each group; for a pod beyond the size of an elastic
-- group also that group, and whether the pod is held only until the group has
-- grown.
SELECT
  id,
  floor(extract(epoch FROM submitted_at))::bigint AS submitted,
  coalesce(extends, 0) AS extends,
  extends IS NOT NULL
  AND coalesce(held_reason = 'until its group has grown by it', false) AS waits
FROM pod_groups
ORDER BY id;
