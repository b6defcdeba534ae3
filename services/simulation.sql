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
    (extract(epoch FROM assumed_duration) * 1000)::bigint || ' milliseconds',
    'preemption', preemption
  )::text AS settings
FROM queues
ORDER BY name;

-- name: snapshot_nodes
-- All nodes that are there, with what others use of them. One in maintenance
-- without an end ($1: now) takes nothing, as one that is cordoned.
SELECT
  n.node_name,
  n.cpu_milli,
  n.memory_bytes,
  n.pods,
  n.other::text AS other,
  n.foreign_cpu_milli,
  n.foreign_memory_bytes,
  n.foreign_pods,
  n.foreign_other::text AS foreign_other,
  n.labels::text AS labels,
  n.unschedulable IS NOT NULL
  OR EXISTS (
    SELECT FROM maintenance AS m
    WHERE
      (n.node_name = any(m.nodes) OR n.labels @> m.node_selector)
      AND m.starts_at <= to_timestamp($1::bigint)
      AND m.ends_at IS NULL
  ) AS closed
FROM nodes AS n
ORDER BY n.node_name;

-- name: snapshot_held
-- What groups hold, a row for each pod.
SELECT
  a.fluxion_job AS id,
  coalesce(g.namespace, '') AS namespace,
  coalesce(g.group_name, a.fluxion_job::text) AS group_name,
  coalesce(g.account, '') AS account,
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
-- Groups that wait and hold nothing, a row for each pod. Those that are held are
-- left out; one that may not start before a time comes then.
SELECT
  g.id,
  g.namespace,
  g.group_name,
  g.account,
  g.priority,
  g.queue,
  g.first_in_line,
  greatest(
    floor(extract(epoch FROM g.submitted_at)),
    ceil(extract(epoch FROM g.start_after))
  )::bigint AS submitted,
  g.duration_seconds,
  p.request::text AS request
FROM pod_groups AS g
INNER JOIN pods AS p ON p.group_id = any(ARRAY[g.id])
WHERE
  g.state IN ('pending', 'unsatisfiable')
  AND g.cancel_reason IS NULL
  AND g.phase IS DISTINCT FROM 'held'
  AND p.state = 'waiting'
  AND NOT EXISTS (
    SELECT FROM allocations AS a WHERE a.fluxion_job = any(ARRAY[g.id])
  )
ORDER BY g.submitted_at, g.id, p.request::text, p.uid;
