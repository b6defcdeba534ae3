-- The queries of lists for programs.

-- name: list_audit
-- Changes of object $1, by caller $2, with verb $3, with $4 (in lower case) in
-- object or detail, with an id below $5, the newest first, at most $6.
SELECT
  a.id,
  a.at,
  a.caller,
  a.role,
  a.via,
  a.verb,
  a.object,
  a.detail,
  a.outcome
FROM audit AS a
WHERE
  ($1::text IS NULL OR a.object = $1)
  AND ($2::text IS NULL OR a.caller = $2)
  AND ($3::text IS NULL OR a.verb = $3)
  AND (
    $4::text IS NULL
    OR strpos(lower(a.object || ' ' || coalesce(a.detail, '')), $4) > 0
  )
  AND ($5::bigint IS NULL OR a.id < $5)
ORDER BY a.id DESC
LIMIT $6::bigint;

-- name: names_of_groups
-- The unfinished groups with the ids $1, and how many unfinished groups have the
-- name of each. Reads all filling groups, which have no index by id.
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
