-- The queries of who looks ahead at when groups will start.

-- name: read_holders
-- Who holds something, of some queues, with a number that differs if other pods
-- do or if they have other nodes.
SELECT
  a.fluxion_job AS id,
  coalesce(g.namespace || '/' || g.group_name, '') AS name,
  coalesce(
    g.state IN ('allocated', 'bound') AND g.cancel_reason IS NULL, false
  ) AS stays,
  coalesce(g.preempted_for, 0) AS preempted_for,
  floor(extract(epoch FROM a.starts_at))::bigint AS starts_at,
  ceil(extract(epoch FROM a.ends_at))::bigint AS ends_at,
  l.places
FROM allocations AS a
CROSS JOIN LATERAL (
  SELECT bit_xor(hashtextextended(p.pod_uid || ' ' || p.node_name, 0)) AS places
  FROM placements AS p
  WHERE p.fluxion_job = any(ARRAY[a.fluxion_job])
) AS l
LEFT JOIN pod_groups AS g ON g.id = any(ARRAY[a.fluxion_job])
WHERE a.queue = any($1::text []) AND l.places IS NOT NULL
ORDER BY a.fluxion_job;

-- name: read_waiting_versions
-- The groups of some queues that wait, each with what differs once its rows have
-- been written again; null where what is read of it depends on its pods, too.
SELECT
  g.id,
  CASE
    WHEN coalesce(g.start_after, g.start_by) IS NULL
      THEN concat_ws(' ', g.xmin, x.xmin)
  END AS version
FROM pod_groups AS g
LEFT JOIN external_groups AS x ON g.id = x.group_id
WHERE
  g.queue = any($1::text [])
  AND g.state IN ('pending', 'unsatisfiable')
  AND g.phase IS DISTINCT FROM 'recalled'
  AND g.cancel_reason IS NULL
ORDER BY g.id;

-- name: read_estimates
-- What is written of the groups of some queues that wait.
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
-- When groups will start; no time: not known; what is later than the year 9999
-- is said to be at its end. Those that wait no longer keep
-- what was last said; those that somebody else changes now are left to the next
-- time, so that nobody waits for this. Returns those that were written.
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
  ORDER BY g.id
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
