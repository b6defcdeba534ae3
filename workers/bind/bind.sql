-- The queries of the binder: the members to bind of an allocated group, and the
-- results. Scheduling time is a parameter. workers/loops/groups.sql says why
-- they are written as they are.

-- name: read_members_to_bind
-- The living members of allocated groups, waiting or bound, with their place. One
-- that is replaced while it is being deleted does not count for numbers of pods.
SELECT
  g.id AS group_id,
  g.revision,
  g.state,
  (extract(epoch FROM g.allocated_at) * 1000000)::bigint AS allocated_us,
  p.uid,
  p.namespace,
  p.pod_name,
  p.resource_version,
  p.state AS pod_state,
  p.owner_uid,
  (
    p.request -> 'topology'
    || CASE
      WHEN p.replaced_by IS NULL THEN '{}' ELSE '{"uncounted": true}'
    END::jsonb
  )::text AS topology,
  coalesce(a.whole_nodes, false) AS whole_nodes,
  l.node_name,
  l.resource_set::text AS resource_set,
  l.devices
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g
  ON g.id = any(ARRAY[v.id]) AND g.state IN ('allocated', 'bound')
INNER JOIN pods AS p
  ON p.group_id = any(ARRAY[v.id]) AND p.state IN ('waiting', 'bound')
LEFT JOIN allocations AS a ON a.fluxion_job = any(ARRAY[v.id])
LEFT JOIN placements AS l
  ON l.fluxion_job = any(ARRAY[v.id]) AND l.pod_uid = any(ARRAY[p.uid])
ORDER BY v.id, p.completion_index NULLS LAST, p.created_at, p.uid;

-- name: read_revisions
-- The groups that may still be bound, with their revision.
SELECT g.id, g.revision
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
WHERE g.state IN ('allocated', 'bound');

-- name: record_bound_pods
-- Records the nodes of pods that were bound.
UPDATE pods AS p
SET state = 'bound', node_name = v.node, bound_at = $3
FROM unnest($1::text [], $2::text []) AS v (uid, node)
WHERE p.uid = any(ARRAY[v.uid]) AND p.state = 'waiting';

-- name: record_awaited
-- Records what groups ($1, $2: with their revisions) wait for before they are
-- bound ($3), as their reason; empty: nothing that people need to know.
UPDATE pod_groups AS g
SET reason = nullif(v.awaited, '')
FROM unnest($1::bigint [], $2::integer [], $3::text [])
AS v (id, revision, awaited)
WHERE
  g.id = any(ARRAY[v.id])
  AND g.revision = v.revision
  AND g.state = 'allocated'
  AND g.reason IS DISTINCT FROM nullif(v.awaited, '');

-- name: record_bound_groups
-- Marks groups without a waiting member as bound.
UPDATE pod_groups AS g
SET
  state = 'bound',
  reason = NULL,
  bound_at = coalesce(g.bound_at, $2),
  first_in_line = false
FROM unnest($1::bigint []) AS v (id)
WHERE
  g.id = any(ARRAY[v.id])
  AND g.state = 'allocated'
  AND NOT EXISTS (
    SELECT FROM pods AS p WHERE p.group_id = any(ARRAY[g.id]) AND p.state = 'waiting'
  )
RETURNING g.id;

-- name: send_groups_back
-- Returns groups to the match, unless they have changed: their waiting members
-- lose their places, bound members stay where they are. Groups of which the
-- cluster refused something ($5) may be refused again, so they do not evict
-- others any more.
WITH back AS (
  SELECT v.id, v.reason
  FROM unnest($1::bigint [], $2::text [], $3::integer [])
  AS v (id, reason, revision)
  INNER JOIN pod_groups AS g
    ON g.id = any(ARRAY[v.id])
    AND g.revision = v.revision
    AND g.state IN ('allocated', 'bound')
),

freed AS (
  DELETE FROM placements AS l
  USING pods AS p, back
  WHERE
    p.group_id = any(ARRAY[back.id])
    AND p.state <> 'bound'
    AND l.held_until IS NULL
    AND l.fluxion_job = any(ARRAY[back.id])
    AND l.pod_uid = any(ARRAY[p.uid])
),

