-- The queries of `fluxnetes history`.

-- name: list_history
-- Groups recorded as finished since $1, the last first: of namespace $2, of
-- queue $3, with one of the results $4, at most $5.
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
  h.pools::text AS pools,
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
-- The number of groups and pods by result, with the filters of list_history.
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
-- Waiting times (from the submission to the last binding) and run times (from
-- then to the end) in seconds, of the groups that were bound, with the filters
-- of list_history.
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
