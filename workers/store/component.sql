-- The queries that read the state of a whole component: for the match worker at
-- its start, and for the forecaster and the simulator.

-- name: read_holders
-- The allocations of some queues, with a hash of their pods and nodes.
SELECT
  a.fluxion_job AS id,
  coalesce(g.namespace || '/' || g.group_name, '') AS name,
  coalesce(
    g.state IN ('allocated', 'bound') AND g.cancel_reason IS NULL, false
  ) AS stays,
  coalesce(g.preempted_for, 0) AS preempted_for,
  floor(extract(epoch FROM a.starts_at))::bigint AS starts_at,
  ceil(extract(epoch FROM a.ends_at))::bigint AS ends_at,
  l.places
FROM allocations AS a
CROSS JOIN LATERAL (
  SELECT
    bit_xor(
      hashtextextended(concat_ws(' ', p.pod_uid, p.node_name, p.parts, p.devices), 0)
    ) AS places
  FROM placements AS p
  WHERE p.fluxion_job = any(ARRAY[a.fluxion_job])
) AS l
LEFT JOIN pod_groups AS g ON g.id = any(ARRAY[a.fluxion_job])
WHERE a.queue = any($1::text []) AND l.places IS NOT NULL
ORDER BY a.fluxion_job;

-- name: read_waiting_versions
-- The waiting groups of some queues, each with a version that changes when its
-- rows are written; null if its start times depend on its pods, too.
SELECT
  g.id,
  CASE
    WHEN coalesce(g.start_after, g.start_by) IS NULL
      THEN concat_ws(' ', g.xmin, x.xmin)
  END AS version
FROM pod_groups AS g
LEFT JOIN external_groups AS x ON g.id = x.group_id
WHERE
  g.queue = any($1::text [])
  AND g.state IN ('pending', 'unsatisfiable')
  AND g.phase IS DISTINCT FROM 'recalled'
  AND g.cancel_reason IS NULL
ORDER BY g.id;
