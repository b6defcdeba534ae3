-- The queries of who may start when: holds, and times to start. Scheduling time
-- is a parameter.

-- name: hold_groups
-- Groups of this name that have no node yet are held, if they were already for
-- this reason from now on.
UPDATE pod_groups AS g
SET held_at = $4, held_reason = $3, released_at = NULL
WHERE
  g.namespace = $1
  AND g.group_name = $2
  AND g.cancel_reason IS NULL
  AND g.state NOT IN ('allocated', 'bound')
  AND NOT EXISTS (
    SELECT FROM pods AS p
    WHERE p.group_id = any(ARRAY[g.id]) AND p.node_name IS NOT NULL
  )
RETURNING g.id;

-- name: hold_filling_group
-- The same of one that fills.
UPDATE groups_provisional AS g
SET held_at = $4, held_reason = $3, released_at = NULL
WHERE g.namespace = $1 AND g.group_name = $2
RETURNING g.group_id;

-- name: release_groups
-- Held groups of this name are held no more.
UPDATE pod_groups AS g
SET held_at = NULL, held_reason = NULL, released_at = $3
WHERE
  g.namespace = $1
  AND g.group_name = $2
  AND (g.phase = 'held' OR (g.phase = 'recalled' AND g.held_at IS NOT NULL))
RETURNING g.id;

-- name: release_filling_group
-- The same of one that fills.
UPDATE groups_provisional AS g
SET held_at = NULL, held_reason = NULL, released_at = $3
WHERE
  g.namespace = $1
  AND g.group_name = $2
  AND hold_reason(g.held_at, g.held_reason, g.hold_label, g.released_at)
  IS NOT NULL
RETURNING g.group_id;

-- name: count_active_groups
-- Groups of this name that are not about to end.
SELECT count(*) AS groups
FROM pod_groups AS g
WHERE g.namespace = $1 AND g.group_name = $2 AND g.cancel_reason IS NULL;

-- name: find_filling_group
-- Whether a group of this name fills.
SELECT EXISTS (
  SELECT FROM groups_provisional AS g
  WHERE g.namespace = $1 AND g.group_name = $2
) AS "any";

-- name: give_up_late_groups
-- Groups, $2 at most, that have no place though the time to start that their
-- pods ask for is over, are cancelled. Returns the pods that wait.
WITH late AS MATERIALIZED (
  SELECT
    g.id,
    g.start_by,
    g.reason,
    g.queue,
    g.shape,
    g.namespace,
    g.account
  FROM pod_groups AS g
  WHERE
    g.start_by <= $1
    AND g.state IN ('pending', 'unsatisfiable')
    AND g.cancel_reason IS NULL
    AND g.phase IS DISTINCT FROM 'recalled'
    AND NOT EXISTS (
      SELECT FROM pods AS p
      WHERE p.group_id = any(ARRAY[g.id]) AND p.node_name IS NOT NULL
    )
  ORDER BY g.start_by
  LIMIT $2
  FOR UPDATE OF g SKIP LOCKED
),

given_up AS (
  UPDATE pod_groups AS g
  SET
    revision = g.revision + 1,
    cancel_reason = concat_ws(
      ': ',
      format(
        'had no place by %s (fluxnetes.start-by)',
        to_char(l.start_by AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      ),
      coalesce(
        l.reason,
        (
          SELECT w.reason FROM wait_reasons AS w
          WHERE
            w.queue = any(ARRAY[l.queue])
            AND w.shape = l.shape
            AND (
              w.namespace = ''
              OR (w.namespace = l.namespace AND w.account = l.account)
            )
        )
      )
    )
  FROM late AS l
  WHERE g.id = any(ARRAY[l.id])
  RETURNING g.id, g.queue, g.cancel_reason
),

told AS (
  INSERT INTO match_inbox (queue, news, group_id)
  SELECT u.queue, 'changed', u.id FROM given_up AS u
)

SELECT
  u.id,
  u.cancel_reason AS reason,
  p.namespace,
  p.pod_name,
  p.uid,
  p.created_at
FROM given_up AS u
INNER JOIN pods AS p ON p.group_id = any(ARRAY[u.id]) AND p.state = 'waiting'
ORDER BY u.id, p.completion_index NULLS LAST, p.created_at, p.uid;

-- name: lock_late_filling_groups
-- Groups, $2 at most, that fill though that time is over, kept until the commit.
SELECT
  g.namespace,
  g.group_name,
  format(
    'had %s of %s pods by %s (fluxnetes.start-by)',
    g.members,
    g.group_size,
    to_char(g.start_by AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
  ) AS reason
FROM groups_provisional AS g
WHERE g.start_by <= $1 AND g.members < g.group_size
ORDER BY g.start_by
LIMIT $2
FOR UPDATE SKIP LOCKED;
