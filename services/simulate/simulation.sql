-- What a simulation begins with, beside what the match reads (workers). All of
-- them are run in one snapshot.

-- name: snapshot_queues
-- All scheduling queues.
SELECT name FROM queues
ORDER BY name;

-- name: snapshot_nodes
-- All nodes that are there, with what others use of them.
SELECT
  node_name,
  cpu_milli,
  memory_bytes,
  pods,
  other::text AS other,
  foreign_cpu_milli,
  foreign_memory_bytes,
  foreign_pods,
  foreign_other::text AS foreign_other,
  labels::text AS labels,
  taints::text AS taints,
  unschedulable IS NOT NULL AS closed
FROM nodes
ORDER BY node_name;

-- name: snapshot_groups
-- When groups were submitted; of pods by which elastic groups have grown, or are
-- to grow, which group that is, and whether they wait for it alone.
SELECT
  id,
  floor(extract(epoch FROM submitted_at))::bigint AS submitted,
  coalesce(extends, 0) AS extends,
  extends IS NOT NULL
  AND coalesce(held_reason = 'until its group has grown by it', false) AS waits
FROM pod_groups
ORDER BY id;
