-- What `get groups` shows to people: the groups in the order in which they run.

-- name: list_line
-- Running groups, then those in line, that can never fit, that fill or are
-- refused (with id 0), and that finished since $5, newest first: of a namespace ($1), name ($2), queue ($3),
-- in states ($4), at most $6. Each part is read in its order and only up to the
-- limit, so that a page costs the same however many wait.
WITH running AS (
  SELECT
    g.id,
    1 AS stage,
    g.id AS place,
    NULL::bigint AS position
  FROM allocations AS a
  INNER JOIN pod_groups AS g ON g.id = a.group_id
  WHERE
    g.state IN ('allocated', 'bound')
    AND ($1::text IS NULL OR g.namespace = $1)
    AND ($2::text IS NULL OR g.group_name = $2)
    AND ($3::text IS NULL OR g.queue = $3)
    AND ($4::text [] IS NULL OR g.state = ANY($4))
  ORDER BY g.queue, g.id
  LIMIT $6::bigint
),

in_line AS (
  SELECT
    l.id,
    2 AS stage,
    l.place,
    l.position
  FROM queues AS q
  CROSS JOIN LATERAL (
    SELECT * FROM (
      SELECT
        g.id,
        g.namespace,
        g.group_name,
        g.first_in_line,
        g.priority,
        g.submitted_at,
        row_number() OVER line AS place,
        CASE
          WHEN g.phase IN ('queued', 'reserved') AND q.queue_order = 'arrival'
            THEN count(*) FILTER (
              WHERE g.phase IN ('queued', 'reserved')
            ) OVER line
          WHEN g.phase IN ('queued', 'reserved')
            THEN (
              SELECT e.position FROM estimates AS e
              WHERE e.group_id = any(ARRAY[g.id])
            )
        END AS position
      FROM pod_groups AS g
      WHERE g.queue = q.name AND g.state = 'pending'
      WINDOW line AS (
        ORDER BY g.first_in_line DESC, g.priority DESC, g.submitted_at, g.id
        ROWS UNBOUNDED PRECEDING
      )
    ) AS w
    WHERE
      ($1 IS NULL OR w.namespace = $1)
      AND ($2 IS NULL OR w.group_name = $2)
    -- By place, in words that let the index give this order.
    ORDER BY w.first_in_line DESC, w.priority DESC, w.submitted_at, w.id
    LIMIT $6
  ) AS l
  WHERE
    ($3 IS NULL OR q.name = $3)
    AND ($4 IS NULL OR 'pending' = ANY($4))
),

unsatisfiable AS (
  SELECT
    g.id,
    3 AS stage,
    g.id AS place,
    NULL::bigint AS position
  FROM pod_groups AS g
  WHERE
    g.state = 'unsatisfiable'
    AND ($1 IS NULL OR g.namespace = $1)
    AND ($2 IS NULL OR g.group_name = $2)
    AND ($3 IS NULL OR g.queue = $3)
    AND ($4 IS NULL OR g.state = ANY($4))
  ORDER BY g.queue, g.id
  LIMIT $6
),

active AS (
  SELECT * FROM running
  UNION ALL
  SELECT * FROM in_line
  UNION ALL
  SELECT * FROM unsatisfiable
),

page AS (
  SELECT
    g.id,
    g.namespace,
    g.group_name,
    g.group_size,
    g.queue,
    g.state,
    a.stage,
    a.place,
    a.position,
    g.phase,
    NULL::text AS result,
    coalesce(
      CASE WHEN g.comes_again THEN 'being ' ELSE 'being cancelled: ' END
      || g.cancel_reason,
      g.reason,
      CASE
        WHEN a.stage > 1 THEN coalesce(w.reason, 'queued')
        WHEN g.state = 'allocated' AND x.group_id IS NOT NULL
          THEN 'its caller (gRPC) starts its pods'
      END
    ) AS reason,
    g.priority,
    g.revision,
    g.duration_seconds,
    g.group_size AS arrived,
    NULL::text [] AS nodes,
    g.submitted_at,
    g.promoted_at,
    g.allocated_at,
    g.bound_at,
    NULL::timestamptz AS ended_at,
    g.match_job,
    g.start_after,
    g.start_by
  FROM active AS a
  INNER JOIN pod_groups AS g ON g.id = a.id
  LEFT JOIN external_groups AS x ON x.group_id = g.id
  LEFT JOIN wait_reasons AS w
    ON w.queue = g.queue
    AND w.shape = g.shape
    AND (w.namespace = '' OR (w.namespace = g.namespace AND w.account = g.account))
  UNION ALL
  SELECT
    o.group_id,
    o.namespace,
    o.group_name,
    o.group_size,
    o.queue,
    o.state,
    CASE o.state WHEN 'finished' THEN 5 ELSE 4 END,
    CASE o.state WHEN 'finished' THEN -o.group_id ELSE o.group_id END,
    NULL,
    NULL,
    o.result,
    o.reason,
    o.priority,
    NULL,
    NULL,
    o.arrived,
    o.nodes,
    o.submitted_at,
    o.promoted_at,
    o.allocated_at,
    o.bound_at,
    o.ended_at,
    NULL,
    o.start_after,
    o.start_by
  FROM inactive_groups AS o
  WHERE
    o.recorded_at >= $5::timestamptz
    AND ($1 IS NULL OR o.namespace = $1)
    AND ($2 IS NULL OR o.group_name = $2)
    AND ($3 IS NULL OR o.queue = $3)
    AND ($4 IS NULL OR o.state = ANY($4))
  ORDER BY stage, queue, place
  LIMIT $6
)

SELECT
  p.*,
  s.estimated_start,
  s.estimate,
  s.rests_on,
  coalesce(a.nodes, p.nodes, '{}') AS held_nodes,
  a.ends_at AS deadline,
  r.kind AS reservation,
  r.nodes AS reserved_nodes,
  m.waiting AS pods_waiting,
  m.bound AS pods_bound,
  m.succeeded AS pods_succeeded,
  m.failed AS pods_failed,
  e.extends,
  e.gang,
  e.max_size,
  e.grown
FROM page AS p
LEFT JOIN allocations AS a ON a.group_id = p.id
LEFT JOIN reservations AS r ON r.group_id = p.id
LEFT JOIN start_estimates AS s ON s.group_id = p.id
LEFT JOIN LATERAL (
  SELECT
    count(*) FILTER (WHERE n.state = 'waiting') AS waiting,
    count(*) FILTER (WHERE n.state = 'bound') AS bound,
    count(*) FILTER (WHERE n.state = 'succeeded') AS succeeded,
    count(*) FILTER (WHERE n.state = 'failed') AS failed
  FROM pods AS n
  WHERE n.group_id = p.id AND n.replaced_by IS NULL
) AS m ON p.stage < 4
LEFT JOIN LATERAL (
  SELECT
    k.extends,
    k.max_size,
    (
      SELECT x.group_name FROM pod_groups AS x WHERE x.id = any(ARRAY[k.extends])
    ) AS gang,
    (
      SELECT count(*) FROM pod_groups AS x
      WHERE x.extends = any(ARRAY[k.id]) AND x.state = 'bound'
    )::integer AS grown
  FROM pod_groups AS k
  WHERE k.id = any(ARRAY[p.id]) AND coalesce(k.extends, k.max_size) IS NOT NULL
) AS e ON p.stage < 4
ORDER BY p.stage, p.queue, p.place;
