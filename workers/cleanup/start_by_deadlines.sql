-- The queries that end groups which missed their start time. Scheduling time is
-- a parameter. workers/loops/groups.sql says why they are written as they are.

-- name: give_up_late_groups
-- Cancels at most $2 groups that are not placed by the start time that their
-- pods ask for. Returns them with their waiting pods, if any. A group is
-- excused for good, and returned without a reason, if a pod of its controller
-- has a place elsewhere: that pod would be deleted with the controller. A group
-- of one pod is excused, too, if its controller made the pod after that time,
-- in place of pods that have ended.
WITH late AS MATERIALIZED (
  SELECT
    g.id,
    g.start_by,
    g.reason,
    g.queue,
    g.shape,
    g.namespace,
    g.account,
    g.owners,
    g.group_size = 1 AND g.owners <> '{}' AND g.submitted_at >= g.start_by
      AS made_later
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

started AS MATERIALIZED (
  SELECT array_agg(o.uid) AS owners
  FROM (SELECT DISTINCT unnest(l.owners) AS uid FROM late AS l) AS o
  WHERE EXISTS (
    SELECT FROM pods AS p
    WHERE
      p.owner_uid = o.uid
      AND (
        p.node_name IS NOT NULL
        OR (SELECT g.state FROM pod_groups AS g WHERE g.id = p.group_id)
        IN ('allocated', 'bound')
      )
    OFFSET 0
  )
),

excused AS (
  UPDATE pod_groups AS g SET start_by = NULL
  FROM late AS l
  CROSS JOIN started AS s
  WHERE
    g.id = any(ARRAY[l.id])
    AND (l.made_later OR coalesce(l.owners && s.owners, false))
  RETURNING g.id, g.queue
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
  WHERE g.id = any(ARRAY[l.id]) AND l.id NOT IN (SELECT e.id FROM excused AS e)
  RETURNING g.id, g.queue, g.cancel_reason
),

told AS (
  INSERT INTO match_inbox (queue, news, group_id)
  SELECT u.queue, 'changed', u.id FROM given_up AS u
  UNION ALL
  SELECT e.queue, 'changed', e.id FROM excused AS e
)

SELECT
  l.id,
  l.reason,
  p.namespace,
  p.pod_name,
  p.uid,
  p.created_at
FROM (
  SELECT u.id, u.cancel_reason AS reason, u.id AS given_up FROM given_up AS u
  UNION ALL
  SELECT e.id, NULL, NULL FROM excused AS e
) AS l
LEFT JOIN pods AS p
  ON p.group_id = any(ARRAY[l.given_up]) AND p.state = 'waiting'
ORDER BY l.id, p.completion_index NULLS LAST, p.created_at, p.uid;

-- name: lock_late_filling_groups
-- Locks at most $2 groups that are still filling after the start time that
-- their pods ask for, and returns why they are given up. A group is excused,
-- and returned without a reason, as in give_up_late_groups.
WITH late AS MATERIALIZED (
  SELECT
    g.namespace,
    g.group_name,
    g.group_size,
    g.members,
    g.start_by,
    g.first_seen_at
  FROM groups_provisional AS g
  WHERE g.start_by <= $1 AND g.members < g.group_size
  ORDER BY g.start_by
  LIMIT $2
  FOR UPDATE SKIP LOCKED
),

waiting AS MATERIALIZED (
  SELECT DISTINCT
    l.namespace,
    l.group_name,
    p.owner_uid,
    l.group_size = 1 AND l.first_seen_at >= l.start_by AS made_later
  FROM late AS l
  INNER JOIN pods_provisional AS p
    ON p.namespace = any(ARRAY[l.namespace]) AND p.group_name = l.group_name
  WHERE p.refused IS NULL AND p.owner_uid IS NOT NULL
),

started AS MATERIALIZED (
  SELECT o.uid
  FROM (SELECT DISTINCT w.owner_uid AS uid FROM waiting AS w) AS o
  WHERE EXISTS (
    SELECT FROM pods AS p
    WHERE
      p.owner_uid = o.uid
      AND (
        p.node_name IS NOT NULL
        OR (SELECT g.state FROM pod_groups AS g WHERE g.id = p.group_id)
        IN ('allocated', 'bound')
      )
    OFFSET 0
  )
),

excused AS (
  UPDATE groups_provisional AS g SET start_by = NULL
  FROM waiting AS w
  WHERE
    g.namespace = any(ARRAY[w.namespace])
    AND g.group_name = w.group_name
    AND (w.made_later OR w.owner_uid IN (SELECT s.uid FROM started AS s))
  RETURNING g.namespace, g.group_name
)

SELECT
  l.namespace,
  l.group_name,
  CASE WHEN (l.namespace, l.group_name) NOT IN (
    SELECT e.namespace, e.group_name FROM excused AS e
  ) THEN format(
    'had %s of %s pods by %s (fluxnetes.start-by)',
    l.members,
    l.group_size,
    to_char(l.start_by AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
  ) END AS reason
FROM late AS l;
