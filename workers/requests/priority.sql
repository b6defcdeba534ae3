-- The queries of priorities that users set.

-- name: read_priorities
-- The unfinished groups of name $2 in namespace $1: whether each waits, and the
-- priority of its pods.
SELECT
  g.state IN ('pending', 'unsatisfiable') AND g.extends IS NULL AS waits,
  coalesce(g.pods_priority, g.priority) AS of_pods
FROM pod_groups AS g
WHERE g.namespace = $1 AND g.group_name = $2 AND g.cancel_reason IS NULL
UNION ALL
SELECT
  true,
  f.pods_priority
FROM groups_provisional AS f
WHERE f.namespace = $1 AND f.group_name = $2;

-- name: set_filling_priority
-- Gives the filling group of this name the priority $3; null: that of its pods.
UPDATE groups_provisional AS g
SET set_priority = $3::integer
WHERE g.namespace = $1 AND g.group_name = $2;

-- name: set_priorities
-- Gives the waiting groups of this name the priority $3; null: that of their
-- pods. Their match owner reads them again.
WITH changed AS (
  UPDATE pod_groups AS g
  SET
    priority = coalesce($3::integer, g.pods_priority, g.priority),
    pods_priority = CASE
      WHEN $3 IS NOT NULL THEN coalesce(g.pods_priority, g.priority)
    END
  WHERE
    g.namespace = $1
    AND g.group_name = $2
    AND g.cancel_reason IS NULL
    AND g.extends IS NULL
    AND g.state NOT IN ('allocated', 'bound')
  RETURNING g.id, g.queue, g.priority
),

told AS (
  INSERT INTO match_inbox (queue, news, group_id)
  SELECT c.queue, 'changed', c.id FROM changed AS c
)

SELECT
  c.priority,
  pg_notify(current_schema() || '.match', 'priority') AS told
FROM changed AS c
ORDER BY c.id;
