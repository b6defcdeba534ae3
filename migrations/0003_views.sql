-- What an operator asks, and a role that may only look.

CREATE VIEW start_estimates AS
SELECT
  g.id AS group_id,
  coalesce(r.starts_at, e.starts_at) AS estimated_start,
  CASE
    WHEN r.starts_at IS NOT NULL THEN 'reserved'
    WHEN e.starts_at IS NOT NULL AND e.approximate THEN 'approximate'
    WHEN e.starts_at IS NOT NULL THEN 'forecast'
  END AS estimate,
  CASE
    WHEN r.starts_at IS NOT NULL THEN 'nodes are reserved for it'
    ELSE nullif(e.rests_on, '')
  END AS rests_on
FROM pod_groups AS g
LEFT JOIN reservations AS r ON r.group_id = g.id
LEFT JOIN estimates AS e ON e.group_id = g.id
WHERE g.phase IN ('queued', 'reserved', 'deferred');
COMMENT ON VIEW start_estimates IS
'When groups that wait will start, as in pending, but without their place in line, which takes a look at the whole line.';
COMMENT ON COLUMN start_estimates.group_id IS 'As in pod_groups.id.';
COMMENT ON COLUMN start_estimates.estimated_start IS 'When it starts, if what runs keeps to its deadlines and nothing comes before it; null: not known.';
COMMENT ON COLUMN start_estimates.estimate IS 'How that is known: reserved (nodes are, it starts no later), forecast (what runs and waits was followed until then, as planned), approximate (from the rate at which groups start); null: it is not.';
COMMENT ON COLUMN start_estimates.rests_on IS 'What it rests on, or why it is not known, for people; null: the reason says it.';

CREATE VIEW pending AS
SELECT
  g.namespace,
  g.group_name,
  g.group_size,
  g.queue,
  CASE
    WHEN g.phase IS NULL OR g.phase NOT IN ('queued', 'reserved') THEN NULL
    WHEN q.queue_order <> 'arrival' THEN e.position
    ELSE count(*) FILTER (WHERE g.phase IN ('queued', 'reserved')) OVER (
      PARTITION BY g.queue
      ORDER BY g.first_in_line DESC, g.priority DESC, g.submitted_at, g.id
      ROWS UNBOUNDED PRECEDING
    )
  END AS position,
  g.state,
  g.phase,
  coalesce(g.reason, w.reason, 'queued') AS reason,
  s.estimated_start,
  s.estimate,
  s.rests_on,
  g.priority,
  g.submitted_at,
  g.start_after,
  g.start_by,
  g.id AS group_id
FROM pod_groups AS g
INNER JOIN queues AS q ON q.name = g.queue
LEFT JOIN wait_reasons AS w
  ON w.queue = g.queue
  AND w.shape = g.shape
  AND (w.namespace = '' OR (w.namespace = g.namespace AND w.account = g.account))
LEFT JOIN start_estimates AS s ON s.group_id = g.id
LEFT JOIN estimates AS e ON e.group_id = g.id
WHERE g.state IN ('pending', 'unsatisfiable');
COMMENT ON VIEW pending IS
'Groups that wait: their place in line, why they wait, and when they will start if that can be said.';

CREATE VIEW running AS
SELECT
  g.namespace,
  g.group_name,
  g.group_size,
  g.queue,
  g.state,
  a.nodes,
  a.starts_at,
  a.ends_at AS deadline,
  g.id AS group_id
FROM pod_groups AS g
INNER JOIN allocations AS a ON a.group_id = g.id
WHERE g.state IN ('allocated', 'bound');
COMMENT ON VIEW running IS 'Groups that hold nodes.';

CREATE VIEW node_usage AS
SELECT
  n.node_name,
  n.cpu_milli,
  n.foreign_cpu_milli,
  coalesce(p.cpu_milli, 0) AS granted_cpu_milli,
  n.memory_bytes,
  n.foreign_memory_bytes,
  coalesce(p.memory_bytes, 0) AS granted_memory_bytes,
  n.pods,
  n.foreign_pods,
  coalesce(p.pods, 0) AS granted_pods,
  n.unschedulable
