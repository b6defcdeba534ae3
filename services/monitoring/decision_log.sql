-- The query of the decision log.

-- name: name_groups
-- The names of the unfinished groups $1 and their times, for the log and
-- metrics. For groups that got nodes for the first time also the seconds that
-- they waited, and by how much their start missed the first and the last
-- estimate.
SELECT
  g.id,
  g.namespace || '/' || g.group_name AS name,
  g.traceparent,
  g.submitted_at,
  g.promoted_at,
  g.allocated_at,
  g.bound_at,
  CASE WHEN g.went_back_at IS NULL
    THEN extract(EPOCH FROM g.allocated_at - g.submitted_at)::double precision
  END AS waited,
  CASE WHEN g.went_back_at IS NULL
    THEN extract(EPOCH FROM g.allocated_at - e.first_starts_at)::double precision
  END AS later_than_first,
  CASE WHEN g.went_back_at IS NULL
    THEN extract(EPOCH FROM g.allocated_at - e.starts_at)::double precision
  END AS later_than_last
FROM pod_groups AS g
LEFT JOIN estimates AS e ON e.group_id = ANY(ARRAY[g.id])
WHERE g.id = ANY($1::bigint []);
