-- The queries of groups that stay incomplete. Scheduling time is a parameter.

-- name: claim_stalled_groups
-- Claims at most $2 incomplete groups whose pods have not changed for a while,
-- and puts them off: each time for as long as nothing has changed, from 5
-- seconds to 5 minutes. Returns also the controllers that made all pods of the
-- last complete group of the name.
WITH due AS MATERIALIZED (
  SELECT g.namespace, g.group_name
  FROM groups_provisional AS g
  WHERE
    g.makers_due <= $1
    AND g.members < g.group_size
    AND g.rest_size IS NULL
  ORDER BY g.makers_due
  LIMIT $2
  FOR UPDATE SKIP LOCKED
)

UPDATE groups_provisional AS g
SET
  makers_due = $1::timestamptz + greatest(
    least($1 - g.changed_at, interval '5 minutes'), interval '5 seconds'
  )
FROM due AS d
WHERE g.namespace = any(ARRAY[d.namespace]) AND g.group_name = d.group_name
RETURNING
  g.namespace,
  g.group_name,
  g.group_size,
  g.members,
  g.changed_at,
  coalesce(
    g.makers,
    (
      SELECT h.makers FROM group_history AS h
      WHERE
        h.namespace = any(ARRAY[g.namespace])
        AND h.group_name = g.group_name
        AND h.makers IS NOT NULL
      ORDER BY h.group_id DESC
      LIMIT 1
    )
  ) AS made_by;

-- name: read_stalled_pods
-- The controllers of the pods of these groups ($1, $2), with the group's number
-- in this list, how many pods each has, and how many in complete groups.
SELECT
  v.place,
  p.owner_kind,
  p.owner_name,
  p.owner_uid,
  count(*)::integer AS pods,
  (
    SELECT count(*)::integer
    FROM pods AS m
    WHERE
      m.owner_uid = any(ARRAY[p.owner_uid]) AND m.state IN ('waiting', 'bound')
  ) AS elsewhere
FROM unnest($1::text [], $2::text [])
WITH ORDINALITY AS v (namespace, group_name, place)
INNER JOIN pods_provisional AS p
  ON p.namespace = any(ARRAY[v.namespace]) AND p.group_name = v.group_name
WHERE p.refused IS NULL
GROUP BY v.place, p.owner_kind, p.owner_name, p.owner_uid
ORDER BY v.place, p.owner_kind, p.owner_name, p.owner_uid;

-- name: settle_stalled_groups
-- Records of groups ($1, $2) with how many pods they start ($4), or why they
-- may never be complete ($5), unless their pods have changed since ($3).
-- Returns those that start, each with its first pod.
WITH settled AS (
  UPDATE groups_provisional AS g
  SET
    rest_size = v.rest_size,
    short_reason = v.reason,
    news_due = CASE
      WHEN v.rest_size IS NOT NULL THEN NULL
      WHEN v.reason IS NOT DISTINCT FROM g.short_reason THEN g.news_due
      ELSE least(
        g.news_due, next_news($6, g.told_at, g.group_size, true)
      )
    END
  FROM unnest(
    $1::text [], $2::text [], $3::timestamptz [], $4::integer [], $5::text []
  ) AS v (namespace, group_name, changed_at, rest_size, reason)
  WHERE
    g.namespace = any(ARRAY[v.namespace])
    AND g.group_name = v.group_name
    AND g.changed_at = v.changed_at
    AND g.members < g.group_size
  RETURNING g.*, v.reason
)

SELECT
  s.namespace,
  s.group_name,
  s.group_size,
  s.rest_size,
  s.reason,
  p.uid,
  p.pod_name,
  p.created_at
FROM settled AS s
CROSS JOIN LATERAL (
  SELECT f.uid, f.pod_name, f.created_at
  FROM pods_provisional AS f
  WHERE
    f.namespace = any(ARRAY[s.namespace])
    AND f.group_name = s.group_name
    AND f.refused IS NULL
    AND NOT f.gated
  ORDER BY f.completion_index NULLS LAST, f.created_at, f.uid
  LIMIT 1
) AS p
WHERE s.rest_size IS NOT NULL;
