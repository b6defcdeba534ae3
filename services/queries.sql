-- What the command line asks.

-- name: places_in_line
-- Of these groups ($1), those in line: their places. Reads the whole line.
SELECT
  p.group_id,
  p.position
FROM pending AS p
WHERE p.group_id = any($1::bigint []) AND p.position IS NOT NULL;

-- name: count_groups
-- How many groups are in which state: of a namespace ($1), queue ($2), finished
-- ones since $3.
SELECT
  c.state,
  count(*) AS groups
FROM (
  SELECT
    o.namespace,
    o.queue,
    coalesce(o.result, o.state) AS state
  FROM inactive_groups AS o
  WHERE o.recorded_at >= $3::timestamptz
  UNION ALL
  SELECT
    g.namespace,
    g.queue,
    g.state
  FROM pod_groups AS g
) AS c
WHERE
  ($1::text IS NULL OR c.namespace = $1)
  AND ($2::text IS NULL OR c.queue = $2)
GROUP BY c.state;

-- name: summarize_finished
-- How the groups went that have finished since $3, of a namespace ($1), queue
-- ($2): how long they waited for their binding, how long all took.
SELECT
  count(*) AS groups,
  coalesce(sum(h.group_size), 0)::bigint AS pods,
  percentile_cont(0.5) WITHIN GROUP (
    ORDER BY extract(EPOCH FROM h.bound_at - h.submitted_at)
  ) AS wait_p50,
  percentile_cont(0.95) WITHIN GROUP (
    ORDER BY extract(EPOCH FROM h.bound_at - h.submitted_at)
  ) AS wait_p95,
  extract(EPOCH FROM max(h.ended_at) - min(h.submitted_at))::double precision
  AS makespan
FROM group_history AS h
WHERE
  h.recorded_at >= $3::timestamptz
  AND ($1::text IS NULL OR h.namespace = $1)
  AND ($2::text IS NULL OR h.queue = $2);

-- name: list_generations
-- The groups that had a name, the newest first, unfinished before finished.
SELECT
  c.id,
  c.state,
  c.ended_at
FROM (
  SELECT
    o.group_id AS id,
    coalesce(o.result, o.state) AS state,
    o.ended_at
  FROM inactive_groups AS o
  WHERE o.namespace = $1 AND o.group_name = $2
  UNION ALL
  SELECT
    g.id,
    g.state,
    NULL
  FROM pod_groups AS g
  WHERE g.namespace = $1 AND g.group_name = $2
) AS c
WHERE $3::bigint IS NULL OR c.id = $3
ORDER BY c.ended_at IS NOT NULL, c.id DESC
LIMIT 10;

-- name: list_members
-- The pods of a group in pod_groups, with the node that each is to go to; of an
-- elastic one also those by which it has grown or is to grow; of one whose pods
-- others start their places.
SELECT
  p.pod_name,
  p.state,
  coalesce(p.node_name, l.node_name) AS node_name,
  p.request,
  p.owner_kind,
  p.owner_name,
  p.created_at,
  p.bound_at,
  p.ended_at,
  CASE
    WHEN p.replaced_by IS NOT NULL THEN 'replaced'
    WHEN p.group_id <> $1 THEN 'beyond the minimum'
  END AS note,
  p.group_id <> $1 AS beyond,
  p.completion_index AS place
FROM pods AS p
LEFT JOIN placements AS l ON l.fluxion_job = p.group_id AND l.pod_uid = p.uid
WHERE
  p.group_id = $1
  OR p.group_id IN (SELECT x.id FROM pod_groups AS x WHERE x.extends = $1)
UNION ALL
SELECT
  l.pod_uid,
  'given out',
  l.node_name,
  e.request,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  false,
  split_part(l.pod_uid, '-', 3)::integer
FROM external_groups AS e
INNER JOIN placements AS l ON l.fluxion_job = e.group_id
WHERE e.group_id = $1
ORDER BY beyond, place, pod_name;

-- name: list_provisional_members
-- The pods that have arrived for a group that fills, refused ones too.
SELECT
  p.pod_name,
  CASE
    WHEN p.refused IS NOT NULL THEN 'refused'
    WHEN p.gated THEN 'gated'
    ELSE 'arrived'
  END AS state,
  NULL::text AS node_name,
  p.request,
  p.owner_kind,
  p.owner_name,
  p.created_at,
  NULL::timestamptz AS bound_at,
  NULL::timestamptz AS ended_at,
  p.refused AS note
