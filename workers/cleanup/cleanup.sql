-- The queries of cleanup: groups that end, and the places that they release.
-- Scheduling time is a parameter. workers/loops/groups.sql says why they are
-- written as they are.

-- name: read_due_groups
-- Groups with places that were held for a replacement that did not come in
-- time.
SELECT DISTINCT fluxion_job + 0 AS id FROM placements
WHERE held_until <= $1
LIMIT 1000;

-- name: read_overdue_groups
-- Groups that have passed their deadline. (A group that released all its places
-- and waits to be placed again has no deadline until then.) OFFSET 0 makes the
-- planner look up each group by itself: few are overdue, and many run.
SELECT a.group_id AS id
FROM allocations AS a
WHERE
  a.ends_at <= $1
  AND EXISTS (
    SELECT FROM placements AS l WHERE l.fluxion_job = any(ARRAY[a.fluxion_job])
    OFFSET 0
  )
  AND (
    EXISTS (
      SELECT FROM pods AS p
      WHERE p.group_id = any(ARRAY[a.group_id]) AND p.state IN ('waiting', 'bound')
      OFFSET 0
    )
    OR EXISTS (
      SELECT FROM external_groups AS e WHERE e.group_id = any(ARRAY[a.group_id])
      OFFSET 0
    )
  )
ORDER BY a.ends_at
LIMIT 1000;

-- name: read_cancelled_groups
-- The groups among these that are cancelled.
SELECT g.id
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
WHERE g.cancel_reason IS NOT NULL;

-- name: read_members_to_delete
-- The living members of groups, and what to delete according to their queue. Of
-- evicted groups only the pods are deleted, so that their controllers make new
-- ones.
SELECT
  p.group_id,
  p.namespace,
  p.pod_name,
  p.uid,
  p.owner_kind,
  p.owner_name,
  p.owner_uid,
  CASE WHEN g.comes_again THEN g.cancel_reason END AS preempted,
  g.told IS NOT DISTINCT FROM 'preempted' AS told,
  CASE
    WHEN g.comes_again THEN 'pods' ELSE q.deadline_action
  END AS deadline_action
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
INNER JOIN queues AS q ON q.name = any(ARRAY[g.queue])
INNER JOIN pods AS p ON p.group_id = any(ARRAY[v.id])
WHERE p.state IN ('waiting', 'bound')
ORDER BY v.id, p.uid;

-- name: read_filling_pods_to_delete
-- The pods of cancelled groups that were still filling, and what to delete
-- according to their queue.
SELECT
  0::bigint AS group_id,
  p.namespace,
  p.pod_name,
  p.uid,
  p.owner_kind,
  p.owner_name,
  p.owner_uid,
  coalesce(q.deadline_action, 'job') AS deadline_action
FROM unnest($1::text [], $2::text []) AS v (namespace, group_name)
INNER JOIN pods_provisional AS p
  ON p.namespace = any(ARRAY[v.namespace]) AND p.group_name = v.group_name
LEFT JOIN queues AS q ON q.name = any(ARRAY[p.queue])
WHERE p.refused LIKE 'cancelled: %'
ORDER BY v.namespace, v.group_name, p.uid;

-- name: read_hopeful_owners
-- Controllers that may replace a failed or deleted pod whose place is not held
-- yet. Where a pod's group is named after the pod, only a StatefulSet makes a
-- replacement under that name.
SELECT DISTINCT p.namespace, p.owner_kind, p.owner_name, p.owner_uid
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
INNER JOIN queues AS q ON q.name = any(ARRAY[g.queue])
INNER JOIN pods AS p ON p.group_id = any(ARRAY[v.id])
INNER JOIN placements AS l
  ON l.fluxion_job = any(ARRAY[v.id]) AND l.pod_uid = any(ARRAY[p.uid])
WHERE
  p.state IN ('failed', 'deleted')
  AND p.replaced_by IS NULL
  AND p.turned_away IS NULL
  AND coalesce(p.owner_uid, '') <> ''
  AND l.held_until IS NULL
  AND g.cancel_reason IS NULL
  AND q.replacement_hold > interval '0'
  AND p.ended_at + q.replacement_hold > $2
  AND (
    p.owner_kind = 'StatefulSet'
    OR g.group_name <> 'fluxnetes-group-' || p.namespace || '-' || p.pod_name
  );

