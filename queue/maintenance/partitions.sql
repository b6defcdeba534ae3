-- The queries that create and find the partitions of finished jobs.

-- name: make_partitions
-- Creates the daily partitions of a table from today to $2 days ahead.
SELECT make_partitions($1::text::regclass, $2) AS made;

-- name: old_partitions
-- Partitions (named <table>_YYYYMMDD) that ended more than $2 days ago, with
-- the statements that remove them ($3: concurrently). An interrupted detach
-- comes first, because it must be finished before another can start.
SELECT
  c.relname AS partition,
  CASE
    WHEN i.inhdetachpending
      THEN format(
        'ALTER TABLE %I.%I DETACH PARTITION %I.%I FINALIZE',
        n.nspname, $1::text, n.nspname, c.relname
      )
    WHEN i.inhrelid IS NOT NULL
      THEN format(
        'ALTER TABLE %I.%I DETACH PARTITION %I.%I%s',
        n.nspname, $1::text, n.nspname, c.relname,
        CASE WHEN $3::boolean THEN ' CONCURRENTLY' ELSE '' END
      )
  END AS detach,
  format('DROP TABLE %I.%I', n.nspname, c.relname) AS drop
FROM pg_class AS c
INNER JOIN pg_namespace AS n ON n.oid = c.relnamespace
LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
WHERE
  n.nspname = current_schema()
  AND c.relkind = 'r'
  AND c.relname ~ ('^' || $1::text || '_[0-9]{8}$')
  AND to_date(right(c.relname, 8), 'YYYYMMDD')
  < (now() AT TIME ZONE 'UTC')::date - $2::integer
ORDER BY coalesce(i.inhdetachpending, false) DESC, c.relname;
