-- The queries of the commands that change rows: queues, accounts, pools, node
-- maintenance.

-- name: create_account
-- Creates an account that selects no groups and limits nothing.
INSERT INTO accounts (name) VALUES ($1)
ON CONFLICT (name) DO NOTHING;

-- name: edit_account
-- Sets the columns of account $1 that the object $2 has.
UPDATE accounts AS a
SET (parent, label, namespace, queue, weight, quota, borrows) = (
  SELECT
    p.parent,
    p.label,
    p.namespace,
    p.queue,
    p.weight,
    p.quota,
    p.borrows
  FROM jsonb_populate_record(a, $2::jsonb) AS p
)
WHERE a.name = $1;

-- name: delete_account
-- Deletes an account without children.
DELETE FROM accounts
WHERE name = $1;

-- name: drain_nodes
-- Announces maintenance of the nodes $1 or of the nodes with the labels $2;
-- deletes maintenance that ended more than a week before $6.
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
-- The number of known nodes that maintenance $1 affects, and of groups on them
-- that may still run when it begins.
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

-- name: list_in_the_way
-- The groups on nodes of maintenance $1 that may still run when it begins, at
-- most $2 of them.
SELECT DISTINCT
  g.namespace,
  g.group_name
FROM node_maintenance AS k
INNER JOIN placements AS l ON l.node_name = k.node_name
INNER JOIN allocations AS a ON a.fluxion_job = l.fluxion_job
INNER JOIN pod_groups AS g ON g.id = a.group_id
WHERE
  k.maintenance_id = $1
  AND (a.ends_at IS NULL OR a.ends_at > k.starts_at)
ORDER BY g.namespace, g.group_name
LIMIT $2;

-- name: undrain_by_id
-- Withdraws one maintenance.
DELETE FROM maintenance WHERE id = $1;

-- name: undrain_selector
-- Withdraws the maintenance of nodes with exactly the labels $1, unless it is
-- over at $2.
DELETE FROM maintenance
WHERE
  node_selector = $1::text::jsonb
  AND (ends_at IS NULL OR ends_at > $2);

-- name: find_drained
-- The nodes among $1 that are named in a maintenance that is not over at $2.
SELECT DISTINCT v.node
FROM unnest($1::text []) AS v (node)
INNER JOIN maintenance AS m ON v.node = any(m.nodes)
WHERE m.ends_at IS NULL OR m.ends_at > $2
ORDER BY v.node;

-- name: drop_drains_of
-- Withdraws maintenance that names no nodes other than $1 and is not over at
-- $2.
DELETE FROM maintenance
WHERE nodes <@ $1::text [] AND (ends_at IS NULL OR ends_at > $2);

-- name: shrink_drains
-- Removes the nodes $1 from maintenance that also names other nodes and is not
-- over at $2.
UPDATE maintenance AS m
SET nodes = ARRAY(
  SELECT n.node FROM unnest(m.nodes) AS n (node)
  WHERE n.node <> all($1::text [])
  ORDER BY n.node
)
WHERE m.nodes && $1::text [] AND (m.ends_at IS NULL OR m.ends_at > $2);

-- name: create_queue
-- Creates a scheduling queue with default settings.
INSERT INTO queues (name) VALUES ($1)
ON CONFLICT (name) DO NOTHING;

-- name: edit_queue
-- Sets the columns of queue $1 that the object $2 has.
UPDATE queues AS q
SET (
  node_selector, queue_policy, queue_order, ageing, half_life, match_policy,
  queue_depth, reservation_depth, paused, assumed_duration, deadline_action,
  bind_timeout, replacement_hold, preemption, exclusive, topology
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
    p.preemption,
    p.exclusive,
    p.topology
  FROM jsonb_populate_record(q, $2::jsonb) AS p
)
WHERE q.name = $1;

-- name: delete_queue
-- Deletes a queue that no group uses.
DELETE FROM queues
WHERE name = $1;

-- name: set_pool
-- Sets the total ($2) of a pool, and its description unless that is null ($3;
-- empty: none); makes the pool if there is none.
INSERT INTO pools AS p (name, total, description, made_at, changed_at)
VALUES ($1, $2, nullif($3, ''), $4, $4)
ON CONFLICT (name) DO UPDATE SET
total = excluded.total,
description = CASE WHEN $3 IS NULL THEN p.description ELSE nullif($3, '') END,
changed_at = excluded.changed_at
RETURNING p.xmax = 0 AS made;

-- name: read_pool_holders
-- The groups that hold something of a pool, or have it reserved.
SELECT DISTINCT h.group_id FROM pool_holders AS h WHERE h.pool = $1;

-- name: delete_pool
-- Deletes a pool.
DELETE FROM pools WHERE name = $1;