-- name: note_told_evicted
-- Marks evicted groups whose event was recorded.
UPDATE pod_groups AS g SET told = 'preempted'
FROM unnest($1::bigint []) AS v (id)
WHERE g.id = any(ARRAY[v.id]) AND g.comes_again;

-- name: lock_groups_to_clean
-- Locks groups until the commit.
SELECT g.id FROM pod_groups AS g
WHERE g.id = any($1::bigint [])
ORDER BY g.id
FOR UPDATE OF g;

-- name: hold_places
-- Holds the places of pods that these controllers ($2) will replace.
UPDATE placements AS l SET held_until = p.ended_at + q.replacement_hold
FROM
  unnest($1::bigint []) AS v (id),
  pod_groups AS g,
  queues AS q,
  LATERAL (
    SELECT * FROM pods AS m WHERE m.group_id = v.id
    OFFSET 0
  ) AS p
WHERE
  g.id = any(ARRAY[v.id])
  AND q.name = any(ARRAY[g.queue])
  AND l.fluxion_job = any(ARRAY[v.id])
  AND l.pod_uid = any(ARRAY[p.uid])
  AND p.state IN ('failed', 'deleted')
  AND p.replaced_by IS NULL
  AND p.turned_away IS NULL
  AND p.owner_uid = any($2::text [])
  AND l.held_until IS NULL
  AND g.cancel_reason IS NULL
  AND (
    p.owner_kind = 'StatefulSet'
    OR g.group_name <> 'fluxnetes-group-' || p.namespace || '-' || p.pod_name
  );

-- name: read_owners_of_held_places
-- Controllers for whose new pods places are held.
SELECT DISTINCT p.namespace, p.owner_kind, p.owner_name, p.owner_uid
FROM placements AS l
CROSS JOIN LATERAL (
  SELECT * FROM pods AS m WHERE m.uid = l.pod_uid
  OFFSET 0
) AS p
WHERE l.held_until > $1 AND p.owner_uid IS NOT NULL
LIMIT 1000;

-- name: read_forsaken_groups
-- Groups with places that are held for new pods of these controllers ($1).
SELECT DISTINCT l.fluxion_job + 0 AS id
FROM placements AS l
CROSS JOIN LATERAL (
  SELECT m.owner_uid FROM pods AS m WHERE m.uid = l.pod_uid
  OFFSET 0
) AS p
WHERE l.held_until > $2 AND p.owner_uid = any($1::text []);

-- name: hold_places_no_longer
-- Ends the holding of places for these controllers ($1), which make no more
-- pods.
UPDATE placements AS l SET held_until = $2
WHERE
  l.held_until > $2
  AND (SELECT p.owner_uid FROM pods AS p WHERE p.uid = l.pod_uid)
  = any($1::text []);

-- name: release_places
-- Releases the places of ended pods that are not held: a failed pod's place is
-- held for its time, a deleted pod's only while other pods of its group live.
-- Pods keep the names of what they had inside of their nodes, and of their devices.
-- $3 plants a bug.
WITH alive AS (
  SELECT DISTINCT p.group_id
  FROM unnest($1::bigint []) AS v (id)
  INNER JOIN pods AS p ON p.group_id = any(ARRAY[v.id])
  WHERE p.state IN ('waiting', 'bound')
),

released AS (
  DELETE FROM placements AS l
  USING unnest($1::bigint []) AS v (id), pods AS p, pod_groups AS g
  WHERE
    p.group_id = any(ARRAY[v.id])
    AND g.id = any(ARRAY[v.id])
    AND l.fluxion_job = any(ARRAY[v.id])
    AND l.pod_uid = any(ARRAY[p.uid])
    AND p.state IN ('succeeded', 'failed', 'deleted')
    AND NOT (
      coalesce(l.held_until > $2, false)
      AND g.cancel_reason IS NULL
      AND (
        p.state = 'failed' OR p.group_id IN (SELECT a.group_id FROM alive AS a)
      )
    )
  RETURNING l.fluxion_job, l.pod_uid, g.queue, l.parts, l.devices
),

