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

-- name: list_estimate_errors
-- The errors of estimated starts by queue, kind of estimate and horizon.
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
