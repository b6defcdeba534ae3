-- The query of `fluxnetes squeue`.

-- name: list_squeue
-- Groups in the form of Slurm's jobs: running ones, waiting ones in the pending
-- order, provisional ones; of namespace $1, of queue $2.
SELECT s.*
FROM (
  SELECT
    g.group_id AS id,
    g.queue,
    g.group_name,
    g.namespace,
    g.shown_state,
    g.reason_kind,
    g.group_size,
    coalesce(a.nodes, '{}') AS nodes,
    a.starts_at,
    q.paused,
    CASE
      WHEN
        a.group_id IS NOT NULL
        AND g.shown_state IN ('allocated', 'bound', 'bound in part', 'ending')
        THEN 1
      ELSE 2
    END AS stage,
    g.first_in_line,
    g.priority,
    g.submitted_at
  FROM group_standing AS g
  INNER JOIN queues AS q ON q.name = g.queue
  LEFT JOIN allocations AS a ON a.group_id = g.group_id
  UNION ALL
  SELECT
    f.group_id,
    f.queue,
    f.group_name,
    f.namespace,
    'provisional',
    'provisional',
    f.group_size,
    '{}',
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
