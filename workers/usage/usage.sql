-- The roll-up of usage.

-- name: roll_up_usage
-- Writes what groups held on the days (UTC) from that of an hour before the last
-- roll-up to that of $1. A value never falls, so that a day stays whose history is gone.
-- Does nothing while another roll-up runs, or within nine minutes of one, since
-- each replica asks every ten minutes.
WITH clock AS MATERIALIZED (
  SELECT
    c.only_row,
    (
      coalesce(
        c.rolled_up_to - interval '1 hour',
        least(
          (SELECT min(h.recorded_at) FROM group_history AS h),
          (SELECT min(a.starts_at) FROM allocations AS a),
          $1::timestamptz
        )
      ) AT TIME ZONE 'UTC'
    )::date AS first
  FROM usage_clock AS c
  WHERE coalesce(c.rolled_up_to <= $1::timestamptz - interval '9 minutes', true)
  FOR UPDATE OF c SKIP LOCKED
),

days AS (
  SELECT
    d.day::date AS day,
    d.day AT TIME ZONE 'UTC' AS begins,
    least(
      (d.day + interval '1 day') AT TIME ZONE 'UTC', $1::timestamptz
    ) AS ends
  FROM clock AS c
  CROSS JOIN LATERAL generate_series(
    c.first::timestamp, $1::timestamptz AT TIME ZONE 'UTC', '1 day'
  ) AS d (day)
),

written AS (
  INSERT INTO usage_days AS u (
    day, queue, namespace, account, user_name, resource, used
  )
  SELECT
    d.day,
    p.queue,
    p.namespace,
    p.account,
    p.user_name,
    r.resource,
    sum(quantity_of(r.amount) * p.seconds)
  FROM days AS d
  CROSS JOIN LATERAL (
    -- Most pods ask for one of few amounts.
    SELECT
      h.queue,
      h.namespace,
      h.account,
      h.user_name,
      h.held,
      sum(h.seconds) AS seconds
    FROM places_held(d.begins, d.ends) AS h
    GROUP BY h.queue, h.namespace, h.account, h.user_name, h.held
  ) AS p
  CROSS JOIN LATERAL jsonb_each_text(p.held) AS r (resource, amount)
  GROUP BY d.day, p.queue, p.namespace, p.account, p.user_name, r.resource
  HAVING sum(quantity_of(r.amount) * p.seconds) > 0
  ON CONFLICT (day, queue, namespace, account, user_name, resource)
  DO UPDATE SET used = excluded.used WHERE excluded.used > u.used
)

UPDATE usage_clock AS c SET rolled_up_to = greatest(c.rolled_up_to, $1)
FROM clock AS k
WHERE c.only_row = k.only_row;
