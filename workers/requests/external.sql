-- The queries of external groups, whose pods a gRPC client starts. Scheduling
-- time is a parameter.

-- name: queue_exists
-- Whether a scheduling queue of this name exists.
SELECT EXISTS (SELECT FROM queues AS q WHERE q.name = $1) AS "any";

-- name: forget_ended_asks
-- Unlinks groups that have ended, or end by $2, from the ask key ($1), so that
-- another call with this key gets a new group.
UPDATE external_groups AS e SET ask_key = NULL
FROM pod_groups AS g
WHERE
  e.ask_key = $1
  AND g.id = any(ARRAY[e.group_id])
  AND (
    g.cancel_reason IS NOT NULL
    OR EXISTS (
      SELECT FROM allocations AS a
      WHERE a.fluxion_job = any(ARRAY[g.id]) AND a.ends_at <= $2
    )
  );

-- name: make_external_group
-- Makes a group of $4 pods with the same request ($5), unless a group with this
-- ask key ($8) exists. Without a name it is named after its id.
WITH claimed AS (
  INSERT INTO external_groups (group_id, request, reserve, ask_key)
  VALUES (nextval('group_ids'), $5::text::jsonb, $7, $8)
  ON CONFLICT (ask_key) DO NOTHING
  RETURNING group_id, request
)

INSERT INTO pod_groups (
  id, namespace, group_name, group_size, queue, priority, shape,
  duration_seconds, submitted_at, promoted_at, start_by, preempts,
  grace_seconds, pools
)
SELECT
  c.group_id,
  $1,
  coalesce($2, 'fluxnetes-match-' || c.group_id),
  $4,
  $3,
  0,
  hashtextextended(
    repeat(jsonb_hash_extended(c.request, 0)::text || ',', $4::integer - 1)
    || jsonb_hash_extended(c.request, 0)::text
    || '/'
    || $6::bigint::text,
    0
  ),
  $6,
  $9,
  $9,
  $10,
  false,
  0,
  coalesce(c.request #> '{topology,pools}', '{}')
FROM claimed AS c
RETURNING id, group_name;

-- name: join_external_group
-- Counts one more call for the group with this ask key.
UPDATE external_groups AS e SET asks = e.asks + 1
WHERE e.ask_key = $1
RETURNING e.group_id AS id, e.asks;

-- name: read_external_group
-- The state of a group: the nodes of its pods, or the time and nodes of its
-- reservation.
SELECT
  g.namespace,
  g.state,
  e.promised,
  floor(extract(epoch FROM r.starts_at))::bigint AS starts_at,
  (
    SELECT json_agg(json_build_array(n.node, n.tasks) ORDER BY n.node)::text
    FROM (
      SELECT
        l.node_name AS node,
        count(*) AS tasks
      FROM placements AS l
      WHERE l.fluxion_job = any(ARRAY[g.id])
      GROUP BY l.node_name
    ) AS n
  ) AS nodes,
  (
    SELECT json_agg(json_build_array(n.node, n.tasks) ORDER BY n.node)::text
    FROM (
      SELECT
        r.nodes[p.place + 1] AS node,
        count(*) AS tasks
      FROM unnest(r.places) AS p (place)
      GROUP BY p.place
    ) AS n
  ) AS reserved
FROM external_groups AS e
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[e.group_id])
LEFT JOIN reservations AS r
  ON r.group_id = any(ARRAY[e.group_id]) AND r.kind = 'reservation'
WHERE e.group_id = $1 AND g.cancel_reason IS NULL;

-- name: end_external_group
-- Cancels a group, for a reason ($2), if at most $3 calls (null: any number)
-- have asked for it.
WITH ended AS (
  UPDATE pod_groups AS g
  SET cancel_reason = $2, revision = g.revision + 1
  FROM external_groups AS e
  WHERE
    g.id = $1
    AND e.group_id = any(ARRAY[g.id])
    AND e.asks <= coalesce($3::integer, e.asks)
    AND g.cancel_reason IS NULL
  RETURNING g.id, g.queue, g.namespace, g.group_name
),

told AS (
  INSERT INTO match_inbox (queue, news, group_id)
  SELECT d.queue, 'changed', d.id FROM ended AS d
)

SELECT
  d.id,
  d.namespace,
  d.group_name
FROM ended AS d;
