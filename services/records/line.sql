-- The query behind `get groups`: groups in the order in which they run.

-- name: list_line
-- Running groups, then pending ones in the pending order, unsatisfiable ones,
-- provisional or refused ones (refused: id 0), and those finished since $5,
-- newest first: of namespace $1, with name $2, of queue $3, in one of the
-- states $4, at most $6. Each part is read in its order and only up to the
-- limit, so that a page costs the same however many groups wait.
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
          WHEN NOT has_position(g.phase, g.cancel_reason) THEN NULL
          WHEN q.queue_order = 'arrival'
            THEN count(*) FILTER (
              WHERE has_position(g.phase, g.cancel_reason)
            ) OVER line
          ELSE (
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
    -- The order of `place`, written so that the index supplies it.
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
)

SELECT
  a.id,
  true AS active,
  a.stage,
  a.place,
  a.position,
  g.queue,
  g.namespace,
  g.group_name
FROM active AS a
INNER JOIN pod_groups AS g ON g.id = a.id
UNION ALL
SELECT
  o.group_id,
  false,
  CASE o.state WHEN 'finished' THEN 5 ELSE 4 END,
  CASE o.state WHEN 'finished' THEN -o.group_id ELSE o.group_id END,
  NULL,
  o.queue,
  o.namespace,
  o.group_name
FROM inactive_groups AS o
WHERE
  o.recorded_at >= $5::timestamptz
  AND ($1 IS NULL OR o.namespace = $1)
  AND ($2 IS NULL OR o.group_name = $2)
  AND ($3 IS NULL OR o.queue = $3)
  AND ($4 IS NULL OR o.state = ANY($4))
ORDER BY stage, queue, place
LIMIT $6;