kept AS (
  UPDATE pods AS p SET parts = r.parts, devices = r.devices
  FROM released AS r
  WHERE coalesce(r.parts, r.devices) IS NOT NULL AND p.uid = any(ARRAY[r.pod_uid])
)

INSERT INTO match_inbox (queue, news, group_id, pod_uid)
SELECT r.queue, 'released', r.fluxion_job, r.pod_uid
FROM released AS r
WHERE NOT $3;

-- name: record_history
-- Writes the history of groups that are over, and deletes the groups: no pod
-- lives, no place is held, and no group that extends them is left. Returns the
-- elastic groups that they extended. Groups whose pods are started by callers
-- are over when they are cancelled or their time ends. $2 plants a bug.
WITH over AS MATERIALIZED (
  SELECT
    g.*,
    a.ends_at,
    e.group_id IS NOT NULL AS external,
    CASE
      WHEN e.group_id IS NULL THEN (
        SELECT max(p.ended_at) FROM pods AS p
        WHERE p.group_id = any(ARRAY[g.id])
      )
      WHEN g.cancel_reason IS NULL THEN a.ends_at
    END AS ended_at,
    (
      SELECT array_agg(DISTINCT p.state) FROM pods AS p
      WHERE p.group_id = any(ARRAY[g.id]) AND p.replaced_by IS NULL
    ) AS states,
    CASE WHEN coalesce(g.asked_size, g.group_size) > 1 THEN (
      SELECT
        CASE
          WHEN bool_and(p.owner_uid IS NOT NULL)
            THEN array_agg(
              DISTINCT concat_ws('/', p.owner_kind, p.owner_name, p.owner_uid)
            )
        END
      FROM pods AS p
      WHERE p.group_id = any(ARRAY[g.id])
    ) END AS makers,
    CASE
      WHEN e.group_id IS NOT NULL THEN coalesce(a.nodes, '{}')
      ELSE (
        SELECT
          coalesce(array_agg(DISTINCT p.node_name ORDER BY p.node_name), '{}')
        FROM pods AS p
        WHERE p.group_id = any(ARRAY[g.id]) AND p.node_name IS NOT NULL
      )
    END AS nodes,
    CASE WHEN e.group_id IS NULL THEN (
      SELECT
        jsonb_agg(
          jsonb_strip_nulls(
            jsonb_build_object(
              'name', p.pod_name,
              'node', p.node_name,
              'state', p.state,
              'bound_at', p.bound_at,
              'ended_at', p.ended_at,
              'inside', p.parts,
              'devices', p.devices::jsonb,
              'resources', CASE
                WHEN p.bound_at IS NULL THEN NULL
                WHEN p.devices IS NULL THEN p.request -> 'resources'
                ELSE (p.request -> 'resources') || devices_held(p, p.devices)
              END
            )
          )
          ORDER BY p.completion_index, p.created_at, p.uid
        )
      FROM pods AS p
      WHERE p.group_id = any(ARRAY[g.id])
    ) ELSE (
      SELECT
        jsonb_agg(
          jsonb_strip_nulls(
            jsonb_build_object(
              'name', l.pod_uid,
              'node', l.node_name,
              'state', 'deleted',
              'inside', l.parts,
              'resources', amounts_held(l)
            )
          )
          ORDER BY l.pod_uid
        )
      FROM placements AS l
      WHERE l.fluxion_job = any(ARRAY[g.id])
    ) END AS members
  FROM unnest($1::bigint []) AS v (id)
  INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
  LEFT JOIN allocations AS a ON a.group_id = any(ARRAY[g.id])
  LEFT JOIN external_groups AS e ON e.group_id = any(ARRAY[g.id])
  WHERE
    (e.group_id IS NULL OR g.cancel_reason IS NOT NULL OR a.ends_at <= $3)
    AND (
      NOT EXISTS (
        SELECT FROM pods AS p
        WHERE p.group_id = any(ARRAY[g.id]) AND p.state IN ('waiting', 'bound')
      )
      OR (
        $2 AND EXISTS (
          SELECT FROM pods AS p
          WHERE p.group_id = any(ARRAY[g.id]) AND p.state = 'succeeded'
        )
      )
    )
    AND NOT EXISTS (
      SELECT FROM placements AS l
      WHERE l.fluxion_job = any(ARRAY[g.id]) AND l.held_until IS NOT NULL
      OFFSET 0
    )
    AND NOT EXISTS (
      SELECT FROM pod_groups AS x WHERE x.extends = any(ARRAY[g.id])
      OFFSET 0
    )
),