FROM pods_provisional AS p
WHERE p.namespace = $1 AND p.group_name = $2
ORDER BY p.completion_index, p.pod_name;

-- name: list_finished_members
-- The pods of a group in group_history.
SELECT
  m.name AS pod_name,
  m.state,
  m.node AS node_name,
  NULL::jsonb AS request,
  NULL::text AS owner_kind,
  NULL::text AS owner_name,
  NULL::timestamptz AS created_at,
  NULL::timestamptz AS bound_at,
  NULL::timestamptz AS ended_at,
  NULL::text AS note
FROM group_history AS h
CROSS JOIN
  LATERAL jsonb_to_recordset(h.pods) AS m (name text, node text, state text)
WHERE h.namespace = $1 AND h.group_name = $2 AND h.group_id = $3
ORDER BY m.name;

-- name: list_jobs_of_group
-- The live jobs that concern a group ($1), its match job ($2) among them.
SELECT
  j.id,
  j.kind,
  j.queue,
  j.state,
  j.attempt,
  j.max_attempts,
  j.scheduled_at,
  j.errors -> -1 ->> 'message' AS error
FROM jobs AS j
WHERE
  j.id = $2
  OR (
    j.queue IN ('bind', 'cleanup', 'notice')
    AND j.args -> 'group' = to_jsonb($1::bigint)
  )
ORDER BY j.id;

-- name: list_nodes
-- Nodes, what is in use on them, and the next maintenance that is not over at
-- $2; only the node named $1 if that is not null.
SELECT
  u.*,
  n.other,
  n.labels,
  n.seen_at,
  coalesce(o.granted, '{}') AS granted_other,
  m.starts_at AS maintenance_from,
  m.ends_at AS maintenance_until,
  m.reason AS maintenance_reason
FROM node_usage AS u
INNER JOIN nodes AS n ON n.node_name = u.node_name
LEFT JOIN (
  SELECT
    s.node_name,
    jsonb_object_agg(s.resource, s.amount) AS granted
  FROM (
    SELECT
      l.node_name,
      e.key AS resource,
      sum(e.value::numeric) AS amount
    FROM placements AS l
    CROSS JOIN LATERAL jsonb_each_text(l.other) AS e
    WHERE l.other IS NOT NULL
    GROUP BY l.node_name, e.key
  ) AS s
  GROUP BY s.node_name
) AS o ON o.node_name = u.node_name
LEFT JOIN LATERAL (
  SELECT
    e.starts_at,
    e.ends_at,
    e.reason
  FROM maintenance AS e
  WHERE
    (u.node_name = any(e.nodes) OR n.labels @> e.node_selector)
    AND (e.ends_at IS NULL OR e.ends_at > $2)
  ORDER BY e.starts_at, e.id
  LIMIT 1
) AS m ON true
WHERE $1::text IS NULL OR u.node_name = $1
ORDER BY u.node_name;

-- name: list_queues
-- Scheduling queues, their settings and how many groups are in them; only the
-- one named $1 if that is not null.
SELECT
  s.queue,
  s.queue_policy,
  s.match_policy,
  s.paused,
  s.provisional,
  s.pending,
  s.unsatisfiable,
  s.allocated,
  s.bound,
  s.oldest_pending,
  q.node_selector,
  q.queue_order,
  q.ageing,
  q.queue_depth,
  q.reservation_depth,
  q.deadline_action,
  q.preemption,
  extract(EPOCH FROM q.half_life)::double precision AS half_life,
  extract(EPOCH FROM q.assumed_duration)::double precision AS assumed_duration,
  extract(EPOCH FROM q.bind_timeout)::double precision AS bind_timeout,
  extract(EPOCH FROM q.replacement_hold)::double precision AS replacement_hold
FROM queue_summary AS s
INNER JOIN queues AS q ON q.name = s.queue
WHERE $1::text IS NULL OR s.queue = $1
ORDER BY s.queue;

-- name: list_maintenance
-- Maintenance that is not over at $1, and how many nodes and groups it is about.
SELECT
  m.id,
  m.nodes,
  m.node_selector::text AS node_selector,
  m.starts_at,
  m.ends_at,
  m.reason,
  m.made_at,
  count(n.node_name) AS known_nodes,
  coalesce(sum(n.groups_in_the_way), 0)::bigint AS groups
