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