recorded AS (
  INSERT INTO group_history (
    group_id, namespace, group_name, group_size, queue, priority, result,
    reason, nodes, pods, submitted_at, promoted_at, allocated_at, bound_at,
    ended_at, first_estimate, first_estimated_at, last_estimate,
    last_estimated_at, traceparent, makers, pools, account, user_name
  )
  SELECT
    o.id,
    o.namespace,
    o.group_name,
    o.group_size,
    o.queue,
    o.priority,
    CASE
      WHEN o.states = '{succeeded}' THEN 'succeeded'
      WHEN o.comes_again THEN 'preempted'
      WHEN o.cancel_reason IS NOT NULL THEN 'cancelled'
      WHEN o.ends_at <= o.ended_at THEN 'timed out'
      WHEN 'failed' = any(o.states) THEN 'failed'
      ELSE 'cancelled'
    END,
    CASE
      WHEN o.states = '{succeeded}' THEN NULL
      WHEN o.cancel_reason IS NOT NULL THEN o.cancel_reason
      WHEN o.external THEN 'its time was over, and nobody had cancelled it'
      WHEN o.ends_at <= o.ended_at
        THEN 'it ran longer than its pods'' activeDeadlineSeconds'
      WHEN 'failed' = any(o.states) THEN (
        SELECT format(
          'pod %s failed%s', min(p.pod_name),
          ': its node would not have it (' || min(p.turned_away) || ')'
        ) FROM pods AS p
        WHERE
          p.group_id = any(ARRAY[o.id]) AND p.state = 'failed' AND p.replaced_by IS NULL
      )
      ELSE 'its pods were deleted'
    END,
    o.nodes,
    coalesce(o.members, '[]'),
    o.submitted_at,
    o.promoted_at,
    o.allocated_at,
    o.bound_at,
    coalesce(o.ended_at, $3),
    e.first_starts_at,
    e.first_made_at,
    e.starts_at,
    CASE WHEN e.starts_at IS NOT NULL THEN e.made_at END,
    o.traceparent,
    o.makers,
    o.pools,
    o.account,
    o.user_name
  FROM over AS o
  LEFT JOIN estimates AS e ON e.group_id = any(ARRAY[o.id])
),

told AS (
  INSERT INTO match_inbox (queue, news, group_id)
  SELECT o.queue, 'released', o.id FROM over AS o
)

DELETE FROM pod_groups AS g USING over AS o WHERE g.id = any(ARRAY[o.id])
RETURNING g.extends;

-- name: cancel_growth
-- Cancels, with elastic groups that are cancelled or evicted, the groups of one
-- that extend them.
WITH locked AS MATERIALIZED (
  SELECT x.id, c.cancel_reason, c.preempted_for, c.comes_again
  FROM unnest($1::bigint []) AS v (id)
  INNER JOIN pod_groups AS c
    ON c.id = any(ARRAY[v.id]) AND c.cancel_reason IS NOT NULL
  INNER JOIN pod_groups AS x
    ON x.id = any(
      ARRAY(SELECT e.id FROM pod_groups AS e WHERE e.extends = v.id)
    )
    AND x.cancel_reason IS NULL
  ORDER BY x.id + 0
  FOR UPDATE OF x
),

cancelled AS (
  UPDATE pod_groups AS g
  SET
    cancel_reason = l.cancel_reason,
    preempted_for = l.preempted_for,
    comes_again = l.comes_again,
    revision = g.revision + 1
  FROM locked AS l
  WHERE g.id = any(ARRAY[l.id])
  RETURNING g.id, g.queue, g.cancel_reason
),

told AS (
  INSERT INTO match_inbox (queue, news, group_id)
  SELECT c.queue, 'changed', c.id FROM cancelled AS c
)

SELECT c.id, c.cancel_reason AS reason FROM cancelled AS c ORDER BY c.id;