FROM nodes AS n
LEFT JOIN (
  SELECT
    node_name,
    sum(cpu_milli)::bigint AS cpu_milli,
    sum(memory_bytes)::bigint AS memory_bytes,
    count(*) AS pods
  FROM placements
  GROUP BY node_name
) AS p ON p.node_name = n.node_name;
COMMENT ON VIEW node_usage IS
'Per node: what there is, what others use, what we have granted.';

CREATE VIEW node_maintenance AS
SELECT
  n.node_name,
  m.starts_at,
  m.ends_at,
  m.reason,
  (
    SELECT count(DISTINCT l.fluxion_job)
    FROM placements AS l
    INNER JOIN allocations AS a ON a.fluxion_job = l.fluxion_job
    WHERE
      l.node_name = n.node_name
      AND (a.ends_at IS NULL OR a.ends_at > m.starts_at)
  ) AS groups_in_the_way,
  m.id AS maintenance_id
FROM maintenance AS m
INNER JOIN nodes AS n
  ON n.node_name = ANY(m.nodes) OR n.labels @> m.node_selector;
COMMENT ON VIEW node_maintenance IS
'Per node: maintenance that is announced for it, and who runs there that need not have ended by then.';
COMMENT ON COLUMN node_maintenance.node_name IS 'Its name.';
COMMENT ON COLUMN node_maintenance.starts_at IS 'From when on nothing may run there.';
COMMENT ON COLUMN node_maintenance.ends_at IS 'From when on it may again; null: until it is undone.';
COMMENT ON COLUMN node_maintenance.reason IS 'For people.';
COMMENT ON COLUMN node_maintenance.groups_in_the_way IS 'How many groups hold something on it and have no deadline before it begins.';
COMMENT ON COLUMN node_maintenance.maintenance_id IS 'As in maintenance.id.';

CREATE VIEW queue_summary AS
SELECT
  q.name AS queue,
  q.queue_policy,
  q.match_policy,
  q.paused,
  (SELECT count(*) FROM groups_provisional AS f WHERE f.queue = q.name) AS provisional,
  count(g.id) FILTER (WHERE g.state = 'pending') AS pending,
  count(g.id) FILTER (WHERE g.state = 'unsatisfiable') AS unsatisfiable,
  count(g.id) FILTER (WHERE g.state = 'allocated') AS allocated,
  count(g.id) FILTER (WHERE g.state = 'bound') AS bound,
  min(g.submitted_at) FILTER (WHERE g.state = 'pending') AS oldest_pending
FROM queues AS q
LEFT JOIN pod_groups AS g ON g.queue = q.name
GROUP BY q.name;
COMMENT ON VIEW queue_summary IS 'Per scheduling queue: how many groups in which state.';

COMMENT ON COLUMN pending.namespace IS 'Kubernetes namespace.';
COMMENT ON COLUMN pending.group_name IS 'Its name.';
COMMENT ON COLUMN pending.group_size IS 'How many pods it has.';
COMMENT ON COLUMN pending.queue IS 'Its scheduling queue.';
COMMENT ON COLUMN pending.position IS 'Its place in the line of its queue, in the order in which they are asked, 1 is next; null: it stands in no line, since it is unsatisfiable, held, deferred or recalled, or its queue has another order than arrival and it is behind the first 1,000 or not looked at yet: such a place is as of seconds ago.';
COMMENT ON COLUMN pending.state IS 'pending, or unsatisfiable: it can never fit the cluster as it is.';
COMMENT ON COLUMN pending.phase IS 'queued, reserved (for a time, or nodes are drained for it), deferred (until start_after), held (by somebody), recalled (its places are being taken back); null: unsatisfiable.';
COMMENT ON COLUMN pending.reason IS 'Why it waits, for people.';
COMMENT ON COLUMN pending.estimated_start IS 'As in start_estimates.';
COMMENT ON COLUMN pending.estimate IS 'As in start_estimates.';
COMMENT ON COLUMN pending.rests_on IS 'As in start_estimates.';
COMMENT ON COLUMN pending.priority IS 'Higher goes first.';
COMMENT ON COLUMN pending.submitted_at IS 'When its first pod was created: its age in the order.';
COMMENT ON COLUMN pending.start_after IS 'It does not start before; null: it may.';
COMMENT ON COLUMN pending.start_by IS 'It is given up if it has no place by then; null: it waits for as long as it takes.';
COMMENT ON COLUMN pending.group_id IS 'As in pod_groups.id.';

