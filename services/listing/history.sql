-- What `fluxnetes history` shows.

-- name: list_history
-- Groups that were recorded as over since $1, the last first: of a namespace
-- ($2), of a queue ($3), with one of these results ($4), at most $5.
SELECT
  h.group_id,
  h.namespace,
  h.group_name,
  h.group_size,
  h.queue,
  h.priority,
  h.result,
  h.reason,
  h.nodes,
  h.submitted_at,
  h.promoted_at,
  h.allocated_at,
  h.bound_at,
  h.ended_at
FROM group_history AS h
WHERE
  h.recorded_at >= $1::timestamptz
  AND ($2::text IS NULL OR h.namespace = $2)
  AND ($3::text IS NULL OR h.queue = $3)
  AND ($4::text [] IS NULL OR h.result = ANY($4))
ORDER BY h.recorded_at DESC, h.group_id DESC
LIMIT $5::bigint;

-- name: summarize_history
-- The same groups by result: how many there are.
SELECT
  h.result,
  count(*) AS groups,
  sum(h.group_size)::bigint AS pods
FROM group_history AS h
WHERE
  h.recorded_at >= $1::timestamptz
  AND ($2::text IS NULL OR h.namespace = $2)
  AND ($3::text IS NULL OR h.queue = $3)
  AND ($4::text [] IS NULL OR h.result = ANY($4))
GROUP BY h.result
ORDER BY h.result;

-- name: summarize_waits
-- How long the same groups waited, from the first pod's creation to the last
-- one's binding, and ran from then on, in seconds; of those that were bound.
SELECT
  percentile_cont(0.5) WITHIN GROUP (ORDER BY w.waited) AS wait_p50,
  percentile_cont(0.95) WITHIN GROUP (ORDER BY w.waited) AS wait_p95,
  max(w.waited)::double precision AS wait_max,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY w.ran) AS run_p50,
  percentile_cont(0.95) WITHIN GROUP (ORDER BY w.ran) AS run_p95,
  max(w.ran)::double precision AS run_max
FROM (
  SELECT
    extract(EPOCH FROM h.bound_at - h.submitted_at) AS waited,
    extract(EPOCH FROM h.ended_at - h.bound_at) AS ran
  FROM group_history AS h
  WHERE
    h.recorded_at >= $1::timestamptz
    AND ($2::text IS NULL OR h.namespace = $2)
    AND ($3::text IS NULL OR h.queue = $3)
    AND ($4::text [] IS NULL OR h.result = ANY($4))
    AND h.bound_at IS NOT NULL
) AS w;
