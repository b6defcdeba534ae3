-- The queries of lists for programs.

-- name: names_of_groups
-- The unfinished groups with the ids $1, and how many unfinished groups have the
-- name of each.
WITH named AS (
  SELECT g.id, g.namespace, g.group_name
  FROM pod_groups AS g
  WHERE g.id = ANY($1::bigint [])
  UNION ALL
  SELECT f.group_id, f.namespace, f.group_name
  FROM groups_provisional AS f
  WHERE f.group_id = ANY($1::bigint [])
)

SELECT
  n.id,
  n.namespace,
  n.group_name,
  (
    SELECT count(*) FROM pod_groups AS g
    WHERE
      g.namespace = n.namespace
      AND g.group_name = n.group_name
      AND g.cancel_reason IS NULL
  ) + (
    SELECT count(*) FROM groups_provisional AS f
    WHERE f.namespace = n.namespace AND f.group_name = n.group_name
  ) AS groups
FROM named AS n;
