-- The query of `fluxnetes squeue`.

-- name: list_squeue
-- Groups in the form of Slurm's jobs: running ones, waiting ones in the pending
-- order, provisional ones; of namespace $1, of queue $2.
SELECT s.*
FROM (
  SELECT
    g.id,
    g.queue,
    g.group_name,
    g.namespace,
    g.state,
    g.phase,
    g.cancel_reason IS NOT NULL AS ends,
    g.group_size,
    coalesce(a.nodes, '{}') AS nodes,
    a.starts_at,
    w.kind AS wait_kind,
    q.paused,
    CASE WHEN a.group_id IS NOT NULL THEN 1 ELSE 2 END AS stage,
    g.first_in_line,
    g.priority,
    g.submitted_at
  FROM pod_groups AS g
  INNER JOIN queues AS q ON q.name = g.queue
  LEFT JOIN allocations AS a ON a.group_id = g.id
  LEFT JOIN wait_reasons AS w
    ON w.queue = g.queue
    AND w.shape = g.shape
    AND (
      w.namespace = '' OR (w.namespace = g.namespace AND w.account = g.account)
    )
  UNION ALL
  SELECT
    f.group_id,
    f.queue,
    f.group_name,
    f.namespace,
    'provisional',
    NULL,
    false,
    f.group_size,
    '{}',
    NULL,
    NULL,
    false,
    3,
    false,
    0,
    f.first_seen_at
  FROM groups_provisional AS f
) AS s
WHERE
  ($1::text IS NULL OR s.namespace = $1)
  AND ($2::text IS NULL OR s.queue = $2)
ORDER BY
  s.stage, s.queue, s.first_in_line DESC, s.priority DESC, s.submitted_at, s.id;