COMMENT ON COLUMN running.namespace IS 'Kubernetes namespace.';
COMMENT ON COLUMN running.group_name IS 'Its name.';
COMMENT ON COLUMN running.group_size IS 'How many pods it has.';
COMMENT ON COLUMN running.queue IS 'Its scheduling queue.';
COMMENT ON COLUMN running.state IS 'allocated: has its nodes. bound: its pods were given to them.';
COMMENT ON COLUMN running.nodes IS 'Its nodes, each once, in order of name.';
COMMENT ON COLUMN running.starts_at IS 'From when it holds them (scheduling time).';
COMMENT ON COLUMN running.deadline IS 'Until when it may run; null: without end.';
COMMENT ON COLUMN running.group_id IS 'As in pod_groups.id.';

COMMENT ON COLUMN node_usage.node_name IS 'Its name.';
COMMENT ON COLUMN node_usage.cpu_milli IS 'Allocatable CPU in thousandths of a core.';
COMMENT ON COLUMN node_usage.foreign_cpu_milli IS 'CPU used by pods that are not ours.';
COMMENT ON COLUMN node_usage.granted_cpu_milli IS 'CPU that groups hold.';
COMMENT ON COLUMN node_usage.memory_bytes IS 'Allocatable memory in bytes.';
COMMENT ON COLUMN node_usage.foreign_memory_bytes IS 'Memory used by pods that are not ours.';
COMMENT ON COLUMN node_usage.granted_memory_bytes IS 'Memory that groups hold.';
COMMENT ON COLUMN node_usage.pods IS 'How many pods it takes.';
COMMENT ON COLUMN node_usage.foreign_pods IS 'How many pods on it are not ours.';
COMMENT ON COLUMN node_usage.granted_pods IS 'How many places groups hold on it.';
COMMENT ON COLUMN node_usage.unschedulable IS 'Why it takes no new pods; null: it takes them.';

COMMENT ON COLUMN queue_summary.queue IS 'Its name.';
COMMENT ON COLUMN queue_summary.queue_policy IS 'As in queues.';
COMMENT ON COLUMN queue_summary.match_policy IS 'As in queues.';
COMMENT ON COLUMN queue_summary.paused IS 'Nothing of this queue starts while true.';
COMMENT ON COLUMN queue_summary.provisional IS 'Groups that fill.';
COMMENT ON COLUMN queue_summary.pending IS 'Groups that wait for room.';
COMMENT ON COLUMN queue_summary.unsatisfiable IS 'Groups that can never fit the cluster as it is.';
COMMENT ON COLUMN queue_summary.allocated IS 'Groups that have their nodes, but not all pods on them.';
COMMENT ON COLUMN queue_summary.bound IS 'Groups that run.';
COMMENT ON COLUMN queue_summary.oldest_pending IS 'When the first pod of the longest waiting group was created.';

CREATE VIEW estimate_errors AS
WITH said AS (
  SELECT
    h.queue,
    'first' AS estimate,
    h.first_estimate - h.first_estimated_at AS horizon,
    h.allocated_at - h.first_estimate AS late
  FROM group_history AS h
  WHERE h.first_estimate IS NOT NULL AND h.allocated_at IS NOT NULL
  UNION ALL
  SELECT
    h.queue,
    'last',
    h.last_estimate - h.last_estimated_at,
    h.allocated_at - h.last_estimate
  FROM group_history AS h
  WHERE h.last_estimate IS NOT NULL AND h.allocated_at IS NOT NULL
)
SELECT
  s.queue,
  s.estimate,
  b.horizon,
  count(*) AS groups,
  avg(abs(extract(EPOCH FROM s.late)))::double precision AS mean,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(extract(EPOCH FROM s.late))) AS p50,
  percentile_cont(0.95) WITHIN GROUP (ORDER BY abs(extract(EPOCH FROM s.late))) AS p95,
  avg(extract(EPOCH FROM s.late))::double precision AS bias
