-- Pages of groups. A page is cut by id before any details are read, so that its
-- cost does not depend on the number of groups.

-- name: page_ids
-- The ids of unfinished groups and of groups finished since $4, in order of id:
-- in namespace $1 and queue $2, in one of the states $3, with name $7, with an
-- id above $5, at most $6. `active` is true for those in pod_groups.
(
  SELECT
    g.id,
    true AS active
  FROM pod_groups AS g
  WHERE
    g.id > $5::bigint
    AND ($1::text IS NULL OR g.namespace = $1)
    AND ($2::text IS NULL OR g.queue = $2)
    AND ($3::text [] IS NULL OR g.state = any($3))
    AND ($7::text IS NULL OR g.group_name = $7)
  ORDER BY g.id
  LIMIT $6::bigint
)
UNION ALL
(
  SELECT
    f.group_id,
    false
  FROM groups_provisional AS f
  WHERE
    f.group_id > $5
    AND ($1 IS NULL OR f.namespace = $1)
    AND ($2 IS NULL OR f.queue = $2)
    AND ($3 IS NULL OR 'provisional' = any($3))
    AND ($7 IS NULL OR f.group_name = $7)
  ORDER BY f.group_id
  LIMIT $6
)
UNION ALL
(
  SELECT
    h.group_id,
    false
  FROM group_history AS h
  WHERE
    h.recorded_at >= $4::timestamptz
    AND h.group_id > $5
    AND ($1 IS NULL OR h.namespace = $1)
    AND ($2 IS NULL OR h.queue = $2)
    AND ($3 IS NULL OR 'finished' = any($3))
    AND ($7 IS NULL OR h.group_name = $7)
  ORDER BY h.group_id
  LIMIT $6
)
ORDER BY id
LIMIT $6;

-- name: read_groups
-- The groups $1 of pod_groups, and the groups $2 that are provisional or
-- finished since $3, in order of id. Positions are those of the last forecast.
SELECT
  g.group_id AS id,
  g.namespace,
  g.group_name,
  g.group_size,
  g.queue,
  g.state,
  g.phase,
  g.shown_state,
  g.has_started,
  NULL::text AS result,
  g.reason,
  g.priority,
  g.forecast_position AS position,
  g.estimated_start,
  g.estimate,
  g.rests_on,
  g.revision,
  g.duration_seconds,
  g.group_size AS arrived,
  g.submitted_at,
  g.promoted_at,
  g.allocated_at,
  g.went_back_at,
  g.bound_at,
  NULL::timestamptz AS ended_at,
  g.match_job,
  g.start_after,
  g.start_by,
  coalesce(a.nodes, '{}') AS held_nodes,
  a.ends_at AS deadline,
  g.reservation,
  g.reserved_nodes,
  p.waiting AS pods_waiting,
  p.bound AS pods_bound,
  p.succeeded AS pods_succeeded,
  p.failed AS pods_failed,
  g.extends,
  (SELECT x.group_name FROM pod_groups AS x WHERE x.id = g.extends) AS gang,
  g.max_size,
  CASE WHEN g.max_size IS NOT NULL THEN (
    SELECT count(*) FROM pod_groups AS x
    WHERE x.extends = g.group_id AND x.state = 'bound'
  ) END::integer AS grown,
  (SELECT x.pools FROM pod_groups AS x WHERE x.id = g.group_id)::text AS pools,
  g.account,
  g.priority_is_set
FROM group_standing AS g
LEFT JOIN allocations AS a ON a.group_id = g.group_id
LEFT JOIN LATERAL (
  SELECT
    count(*) FILTER (WHERE m.state = 'waiting') AS waiting,
    count(*) FILTER (WHERE m.state = 'bound') AS bound,
    count(*) FILTER (WHERE m.state = 'succeeded') AS succeeded,
    count(*) FILTER (WHERE m.state = 'failed') AS failed
  FROM pods AS m
  WHERE m.group_id = g.group_id AND m.replaced_by IS NULL
) AS p ON true
WHERE g.group_id = any($1::bigint [])
UNION ALL
SELECT
  o.group_id,
  o.namespace,
  o.group_name,
  o.group_size,
  o.queue,
  o.state,
  NULL,
  coalesce(o.result, o.state),
  o.bound_at IS NOT NULL,
  o.result,
  o.reason,
  o.priority,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  o.arrived,
  o.submitted_at,
  o.promoted_at,
  o.allocated_at,
  NULL,
  o.bound_at,
  o.ended_at,
  NULL,
  o.start_after,
  o.start_by,
  coalesce(o.nodes, '{}'),
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  CASE WHEN o.state = 'finished' THEN (
    SELECT h.pools FROM group_history AS h
    WHERE h.group_id = o.group_id AND h.recorded_at = o.recorded_at
  ) ELSE (
    SELECT p.request #> '{topology,pools}' FROM pods_provisional AS p
    WHERE
      p.namespace = o.namespace
      AND p.group_name = o.group_name
      AND p.refused IS NULL
    ORDER BY p.created_at, p.uid
    LIMIT 1
  ) END::text,
  NULL,
  o.state = 'provisional' AND o.priority IS NOT NULL
FROM inactive_groups AS o
WHERE o.group_id = any($2::bigint []) AND o.recorded_at >= $3::timestamptz
ORDER BY id;

-- name: page_refused
-- Groups of which all pods are refused, in order of namespace and name: in
-- namespace $1 and queue $2, with name $6, after name $4 of namespace $3, at
-- most $5.
SELECT
  r.namespace,
  r.group_name,
  r.queue,
  r.reason,
  r.pods::integer AS arrived,
  r.submitted_at
FROM refused_groups AS r
WHERE
  ($1::text IS NULL OR r.namespace = $1)
  AND ($2::text IS NULL OR r.queue = $2)
  AND ($6::text IS NULL OR r.group_name = $6)
  AND (r.namespace, r.group_name) > ($3::text, $4::text)
ORDER BY r.namespace, r.group_name
LIMIT $5::bigint;

-- name: read_refused
-- The refused groups with the names $2, each in the namespace at the same index
-- of $1.
SELECT
  r.namespace,
  r.group_name,
  r.queue,
  r.reason,
  r.pods::integer AS arrived,
  r.submitted_at
FROM refused_groups AS r
INNER JOIN unnest($1::text [], $2::text []) AS n (namespace, group_name)
  ON n.namespace = r.namespace AND n.group_name = r.group_name;
