-- The queries of lists that only `get` shows.

-- name: list_accounts
-- Accounts in the order of the tree; only the account $1 if that is not null.
SELECT
  account,
  cardinality(path) - 1 AS depth,
  parent,
  label,
  namespace,
  queue,
  weight,
  quota,
  borrows,
  holds,
  pending
FROM account_summary
WHERE $1::text IS NULL OR account = $1
ORDER BY path;

-- name: list_loops
-- The loops of the replicas that are alive, in order of replica and name.
SELECT
  c.id AS replica,
  c.name AS replica_name,
  l.name,
  l.number,
  l.runs,
  l.failures,
  l.last_run_at,
  l.took,
  l.lag,
  l.running,
  l.failing,
  l.reported_at
FROM clients AS c
INNER JOIN replica_loops AS l ON l.client_id = c.id
WHERE c.heartbeat_at + c.time_to_live > clock_timestamp()
ORDER BY c.id, l.name, l.number;