FROM said AS s
INNER JOIN (
  VALUES
  (interval '0', interval '1 minute'),
  (interval '1 minute', interval '10 minutes'),
  (interval '10 minutes', interval '1 hour'),
  (interval '1 hour', interval '6 hours'),
  (interval '6 hours', interval '1 day'),
  (interval '1 day', NULL)
) AS b (horizon, beyond)
  ON s.horizon >= b.horizon AND (b.beyond IS NULL OR s.horizon < b.beyond)
GROUP BY s.queue, s.estimate, b.horizon;
COMMENT ON VIEW estimate_errors IS
'How wrong it was when groups would start, of those in group_history that did, by how long before it was said.';
COMMENT ON COLUMN estimate_errors.queue IS 'Their scheduling queue.';
COMMENT ON COLUMN estimate_errors.estimate IS 'first: what was said first of a group. last: what was said last before it started.';
COMMENT ON COLUMN estimate_errors.horizon IS 'It was said at least so long before the time that was said, and not as long as in the next row.';
COMMENT ON COLUMN estimate_errors.groups IS 'How many groups.';
COMMENT ON COLUMN estimate_errors.mean IS 'By how many seconds it was wrong, in the mean.';
COMMENT ON COLUMN estimate_errors.p50 IS 'The same of half of them, at most.';
COMMENT ON COLUMN estimate_errors.p95 IS 'The same of 95 in a hundred, at most.';
COMMENT ON COLUMN estimate_errors.bias IS 'By how many seconds they started later than was said, in the mean; below 0: earlier.';

CREATE VIEW refused_groups AS
SELECT
  p.namespace,
  p.group_name,
  p.queue,
  count(*) AS pods,
  format(
    'pod %s is refused: %s',
    (array_agg(p.pod_name ORDER BY p.created_at, p.uid))[1],
    (array_agg(p.refused ORDER BY p.created_at, p.uid))[1]
  ) AS reason,
  min(p.created_at) AS submitted_at
FROM pods_provisional AS p
WHERE
  p.refused IS NOT NULL
  AND p.refused NOT LIKE 'cancelled: %'
  AND NOT EXISTS (
    SELECT FROM groups_provisional AS g
    WHERE g.namespace = p.namespace AND g.group_name = p.group_name
  )
GROUP BY p.namespace, p.group_name, p.queue;
COMMENT ON VIEW refused_groups IS
'Groups of which all pods are refused, so that they have no row elsewhere: their labels cannot be used. One that somebody held or released keeps its row and fills. pods_provisional has the pods.';
COMMENT ON COLUMN refused_groups.namespace IS 'Kubernetes namespace.';
COMMENT ON COLUMN refused_groups.group_name IS 'The group that the pods ask for; of a pod whose group name cannot be used, the one that it has by itself.';
COMMENT ON COLUMN refused_groups.queue IS 'The queue that they ask for.';
COMMENT ON COLUMN refused_groups.pods IS 'How many pods are refused.';
COMMENT ON COLUMN refused_groups.reason IS 'What is wrong with the first one, and what would be right.';
COMMENT ON COLUMN refused_groups.submitted_at IS 'When the first one was created.';

