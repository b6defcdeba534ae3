-- Accounts, as people edit and list them.

-- name: list_accounts
-- Accounts in order of the tree; only the one named $1 if that is not null.
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

-- name: create_account
-- Makes an account that names nobody and limits nothing.
INSERT INTO accounts (name) VALUES ($1)
ON CONFLICT (name) DO NOTHING;

-- name: edit_account
-- Changes what the object $2 names of an account ($1).
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
-- Deletes an account that has none below it.
DELETE FROM accounts
WHERE name = $1;
