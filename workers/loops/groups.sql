-- The queries that lock the rows of groups, and those that record and announce
-- the job by which a group moves on.
--
-- Order of locks: a transaction locks rows of groups_provisional (in the order
-- of their names) before rows of pod_groups (in the order of their ids), and
-- only then changes pods, allocations and jobs. So no two transactions wait for
-- each other in a circle. Queries that need no order skip locked rows.
--
-- The plan of a query must not depend on statistics: of a table that was empty
-- or had few rows in many pages when it was last analysed, as queues often have,
-- the planner believes that reading it as a whole, for each row of another, costs
-- nothing. So the queries of the workers leave one plan: the keys that are given
-- come first, and each table is read by the index of a key, row by row.
--
-- A join looks a key up as `= any(ARRAY[key])`: the planner could reverse an
-- equality. Conditions on a state are written so that no partial index matches
-- them. ORDER BY, DISTINCT and PARTITION BY name the key that is given, or an
-- expression (`id + 0`), not an indexed column: the planner could read the whole
-- table in its order. `= any(ARRAY(SELECT ...))` is computed first, which IN is
-- not. OFFSET 0 keeps a subquery apart, to be run for each row before it. Two
-- sets are compared by NOT IN, a window or an aggregate: a join by nested loops
-- would compare each row with each.
--
-- A test measures each query with wrong statistics and with right ones, with few
-- keys and with many (tests/services/database/statement_work_pgtest.cc).

-- name: lock_filling_groups
-- Locks the filling groups of these names ($1, $2), and those that pods ($3)
-- are in or would return to, against the promoter.
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
ORDER BY n.namespace, n.group_name
FOR UPDATE OF g;

-- name: lock_active_groups
-- Locks the groups of pods ($1), of names ($2, $3), and of ids ($4). Returns the
-- name of a group that is smaller than its pods ask and has not started.
SELECT
  g.id,
  CASE
    WHEN
      g.asked_size IS NOT NULL
      AND NOT EXISTS (
        SELECT FROM pods AS m
        WHERE m.group_id = any(ARRAY[g.id]) AND m.node_name IS NOT NULL
      )
      THEN g.namespace || '/' || g.group_name
  END AS smaller
FROM pod_groups AS g
WHERE g.id = any(
  $4::bigint [] || ARRAY(
    SELECT p.group_id
    FROM unnest($1::text []) AS u (uid)
    INNER JOIN pods AS p ON p.uid = any(ARRAY[u.uid])
    UNION ALL
    SELECT a.id
    FROM unnest($2::text [], $3::text []) AS v (namespace, group_name)
    INNER JOIN pod_groups AS a
      ON a.namespace = any(ARRAY[v.namespace]) AND a.group_name = v.group_name
  )
)
ORDER BY g.id
FOR UPDATE OF g;

-- name: lock_groups
-- Locks groups, in order of their ids, for a change of state.
SELECT g.id, g.revision, g.state, g.cancel_reason IS NOT NULL AS cancelled
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
ORDER BY v.id
FOR UPDATE OF g;

-- name: set_match_jobs
-- Records which match job places each group.
UPDATE pod_groups AS g SET match_job = v.job
FROM unnest($1::bigint [], $2::bigint []) AS v (id, job)
WHERE g.id = any(ARRAY[v.id]);

-- name: tell_group_changes
-- Makes the match owner of their queues read groups again.
INSERT INTO match_inbox (queue, news, group_id)
SELECT g.queue, 'changed', g.id
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id]);
