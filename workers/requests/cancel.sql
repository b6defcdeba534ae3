-- The queries of cancellation. Scheduling time is a parameter.

-- name: cancel_filling_groups
-- Cancels filling groups ($1, $2), each for a reason ($3): their pods no longer
-- count.
WITH v AS MATERIALIZED (
  SELECT *
  FROM unnest($1::text [], $2::text [], $3::text [])
  AS u (namespace, group_name, reason)
),

gone AS (
  DELETE FROM groups_provisional AS g
  USING v
  WHERE g.namespace = any(ARRAY[v.namespace]) AND g.group_name = v.group_name
  RETURNING
    g.*,
    v.reason,
    (
      SELECT
        jsonb_agg(
          jsonb_build_object('name', m.pod_name, 'state', 'deleted')
          ORDER BY m.pod_name
        )
      FROM pods_provisional AS m
      WHERE
        m.namespace = g.namespace
        AND m.group_name = g.group_name
        AND (m.refused IS NULL OR m.refused NOT LIKE 'cancelled: %')
    ) AS pods
),

marked AS (
  UPDATE pods_provisional AS p SET refused = 'cancelled: ' || v.reason
  FROM v
  WHERE
    p.namespace = any(ARRAY[v.namespace])
    AND p.group_name = v.group_name
    AND (p.refused IS NULL OR p.refused NOT LIKE 'cancelled: %')
  RETURNING
    p.uid, p.namespace, p.group_name, p.pod_name, p.gated, p.created_at, v.reason
),

recorded AS (
  INSERT INTO group_history (
    group_id, namespace, group_name, group_size, queue, priority, result,
    reason, pods, submitted_at, ended_at, traceparent
  )
  SELECT
    g.group_id,
    g.namespace,
    g.group_name,
    g.group_size,
    g.queue,
    0,
    'cancelled',
    g.reason,
    coalesce(g.pods, '[]'),
    g.first_seen_at,
    $4,
    g.traceparent
  FROM gone AS g
)

SELECT * FROM marked AS m
ORDER BY m.namespace, m.group_name, m.created_at, m.uid;

-- name: cancel_active_groups
-- Cancels the groups of this name: no more of their pods are placed or bound.
-- Evicted ones do not come again.
WITH cancelled AS (
  UPDATE pod_groups AS g
  SET cancel_reason = $3, comes_again = false, revision = g.revision + 1
  WHERE
    g.namespace = $1
    AND g.group_name = $2
    AND (g.cancel_reason IS NULL OR g.comes_again)
  RETURNING g.id, g.queue
),

told AS (
  INSERT INTO match_inbox (queue, news, group_id)
  SELECT c.queue, 'changed', c.id FROM cancelled AS c
)

SELECT c.id FROM cancelled AS c ORDER BY c.id;
