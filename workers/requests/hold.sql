-- The queries of holds that users put on groups. Scheduling time is a parameter.

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
-- Held groups of this name are held no more, by their label neither. A label
-- that comes later holds.
UPDATE pod_groups AS g
SET
  held_at = NULL,
  held_reason = NULL,
  released_at = CASE WHEN g.hold_label THEN $3::timestamptz END
WHERE
  g.namespace = $1
  AND g.group_name = $2
  AND (g.phase = 'held' OR (g.phase = 'recalled' AND g.held_at IS NOT NULL))
RETURNING g.id;

-- name: release_filling_group
-- The same of one that fills.
UPDATE groups_provisional AS g
SET
  held_at = NULL,
  held_reason = NULL,
  released_at = CASE WHEN g.hold_label THEN $3::timestamptz END
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