CREATE VIEW inactive_groups AS
SELECT
  f.group_id,
  f.namespace,
  f.group_name,
  f.group_size,
  f.queue,
  'provisional' AS state,
  NULL::text AS result,
  concat_ws(
    '; ',
    hold_reason(f.held_at, f.held_reason, f.hold_label, f.released_at),
    format('%s of %s pods have arrived', f.members, f.group_size),
    CASE WHEN f.members = 0 THEN (
      SELECT format('pod %s is refused: %s', p.pod_name, p.refused)
      FROM pods_provisional AS p
      WHERE
        p.namespace = f.namespace
        AND p.group_name = f.group_name
        AND p.refused IS NOT NULL
      ORDER BY p.created_at, p.uid
      LIMIT 1
    ) END
  ) AS reason,
  NULL::integer AS priority,
  f.members AS arrived,
  NULL::text [] AS nodes,
  f.first_seen_at AS submitted_at,
  NULL::timestamptz AS promoted_at,
  NULL::timestamptz AS allocated_at,
  NULL::timestamptz AS bound_at,
  NULL::timestamptz AS ended_at,
  'infinity'::timestamptz AS recorded_at,
  f.start_after,
  f.start_by
FROM groups_provisional AS f
UNION ALL
SELECT
  0::bigint,
  r.namespace,
  r.group_name,
  0,
  r.queue,
  'refused',
  NULL,
  r.reason,
  NULL,
  r.pods::integer,
  NULL,
  r.submitted_at,
  NULL,
  NULL,
  NULL,
  NULL,
  'infinity',
  NULL,
  NULL
FROM refused_groups AS r
UNION ALL
SELECT
  h.group_id,
  h.namespace,
  h.group_name,
  h.group_size,
  h.queue,
  'finished',
  h.result,
  h.reason,
  h.priority,
  NULL,
  h.nodes,
  h.submitted_at,
  h.promoted_at,
  h.allocated_at,
  h.bound_at,
  h.ended_at,
  h.recorded_at,
  NULL,
  NULL
FROM group_history AS h;
COMMENT ON VIEW inactive_groups IS
'Groups that are in no queue: those that fill, those that are refused, and those that are over.';

COMMENT ON COLUMN inactive_groups.group_id IS 'As in groups_provisional.group_id and group_history.group_id; 0: refused.';
COMMENT ON COLUMN inactive_groups.namespace IS 'Kubernetes namespace.';
COMMENT ON COLUMN inactive_groups.group_name IS 'Its name.';
COMMENT ON COLUMN inactive_groups.group_size IS 'How many pods it has; 0: refused.';
COMMENT ON COLUMN inactive_groups.queue IS 'Its scheduling queue.';
COMMENT ON COLUMN inactive_groups.state IS 'provisional: its pods arrive. refused: its pods are not taken. finished: it is over.';
COMMENT ON COLUMN inactive_groups.result IS 'How it went; null: it is not over.';
COMMENT ON COLUMN inactive_groups.reason IS 'Why it is not active, for people.';
COMMENT ON COLUMN inactive_groups.priority IS 'Higher went first; null: it never stood in line.';
COMMENT ON COLUMN inactive_groups.arrived IS 'How many of its pods there are; null: it is over.';
COMMENT ON COLUMN inactive_groups.nodes IS 'Nodes that it had; null: none yet.';
COMMENT ON COLUMN inactive_groups.submitted_at IS 'When its first pod was created or seen.';
COMMENT ON COLUMN inactive_groups.promoted_at IS 'When it was whole.';
COMMENT ON COLUMN inactive_groups.allocated_at IS 'When it got its nodes.';
COMMENT ON COLUMN inactive_groups.bound_at IS 'When its pods were all bound.';
COMMENT ON COLUMN inactive_groups.ended_at IS 'When it was over.';
COMMENT ON COLUMN inactive_groups.recorded_at IS 'When it was recorded that it is over; infinity: it is not.';
COMMENT ON COLUMN inactive_groups.start_after IS 'Of one that fills: it will not start before.';
COMMENT ON COLUMN inactive_groups.start_by IS 'Of one that fills: it is given up if it has no place by then.';