FROM maintenance AS m
LEFT JOIN node_maintenance AS n ON n.maintenance_id = m.id
WHERE m.ends_at IS NULL OR m.ends_at > $1
GROUP BY m.id
ORDER BY m.starts_at, m.id;

-- name: list_estimate_errors
-- How wrong it was when groups would start, and until which horizon a row goes.
SELECT
  e.queue,
  e.estimate,
  extract(EPOCH FROM e.horizon)::bigint AS horizon,
  e.groups,
  e.mean,
  e.p50,
  e.p95,
  e.bias
FROM estimate_errors AS e
ORDER BY e.queue, e.estimate, e.horizon;

-- name: drain_nodes
-- Announces maintenance of nodes ($1) or of those with labels ($2); what has been
-- over for a week at $6 is forgotten.
WITH forgotten AS (
  DELETE FROM maintenance AS o
  WHERE o.ends_at < $6::timestamptz - interval '7 days'
)

INSERT INTO maintenance (
  nodes, node_selector, starts_at, ends_at, reason, made_at
)
VALUES ($1::text [], $2::text::jsonb, $3, $4, $5, $6)
RETURNING id;

-- name: count_drained
-- How many known nodes maintenance ($1) is about, and groups that need not have
-- ended when it begins.
SELECT
  count(*) AS nodes,
  (
    SELECT count(DISTINCT l.fluxion_job)
    FROM node_maintenance AS k
    INNER JOIN placements AS l ON l.node_name = k.node_name
    INNER JOIN allocations AS a ON a.fluxion_job = l.fluxion_job
    WHERE
      k.maintenance_id = $1
      AND (a.ends_at IS NULL OR a.ends_at > k.starts_at)
  ) AS groups
FROM node_maintenance AS m
WHERE m.maintenance_id = $1;

-- name: undrain_by_id
-- Takes maintenance back.
DELETE FROM maintenance WHERE id = $1;

-- name: undrain_selector
-- Takes back that of nodes with exactly these labels.
DELETE FROM maintenance
WHERE
  node_selector = $1::text::jsonb
  AND (ends_at IS NULL OR ends_at > $2);

-- name: find_drained
-- Of these nodes, those of which maintenance is announced by name that is not
-- over at a time ($2).
SELECT DISTINCT v.node
FROM unnest($1::text []) AS v (node)
INNER JOIN maintenance AS m ON v.node = any(m.nodes)
WHERE m.ends_at IS NULL OR m.ends_at > $2
ORDER BY v.node;

-- name: drop_drains_of
-- Takes back what is about no other nodes than these, of the same.
DELETE FROM maintenance
WHERE nodes <@ $1::text [] AND (ends_at IS NULL OR ends_at > $2);

-- name: shrink_drains
-- What is about other nodes too, of the same, is about those alone.
UPDATE maintenance AS m
SET nodes = ARRAY(
  SELECT n.node FROM unnest(m.nodes) AS n (node)
  WHERE n.node <> all($1::text [])
  ORDER BY n.node
)
WHERE m.nodes && $1::text [] AND (m.ends_at IS NULL OR m.ends_at > $2);

-- name: name_groups
-- Groups on their way ($1), for the log and the figures: their names; and of those
-- that were given nodes and had none before, how many seconds they had waited and
-- how much later that was than had been said first and last.
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

-- name: create_queue
-- Makes a scheduling queue with default settings.
INSERT INTO queues (name) VALUES ($1)
ON CONFLICT (name) DO NOTHING;

-- name: edit_queue
-- Changes the settings of a queue ($1) that the object $2 names.
UPDATE queues AS q
SET (
  node_selector, queue_policy, queue_order, ageing, half_life, match_policy,
  queue_depth, reservation_depth, paused, assumed_duration, deadline_action,
  bind_timeout, replacement_hold, preemption
) = (
  SELECT
    p.node_selector,
    p.queue_policy,
    p.queue_order,
    p.ageing,
    p.half_life,
    p.match_policy,
    p.queue_depth,
    p.reservation_depth,
    p.paused,
    p.assumed_duration,
    p.deadline_action,
    p.bind_timeout,
    p.replacement_hold,
    p.preemption
  FROM jsonb_populate_record(q, $2::jsonb) AS p
)
WHERE q.name = $1;

-- name: delete_queue
-- Deletes a queue that no group uses.
DELETE FROM queues
WHERE name = $1;
