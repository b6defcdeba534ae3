-- The queries of the feed of changed groups.

-- name: limit_time
-- Limits each statement of this transaction to $1 milliseconds.
SELECT set_config('statement_timeout', $1::bigint::text, true) AS set;

-- name: change_horizon
-- The oldest transaction still running. Changes of earlier transactions are
-- visible to every later snapshot. And the snapshot itself: while it is the same,
-- nothing has been committed.
SELECT
  pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
  pg_current_snapshot()::text AS snapshot;

-- name: changed_groups
-- The ids, in order, of unfinished groups that transaction $1 or a later one
-- changed, or whose reservation or estimated start it did. Reads the tables in
-- full, which costs the writers nothing.
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
UNION
SELECT e.group_id
FROM estimates AS e
CROSS JOIN horizon AS h
WHERE age(e.xmin) <= h.age
ORDER BY id;

-- name: groups_that_fill
-- The ids of provisional groups, and whether transaction $1 or a later one has
-- changed them.
WITH horizon AS MATERIALIZED (
  SELECT age($1::text::xid8::xid) AS age
)

SELECT
  f.group_id AS id,
  age(f.xmin) <= h.age AS changed
FROM groups_provisional AS f
CROSS JOIN horizon AS h;

-- name: finished_changes
-- The ids of groups that finished in transaction $1 or a later one, within the
-- last hour.
WITH horizon AS MATERIALIZED (
  SELECT age($1::text::xid8::xid) AS age
)

SELECT n.group_id AS id
FROM group_history AS n
CROSS JOIN horizon AS h
WHERE n.recorded_at >= now() - interval '1 hour' AND age(n.xmin) <= h.age
ORDER BY n.group_id;
