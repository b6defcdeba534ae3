-- The queries of holds by users. Scheduling time is a parameter.

-- name: hold_groups
-- Holds the groups of this name that have no node yet; a group that is held
-- already gets this reason.
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
-- Holds the filling group of this name.
UPDATE groups_provisional AS g
SET held_at = $4, held_reason = $3, released_at = NULL
WHERE g.namespace = $1 AND g.group_name = $2
RETURNING g.group_id;

-- name: release_groups
-- Releases the held groups of this name, also from the label of their pods. A
-- later pod with the label holds again.
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
-- Releases the held filling group of this name, also from the label of its
-- pods.
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
-- The number of groups of this name that are not about to end.
SELECT count(*) AS groups
FROM pod_groups AS g
WHERE g.namespace = $1 AND g.group_name = $2 AND g.cancel_reason IS NULL;

-- name: find_filling_group
-- Whether a group of this name is filling.
SELECT EXISTS (
  SELECT FROM groups_provisional AS g
  WHERE g.namespace = $1 AND g.group_name = $2
) AS "any";
