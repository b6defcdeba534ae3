-- The queries behind /metrics and /readyz.

-- name: sample_replica
-- Whether the heartbeat of client $1 is current, which leaderships it has, and
-- how many clients are alive.
SELECT
  EXISTS (
    SELECT FROM clients AS c
    WHERE c.id = $1::bigint AND c.heartbeat_at > clock_timestamp() - c.time_to_live
  ) AS registered,
  (
    SELECT count(*) FROM clients AS c
    WHERE c.heartbeat_at > clock_timestamp() - c.time_to_live
  ) AS replicas,
  ARRAY(
    SELECT l.name FROM leaders AS l
    WHERE l.client_id = $1
    ORDER BY l.name
  ) AS leads;

-- name: sample_usage
-- What groups have held on the day (UTC) of the last roll-up, by queue and
-- resource: amount times seconds.
SELECT
  u.queue,
  u.resource,
  sum(u.used) AS used
FROM usage_clock AS c
INNER JOIN usage_days AS u ON u.day = (c.rolled_up_to AT TIME ZONE 'UTC')::date
GROUP BY u.queue, u.resource
ORDER BY u.queue, u.resource;

-- name: sample_groups
-- Groups by queue, state and (if pending) reason: their number, and the seconds
-- since the first submission. Reads all unfinished groups.
SELECT
  c.queue,
  c.state,
  CASE
    WHEN c.state = 'unsatisfiable' THEN 'unsatisfiable'
    WHEN c.state <> 'pending' THEN NULL
    WHEN c.phase NOT IN ('queued', 'reserved') THEN c.phase
    WHEN c.own THEN 'own'
    ELSE coalesce(replace(w.kind, ' ', '_'), 'queued')
  END AS reason,
  sum(c.groups)::bigint AS groups,
  extract(EPOCH FROM clock_timestamp() - min(c.oldest))::double precision AS oldest
FROM (
  SELECT
    g.queue,
    g.state,
    g.phase,
    g.reason IS NOT NULL AS own,
    g.shape,
    g.namespace,
    g.account,
    count(*) AS groups,
    min(g.submitted_at) AS oldest
  FROM pod_groups AS g
  GROUP BY g.queue, g.state, g.phase, g.reason IS NOT NULL, g.shape, g.namespace, g.account
) AS c
LEFT JOIN wait_reasons AS w
  ON
    c.state = 'pending'
    AND w.queue = c.queue
    AND w.shape = c.shape
    AND (w.namespace = '' OR (w.namespace = c.namespace AND w.account = c.account))
GROUP BY 1, 2, 3
UNION ALL
SELECT
  f.queue,
  'provisional',
  NULL,
  count(*),
  extract(EPOCH FROM clock_timestamp() - min(f.first_seen_at))::double precision
FROM groups_provisional AS f
GROUP BY f.queue;
