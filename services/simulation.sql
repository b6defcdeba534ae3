-- What a simulation begins with: the state of the scheduler as it stands in the
-- database. All of them are run in one snapshot.

-- name: snapshot_queues
-- All scheduling queues, their settings as edit_queue takes them.
SELECT
  name,
  jsonb_build_object(
    'node_selector', node_selector,
    'queue_policy', queue_policy,
    'queue_order', queue_order,
    'ageing', ageing,
    'half_life', (extract(epoch FROM half_life) * 1000)::bigint || ' milliseconds',
    'match_policy', match_policy,
    'queue_depth', queue_depth,
    'reservation_depth', reservation_depth,
    'paused', paused,
    'assumed_duration',
    (extract(epoch FROM assumed_duration) * 1000)::bigint || ' milliseconds'
  )::text AS settings
FROM queues
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
  labels::text AS labels,
  unschedulable IS NOT NULL AS closed
FROM nodes
ORDER BY node_name;

-- name: snapshot_held
-- What groups hold, a row for each pod.
SELECT
  a.fluxion_job AS id,
  coalesce(g.namespace, '') AS namespace,
  coalesce(g.group_name, a.fluxion_job::text) AS group_name,
  coalesce(g.priority, 0) AS priority,
  a.queue,
  floor(extract(epoch FROM coalesce(g.submitted_at, a.starts_at)))::bigint
    AS submitted,
  floor(extract(epoch FROM a.starts_at))::bigint AS starts_at,
  ceil(extract(epoch FROM a.ends_at))::bigint AS ends_at,
  p.node_name,
  p.cpu_milli,
  p.memory_bytes,
  p.other::text AS other
FROM allocations AS a
INNER JOIN placements AS p ON p.fluxion_job = any(ARRAY[a.fluxion_job])
LEFT JOIN pod_groups AS g ON g.id = any(ARRAY[a.fluxion_job])
ORDER BY a.fluxion_job, p.cpu_milli, p.memory_bytes, p.other, p.pod_uid;

-- name: snapshot_waiting
-- Groups that wait and hold nothing, a row for each pod.
SELECT
  g.id,
  g.namespace,
  g.group_name,
  g.priority,
  g.queue,
  g.first_in_line,
  floor(extract(epoch FROM g.submitted_at))::bigint AS submitted,
  g.duration_seconds,
  p.request::text AS request
FROM pod_groups AS g
INNER JOIN pods AS p ON p.group_id = any(ARRAY[g.id])
WHERE
  g.state IN ('pending', 'unsatisfiable')
  AND g.cancel_reason IS NULL
  AND p.state = 'waiting'
  AND NOT EXISTS (
    SELECT FROM allocations AS a WHERE a.fluxion_job = any(ARRAY[g.id])
  )
ORDER BY g.submitted_at, g.id, p.request::text, p.uid;
