-- Statements of the maintenance leader that keep the tables small.

-- name: tables_to_vacuum
-- Of these tables ($2), those with $1 dead rows or more, and the statement to
-- vacuum them. The statistics lag by a second.
SELECT
  s.relname AS name,
  s.n_dead_tup AS dead,
  format(
    'VACUUM (SKIP_LOCKED, TRUNCATE off) %I.%I', s.schemaname, s.relname
  ) AS vacuum
FROM pg_stat_user_tables AS s
WHERE
  s.schemaname = current_schema()
  AND s.relname = ANY($2::text [])
  AND s.n_dead_tup >= $1::bigint
ORDER BY s.n_dead_tup DESC;

-- name: bloated_indexes
-- Indexes of these tables ($3) with at least $1 bytes, and at least $2 bytes
-- per entry, by the entry count of the last VACUUM or ANALYZE.
SELECT
  c.relname AS name,
  format('REINDEX INDEX CONCURRENTLY %I.%I', n.nspname, c.relname) AS reindex
FROM pg_index AS i
INNER JOIN pg_class AS c ON c.oid = i.indexrelid
INNER JOIN pg_class AS t ON t.oid = i.indrelid
INNER JOIN pg_namespace AS n ON n.oid = t.relnamespace
WHERE
  n.nspname = current_schema()
  AND t.relname = ANY($3::text [])
  AND i.indisvalid
  AND c.relkind = 'i'
  AND c.reltuples >= 0
  AND pg_relation_size(c.oid) >= $1::bigint
  AND pg_relation_size(c.oid) >= c.reltuples * $2::bigint
ORDER BY c.relname;

-- name: broken_indexes
-- Invalid indexes of these tables ($1) left by an interrupted REINDEX
-- CONCURRENTLY.
SELECT
  c.relname AS name,
  format('DROP INDEX CONCURRENTLY %I.%I', n.nspname, c.relname) AS drop
FROM pg_index AS i
INNER JOIN pg_class AS c ON c.oid = i.indexrelid
INNER JOIN pg_class AS t ON t.oid = i.indrelid
INNER JOIN pg_namespace AS n ON n.oid = t.relnamespace
WHERE
  n.nspname = current_schema()
  AND t.relname = ANY($1::text [])
  AND NOT i.indisvalid
  AND c.relname ~ '_cc(new|old)[0-9]*$'
ORDER BY c.relname;

-- name: forget_unused_queues
-- Deletes queues that no worker has used for a day and that have no job, unless
-- they are paused.
DELETE FROM job_queues AS q
WHERE
  q.paused_at IS NULL
  AND q.used_at < now() - interval '1 day'
  AND q.name NOT IN (SELECT j.queue FROM jobs AS j);

-- name: forget_orphaned_keys
-- Deletes keys of jobs that exist no more, not even as finished ones, which may
-- run again. Keeps a key that another job takes meanwhile.
WITH orphaned AS MATERIALIZED (
  SELECT
    k.key,
    k.job_id
  FROM unique_keys AS k
  WHERE
    k.job_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM jobs AS j WHERE j.id = any(ARRAY[k.job_id]))
    AND NOT EXISTS (
      SELECT FROM jobs_finished AS f WHERE f.id = any(ARRAY[k.job_id])
    )
  LIMIT $1
)

DELETE FROM unique_keys AS k
USING orphaned AS o
WHERE k.key = ANY(ARRAY[o.key]) AND k.job_id = ANY(ARRAY[o.job_id]);
