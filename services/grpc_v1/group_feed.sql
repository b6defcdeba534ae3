-- The queries of the feed of changed groups. Each page is cut by ids before anything
-- is looked up for single rows, so that it costs the same however many groups
-- there are.

-- name: limit_time
-- Ends a statement of this transaction that takes longer than $1 milliseconds.
SELECT set_config('statement_timeout', $1::bigint::text, true) AS set;

-- name: change_horizon
-- The oldest transaction that has not ended: what those before it have changed is
-- seen by all who ask from now on.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon;

-- name: changed_groups
-- Ids of unfinished groups, in order, of which something was changed by the
-- transaction $1 or a later one. Reads the tables from one end to the other, and
-- costs those who change them nothing.
WITH horizon AS MATERIALIZED (
  SELECT age($1::text::xid8::xid) AS age
)

SELECT g.id
FROM pod_groups AS g
CROSS JOIN horizon AS h
WHERE age(g.xmin) <= h.age
UNION
SELECT r.group_id
FROM reservations AS r
CROSS JOIN horizon AS h
WHERE age(r.xmin) <= h.age
ORDER BY id;

-- name: groups_that_fill
-- Ids of the groups that fill, and whether the transaction $1 or a later one has
-- changed something of them.
WITH horizon AS MATERIALIZED (
  SELECT age($1::text::xid8::xid) AS age
)

SELECT
  f.group_id AS id,
  age(f.xmin) <= h.age AS changed
FROM groups_provisional AS f
CROSS JOIN horizon AS h;

-- name: finished_changes
-- Ids of groups that have finished in the transaction $1 or a later one, within the
-- last hour.
WITH horizon AS MATERIALIZED (
  SELECT age($1::text::xid8::xid) AS age
)

SELECT n.group_id AS id
FROM group_history AS n
CROSS JOIN horizon AS h
WHERE n.recorded_at >= now() - interval '1 hour' AND age(n.xmin) <= h.age
ORDER BY n.group_id;