CREATE VIEW resource_sets AS
SELECT
  g.namespace,
  g.group_name,
  a.queue,
  a.starts_at,
  a.ends_at AS deadline,
  (
    SELECT jsonb_object_agg(n.node_name, n.holds)
    FROM (
      SELECT
        l.node_name,
        jsonb_build_object(
          'pods', count(*),
          'cpu_milli', sum(l.cpu_milli),
          'memory_bytes', sum(l.memory_bytes)
        ) || coalesce(
          (
            SELECT jsonb_object_agg(o.resource, o.amount)
            FROM (
              SELECT
                e.key AS resource,
                sum(e.value::numeric) AS amount
              FROM placements AS m
              CROSS JOIN LATERAL jsonb_each_text(m.other) AS e (key, value)
              WHERE
                m.fluxion_job = l.fluxion_job AND m.node_name = l.node_name
              GROUP BY e.key
            ) AS o
          ),
          '{}'
        ) AS holds
      FROM placements AS l
      WHERE l.fluxion_job = a.fluxion_job
      GROUP BY l.fluxion_job, l.node_name
    ) AS n
  ) AS resource_set,
  a.fluxion_job
FROM allocations AS a
LEFT JOIN pod_groups AS g ON g.id = a.group_id;
COMMENT ON VIEW resource_sets IS
'What each allocation holds: a document with an entry per node, its pods, CPU, memory and other resources. Made from placements, where the same stands pod by pod.';
COMMENT ON COLUMN resource_sets.namespace IS 'Namespace of the group.';
COMMENT ON COLUMN resource_sets.group_name IS 'The group.';
COMMENT ON COLUMN resource_sets.queue IS 'The scheduling queue that gave it.';
COMMENT ON COLUMN resource_sets.starts_at IS 'From when (scheduling time).';
COMMENT ON COLUMN resource_sets.deadline IS 'Until when; null: without end.';
COMMENT ON COLUMN resource_sets.resource_set IS 'Per node: pods, cpu_milli, memory_bytes and what else it holds there, by name; null: all was given back.';
COMMENT ON COLUMN resource_sets.fluxion_job IS 'As in allocations.';

CREATE VIEW account_summary AS
WITH RECURSIVE tree AS (
  SELECT
    a.name,
    ARRAY[a.name] AS path
  FROM accounts AS a
  WHERE a.parent IS NULL
  UNION ALL
  SELECT
    a.name,
    t.path || a.name
  FROM tree AS t
  INNER JOIN accounts AS a ON a.parent = t.name
),
-- Of each kind of group once, since it is looked for whose they are.
held AS MATERIALIZED (
  SELECT
    a.queue,
    coalesce(g.namespace, '') AS namespace,
    coalesce(g.account, '') AS label,
    r.resource,
    sum(r.amount) AS amount
  FROM allocations AS a
  INNER JOIN placements AS p ON p.fluxion_job = a.fluxion_job
  LEFT JOIN pod_groups AS g ON g.id = a.group_id
  CROSS JOIN LATERAL (
    VALUES
    ('cpu_milli', p.cpu_milli::numeric),
    ('memory_bytes', p.memory_bytes),
    ('pods', 1)
    UNION ALL
    SELECT
      e.key,
      e.value::numeric
    FROM jsonb_each_text(p.other) AS e (key, value)
  ) AS r (resource, amount)
  GROUP BY a.queue, coalesce(g.namespace, ''), coalesce(g.account, ''), r.resource
),
waiting AS MATERIALIZED (
  SELECT
    g.queue,
    g.namespace,
    g.account AS label,
    count(*) AS groups
  FROM pod_groups AS g
  WHERE g.state = 'pending'
  GROUP BY g.queue, g.namespace, g.account
)
SELECT
  a.name AS account,
  t.path,
  a.parent,
  a.label,
  a.namespace,
  a.queue,
  a.weight,
  a.quota,
  a.borrows,
  coalesce(h.holds, '{}') AS holds,
  coalesce(w.groups, 0)::bigint AS pending
