-- The queries of the forecaster: the estimated starts of waiting groups.

-- name: read_estimates
-- The recorded estimates of waiting groups of some queues.
SELECT
  e.group_id,
  floor(extract(epoch FROM e.starts_at))::bigint AS starts_at,
  e.approximate,
  e.rests_on,
  e.position
FROM pod_groups AS g
INNER JOIN estimates AS e ON e.group_id = any(ARRAY[g.id])
WHERE
  g.queue = any($1::text []) AND g.state IN ('pending', 'unsatisfiable');

-- name: write_estimates
-- Records when groups will start; null means unknown, and times after the year
-- 9999 are recorded as its end. Groups that no longer wait keep their last
-- estimate. Locked rows are left to the next run, so that no transaction waits
-- for this one. Returns the groups that were written.
WITH waits AS MATERIALIZED (
  SELECT
    g.id,
    CASE WHEN v.starts_at IS NOT NULL THEN least(v.starts_at, 253402300799) END
      AS starts_at,
    v.approximate,
    v.rests_on,
    v.position
  FROM unnest(
    $1::bigint [], $2::bigint [], $3::boolean [], $4::text [], $6::integer []
  ) AS v (id, starts_at, approximate, rests_on, position)
  INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
  WHERE g.state NOT IN ('allocated', 'bound')
  ORDER BY v.id
  FOR KEY SHARE OF g SKIP LOCKED
)

INSERT INTO estimates AS e (
  group_id, starts_at, approximate, rests_on, made_at, first_starts_at,
  first_made_at, position
)
SELECT
  w.id,
  to_timestamp(w.starts_at),
  w.approximate,
  w.rests_on,
  $5::timestamptz,
  to_timestamp(w.starts_at),
  CASE WHEN w.starts_at IS NOT NULL THEN $5::timestamptz END,
  w.position
FROM waits AS w
ON CONFLICT (group_id) DO UPDATE SET
starts_at = excluded.starts_at,
approximate = excluded.approximate,
rests_on = excluded.rests_on,
made_at = excluded.made_at,
first_starts_at = coalesce(e.first_starts_at, excluded.starts_at),
first_made_at = coalesce(e.first_made_at, excluded.first_made_at),
position = excluded.position
RETURNING e.group_id;
