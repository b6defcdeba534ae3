-- The queries that lock the rows of groups, and those that set and announce which
-- job moves a group on.
--
-- Order of locks: a transaction locks rows of groups_provisional (in the order of their
-- names) before rows of pod_groups (in the order of their ids), and only then
-- changes pods, allocations and jobs. So no two transactions wait for each other
-- in a circle. What needs no order skips rows that are locked.
--
-- In the queries of the workers a join looks a key up as `= any(ARRAY[key])`, and
-- a state is compared so that no partial index seems to answer it: the planner
-- then takes the index of the key, row by row. Where a table was empty when it was
-- last analysed, as queues often are, the planner would otherwise turn the join
-- round and read the whole table for each row.

-- name: lock_filling_groups
-- Keeps the promoter away from groups of these names ($1, $2), and from those
-- that pods ($3) are in or would go back to.
SELECT g.group_id
FROM groups_provisional AS g
INNER JOIN (
  SELECT v.namespace, v.group_name
  FROM unnest($1::text [], $2::text []) AS v (namespace, group_name)
  UNION
  SELECT p.namespace, p.group_name
  FROM unnest($3::text []) AS u (uid)
  INNER JOIN pods_provisional AS p ON p.uid = any(ARRAY[u.uid])
  UNION
  SELECT p.namespace, p.asked_name
  FROM unnest($3::text []) AS u (uid)
  INNER JOIN pods AS p ON p.uid = any(ARRAY[u.uid])
) AS n ON g.namespace = any(ARRAY[n.namespace]) AND g.group_name = n.group_name
ORDER BY g.namespace, g.group_name
FOR UPDATE OF g;

-- name: lock_active_groups
-- Keeps others from groups: those of pods ($1), those of names ($2, $3), and
-- those of numbers ($4).
SELECT g.id
FROM pod_groups AS g
WHERE g.id IN (
  SELECT p.group_id
  FROM unnest($1::text []) AS u (uid)
  INNER JOIN pods AS p ON p.uid = any(ARRAY[u.uid])
  UNION
  SELECT a.id
  FROM unnest($2::text [], $3::text []) AS v (namespace, group_name)
  INNER JOIN pod_groups AS a
    ON a.namespace = any(ARRAY[v.namespace]) AND a.group_name = v.group_name
  UNION
  SELECT i.id FROM unnest($4::bigint []) AS i (id)
)
ORDER BY g.id
FOR UPDATE OF g;

-- name: lock_groups
-- Locks groups, in order of their ids, for a change of state.
SELECT g.id, g.revision, g.state, g.cancel_reason IS NOT NULL AS cancelled
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
ORDER BY g.id
FOR UPDATE OF g;

-- name: set_match_jobs
-- Which job is to find a group's place.
UPDATE pod_groups AS g SET match_job = v.job
FROM unnest($1::bigint [], $2::bigint []) AS v (id, job)
WHERE g.id = any(ARRAY[v.id]);

-- name: tell_group_changes
-- Lets the owner of the match of their queues read groups again.
INSERT INTO match_inbox (queue, news, group_id)
SELECT g.queue, 'changed', g.id
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id]);