FROM tree AS t
INNER JOIN accounts AS a ON a.name = t.name
LEFT JOIN (
  SELECT
    s.name,
    jsonb_object_agg(s.resource, s.amount) AS holds
  FROM (
    SELECT
      above.name,
      held.resource,
      sum(held.amount) AS amount
    FROM held
    INNER JOIN tree AS own ON own.name = account_of(held.queue, held.namespace, held.label)
    CROSS JOIN LATERAL unnest(own.path) AS above (name)
    GROUP BY above.name, held.resource
  ) AS s
  GROUP BY s.name
) AS h ON h.name = a.name
LEFT JOIN (
  SELECT
    above.name,
    sum(waiting.groups) AS groups
  FROM waiting
  INNER JOIN tree AS own ON own.name = account_of(waiting.queue, waiting.namespace, waiting.label)
  CROSS JOIN LATERAL unnest(own.path) AS above (name)
  GROUP BY above.name
) AS w ON w.name = a.name;
COMMENT ON VIEW account_summary IS
'Per account: what it may have, and what its groups and those of the accounts below it hold and wait for.';
COMMENT ON COLUMN account_summary.account IS 'Its name.';
COMMENT ON COLUMN account_summary.path IS 'The accounts from the top of the tree down to it: orders the tree.';
COMMENT ON COLUMN account_summary.parent IS 'As in accounts.';
COMMENT ON COLUMN account_summary.label IS 'As in accounts.';
COMMENT ON COLUMN account_summary.namespace IS 'As in accounts.';
COMMENT ON COLUMN account_summary.queue IS 'As in accounts.';
COMMENT ON COLUMN account_summary.weight IS 'As in accounts.';
COMMENT ON COLUMN account_summary.quota IS 'As in accounts.';
COMMENT ON COLUMN account_summary.borrows IS 'As in accounts.';
COMMENT ON COLUMN account_summary.holds IS 'What they hold in all queues: pods, cpu_milli, memory_bytes and what else, by name.';
COMMENT ON COLUMN account_summary.pending IS 'How many of these groups wait.';

CREATE VIEW elastic_groups AS
SELECT
  g.id AS group_id,
  g.namespace,
  g.group_name,
  g.queue,
  g.group_size AS min_size,
  g.max_size,
  coalesce(p.pods, 0)
  + coalesce(x.running, 0) AS running,
  coalesce(x.waiting, 0) AS waiting
FROM pod_groups AS g
LEFT JOIN LATERAL (
  SELECT count(*) AS pods FROM pods AS m
  WHERE m.group_id = g.id AND m.state = 'bound'
) AS p ON true
LEFT JOIN LATERAL (
  SELECT
    count(*) FILTER (WHERE e.state = 'bound') AS running,
    count(*) FILTER (WHERE e.state <> 'bound') AS waiting
  FROM pod_groups AS e WHERE e.extends = g.id
) AS x ON true
WHERE g.max_size IS NOT NULL;
COMMENT ON VIEW elastic_groups IS
'Groups that may grow, and by how much they have.';
COMMENT ON COLUMN elastic_groups.group_id IS 'As in pod_groups.id.';
COMMENT ON COLUMN elastic_groups.namespace IS 'As in pod_groups.';
COMMENT ON COLUMN elastic_groups.group_name IS 'As in pod_groups.';
COMMENT ON COLUMN elastic_groups.queue IS 'As in pod_groups.';
COMMENT ON COLUMN elastic_groups.min_size IS 'With how many pods it starts.';
COMMENT ON COLUMN elastic_groups.max_size IS 'How many may run.';
COMMENT ON COLUMN elastic_groups.running IS 'How many of its pods are bound.';
COMMENT ON COLUMN elastic_groups.waiting IS 'How many more there are by which it could grow.';

-- Roles belong to the whole server: another schema may have made it, and a
-- role without the right to make roles goes on without it.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'fluxnetes_viewer') THEN
    CREATE ROLE fluxnetes_viewer NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE NOTICE 'no right to create the role fluxnetes_viewer';
END
$$;
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'fluxnetes_viewer') THEN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO fluxnetes_viewer', current_schema());
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO fluxnetes_viewer', current_schema());
    EXECUTE format(
      'ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT SELECT ON TABLES TO fluxnetes_viewer',
      current_schema());
  END IF;
END
$$;
