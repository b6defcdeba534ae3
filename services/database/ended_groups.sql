-- The queries of lists of groups that have ended. A search is in lower case.

-- name: ended_by_time
-- Groups recorded as ended since $1, of namespace $2, of queue $3, with one of
-- the results $4, with $5 in "namespace/name", before group $7 recorded at $6
-- (microseconds), the last first, at most $8.
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
  h.ended_at,
  (extract(EPOCH FROM h.recorded_at) * 1000000)::bigint AS place
FROM group_history AS h
WHERE
  h.recorded_at >= $1::timestamptz
  AND ($2::text IS NULL OR h.namespace = $2)
  AND ($3::text IS NULL OR h.queue = $3)
  AND ($4::text [] IS NULL OR h.result = ANY($4))
  AND (
    $5::text IS NULL
    OR strpos(lower(h.namespace || '/' || h.group_name), $5) > 0
  )
  AND (
    $6::bigint IS NULL
    OR (h.recorded_at, h.group_id)
    < (to_timestamp($6 / 1000000) + $6 % 1000000 * interval '1 microsecond', $7::bigint)
  )
ORDER BY h.recorded_at DESC, h.group_id DESC
LIMIT $8::bigint;

-- name: ended_by_wait
-- As ended_by_time, but of groups that ran, those that waited longest first;
-- $6 is how long group $7 waited.
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
  h.ended_at,
  (extract(EPOCH FROM h.bound_at - h.submitted_at) * 1000000)::bigint AS place
FROM group_history AS h
WHERE
  h.recorded_at >= $1::timestamptz
  AND h.bound_at IS NOT NULL
  AND ($2::text IS NULL OR h.namespace = $2)
  AND ($3::text IS NULL OR h.queue = $3)
  AND ($4::text [] IS NULL OR h.result = ANY($4))
  AND (
    $5::text IS NULL
    OR strpos(lower(h.namespace || '/' || h.group_name), $5) > 0
  )
  AND (
    $6::bigint IS NULL
    OR (h.bound_at - h.submitted_at, h.group_id)
    < ($6 * interval '1 microsecond', $7::bigint)
  )
ORDER BY h.bound_at - h.submitted_at DESC, h.group_id DESC
LIMIT $8::bigint;

-- name: ended_by_run
-- As ended_by_time, but of groups that ran, those that ran longest first; $6 is
-- how long group $7 ran.
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
  h.ended_at,
  (extract(EPOCH FROM h.ended_at - h.bound_at) * 1000000)::bigint AS place
FROM group_history AS h
WHERE
  h.recorded_at >= $1::timestamptz
  AND h.bound_at IS NOT NULL
  AND ($2::text IS NULL OR h.namespace = $2)
  AND ($3::text IS NULL OR h.queue = $3)
  AND ($4::text [] IS NULL OR h.result = ANY($4))
  AND (
    $5::text IS NULL
    OR strpos(lower(h.namespace || '/' || h.group_name), $5) > 0
  )
  AND (
    $6::bigint IS NULL
    OR (h.ended_at - h.bound_at, h.group_id)
    < ($6 * interval '1 microsecond', $7::bigint)
  )
ORDER BY h.ended_at - h.bound_at DESC, h.group_id DESC
LIMIT $8::bigint;

-- name: count_ended
-- The number of groups and pods by result, with the first filters of
-- ended_by_time: since $1, namespace $2, queue $3, results $4, search $5.
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
  AND (
    $5::text IS NULL
    OR strpos(lower(h.namespace || '/' || h.group_name), $5) > 0
  )
GROUP BY h.result
ORDER BY h.result;

-- name: measure_ended
-- How long groups waited and ran, in seconds, with the filters of count_ended:
-- of the groups that were bound.
SELECT
  count(*) AS groups,
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
    AND h.bound_at IS NOT NULL
    AND ($2::text IS NULL OR h.namespace = $2)
    AND ($3::text IS NULL OR h.queue = $3)
    AND ($4::text [] IS NULL OR h.result = ANY($4))
    AND (
      $5::text IS NULL
      OR strpos(lower(h.namespace || '/' || h.group_name), $5) > 0
    )
) AS w;

-- name: measure_ended_by_span
-- As count_ended and measure_ended, for each span of $6 seconds since $1 in
-- which a group ended: how many did, how many not well, how long they waited,
-- and by how much the last estimate of their start was off, in seconds.
SELECT
  w.span,
  count(*) AS groups,
  count(*) FILTER (WHERE w.result <> 'succeeded') AS failed,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY w.waited) AS wait_p50,
  percentile_cont(0.95) WITHIN GROUP (ORDER BY w.waited) AS wait_p95,
  max(w.waited)::double precision AS wait_max,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY w.missed) AS off_p50,
  percentile_cont(0.95) WITHIN GROUP (ORDER BY w.missed) AS off_p95,
  max(w.missed)::double precision AS off_max
FROM (
  SELECT
    h.result,
    floor(extract(EPOCH FROM h.recorded_at - $1::timestamptz) / $6::bigint)::bigint
      AS span,
    extract(EPOCH FROM h.bound_at - h.submitted_at) AS waited,
    abs(extract(EPOCH FROM h.allocated_at - h.last_estimate)) AS missed
  FROM group_history AS h
  WHERE
    h.recorded_at >= $1::timestamptz
    AND ($2::text IS NULL OR h.namespace = $2)
    AND ($3::text IS NULL OR h.queue = $3)
    AND ($4::text [] IS NULL OR h.result = ANY($4))
    AND (
      $5::text IS NULL
      OR strpos(lower(h.namespace || '/' || h.group_name), $5) > 0
    )
) AS w
GROUP BY w.span
ORDER BY w.span;
