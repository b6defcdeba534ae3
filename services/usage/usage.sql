-- The queries of `fluxnetes usage`.

-- name: list_usage
-- What groups held in months or days ($1) from the day $2 to the day $3, without
-- it, summed up by what is among $4 (queue, namespace, account, user); of
-- namespace $5, queue $6, account $7, user $8.
SELECT
  date_trunc($1, u.day::timestamp)::date::text AS period,
  CASE WHEN 'queue' = any($4::text []) THEN u.queue ELSE '' END AS queue,
  CASE WHEN 'namespace' = any($4) THEN u.namespace ELSE '' END AS namespace,
  CASE WHEN 'account' = any($4) THEN u.account ELSE '' END AS account,
  CASE WHEN 'user' = any($4) THEN u.user_name ELSE '' END AS user_name,
  u.resource,
  sum(u.used) AS used
FROM usage_days AS u
WHERE
  u.day >= $2::date
  AND u.day < $3::date
  AND coalesce(u.namespace = $5::text, true)
  AND coalesce(u.queue = $6::text, true)
  AND coalesce(u.account = $7::text, true)
  AND coalesce(u.user_name = $8::text, true)
GROUP BY 1, 2, 3, 4, 5, u.resource
ORDER BY 1, 2, 3, 4, 5, u.resource;

-- name: read_usage_clock
-- When usage was last rolled up.
SELECT c.rolled_up_to FROM usage_clock AS c;