emptied AS (
  DELETE FROM allocations AS a
  USING back
  WHERE
    a.fluxion_job = any(ARRAY[back.id])
    AND NOT EXISTS (
      SELECT FROM pods AS p
      WHERE p.group_id = any(ARRAY[back.id]) AND p.state = 'bound'
    )
)

UPDATE pod_groups AS g
SET
  state = 'pending',
  phase = 'queued',
  first_in_line = true,
  shape = waiting_shape(g.id, g.shape),
  revision = g.revision + 1,
  went_back_at = $4,
  reason = back.reason,
  preempts = g.preempts AND g.id <> all($5::bigint []),
  news_due = least(g.news_due, next_news($4, g.told_at, g.group_size, false))
FROM back
WHERE g.id = any(ARRAY[back.id])
RETURNING g.id, g.revision, g.queue;

-- name: read_bound_in_part
-- Groups that are bound in part: one of their bound pods, the milliseconds
-- since they went back, and those that their queue allows. A group that ran
-- whole once is not among them, whatever its replacements wait for, unless a
-- node rejected one of its first pods and no replacement was bound since.
SELECT
  g.id,
  (1000 * extract(EPOCH FROM $1 - g.went_back_at))::bigint AS waited,
  (1000 * extract(EPOCH FROM q.bind_timeout))::bigint AS allowed,
  p.uid
FROM queues AS q
CROSS JOIN LATERAL (
  SELECT * FROM pod_groups AS w
  WHERE
    w.queue = q.name
    AND w.state IN ('pending', 'unsatisfiable')
    AND w.first_in_line
  OFFSET 0
) AS g
CROSS JOIN LATERAL (
  SELECT m.uid FROM pods AS m
  WHERE m.group_id = any(ARRAY[g.id]) AND m.state = 'bound'
  ORDER BY m.uid || ''
  LIMIT 1
) AS p
WHERE
  g.went_back_at IS NOT NULL
  AND g.cancel_reason IS NULL
  AND (
    g.bound_at IS NULL
    OR EXISTS (
      SELECT FROM pods AS t
      WHERE
        t.group_id = any(ARRAY[g.id])
        AND t.turned_away IS NOT NULL
        AND t.bound_at <= g.bound_at
        AND NOT EXISTS (
          SELECT FROM pods AS r
          WHERE r.uid = any(ARRAY[t.replaced_by]) AND r.node_name IS NOT NULL
        )
    )
  )
ORDER BY g.id;

-- name: restart_bindings
-- Groups ($2) that have been bound in part for longer than they may be ($3, in
-- milliseconds), if they still are and no other process has handled them: their
-- time starts again. Returns their bound members, which are to be deleted so
-- that their controllers make new ones.
WITH overdue AS (
  UPDATE pod_groups AS g
  SET went_back_at = $1
  FROM unnest($2::bigint [], $3::bigint []) AS v (id, allowed)
  WHERE
    g.id = any(ARRAY[v.id])
    AND g.went_back_at + v.allowed * interval '1 millisecond' < $1
    AND g.state IN ('pending', 'unsatisfiable')
    AND g.first_in_line
    AND g.cancel_reason IS NULL
  RETURNING g.id
)

SELECT p.namespace, p.pod_name, p.uid, p.owner_uid IS NULL AS bare
FROM overdue
INNER JOIN pods AS p ON p.group_id = any(ARRAY[overdue.id])
WHERE p.state = 'bound'
ORDER BY overdue.id, p.uid;

-- name: read_devices_of_pods
-- The devices of the pods ($1) that have a placement now.
SELECT p.uid, l.devices
FROM unnest($1::text []) AS u (uid)
INNER JOIN pods AS p ON p.uid = any(ARRAY[u.uid])
INNER JOIN placements AS l
  ON l.fluxion_job = any(ARRAY[p.group_id]) AND l.pod_uid = any(ARRAY[p.uid])
WHERE l.devices IS NOT NULL;
