-- Views for operators, and a read-only role.

CREATE FUNCTION has_position(phase text, cancel_reason text)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT coalesce(phase IN ('queued', 'reserved'), false) AND cancel_reason IS NULL
$$;
COMMENT ON FUNCTION has_position IS
'Whether a group with these columns is in the pending order of its queue.';

-- The pods of few groups are looked at. These are functions, since a plan would
-- count the costs of subqueries for every group, and compile them (JIT).
CREATE FUNCTION has_bound_pod(of_group bigint)
RETURNS boolean
LANGUAGE plpgsql
STABLE COST 1 SET search_path FROM CURRENT
AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM pods AS p WHERE p.group_id = of_group AND p.state = 'bound'
  );
END
$$;
COMMENT ON FUNCTION has_bound_pod IS 'Whether a pod of this group is bound.';

CREATE FUNCTION has_started_pod(of_group bigint)
RETURNS boolean
LANGUAGE plpgsql
STABLE COST 1 SET search_path FROM CURRENT
AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM pods AS p WHERE p.group_id = of_group AND p.node_name IS NOT NULL
  );
END
$$;
COMMENT ON FUNCTION has_started_pod IS
'Whether a pod of this group is bound, or was until it ended.';

CREATE FUNCTION ended_pods(of_group bigint)
RETURNS text
LANGUAGE plpgsql
STABLE COST 1 SET search_path FROM CURRENT
AS $$
DECLARE
  succeeded bigint;
  failed bigint;
BEGIN
  SELECT
    count(*) FILTER (WHERE p.state = 'succeeded'),
    count(*) FILTER (WHERE p.state = 'failed')
  INTO succeeded, failed
  FROM pods AS p
  WHERE p.group_id = of_group AND p.replaced_by IS NULL;
  IF succeeded + failed > 0 THEN
    RETURN format('%s succeeded, %s failed', succeeded, failed);
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION ended_pods IS
'How many pods of this group have ended without a replacement, for people; null: none.';

CREATE VIEW group_standing AS
SELECT
  g.id AS group_id,
  g.namespace,
  g.group_name,
  g.group_size,
  g.queue,
  g.state,
  CASE
    WHEN g.phase NOT IN ('queued', 'reserved') THEN g.phase
    WHEN r.group_id IS NOT NULL THEN 'reserved'
    WHEN g.phase IS NOT NULL THEN 'queued'
  END AS phase,
  CASE
    WHEN g.cancel_reason IS NOT NULL THEN 'ending'
    WHEN g.state <> 'pending' THEN g.state
    WHEN g.phase NOT IN ('queued', 'reserved') THEN g.phase
    WHEN
      g.first_in_line AND has_bound_pod(g.id)
      THEN 'bound in part'
    WHEN r.kind = 'drain' THEN 'draining'
    WHEN r.kind = 'reservation' THEN 'reserved'
    ELSE 'pending'
  END AS shown_state,
  coalesce(
    CASE WHEN g.comes_again THEN 'being ' ELSE 'being cancelled: ' END
    || g.cancel_reason,
    g.reason,
    CASE
      WHEN g.state IN ('pending', 'unsatisfiable') THEN w.reason
      WHEN g.state = 'allocated' AND x.group_id IS NOT NULL
        THEN 'its caller (gRPC) starts its pods'
      WHEN g.state = 'allocated' THEN 'is being bound'
      ELSE ended_pods(g.id)
    END,
    CASE
      WHEN g.state = 'pending' THEN 'queued'
      WHEN g.state = 'unsatisfiable' THEN 'can never fit the cluster as it is'
    END
  ) AS reason,
  CASE
    WHEN g.cancel_reason IS NOT NULL THEN 'ending'
    WHEN g.state = 'unsatisfiable' THEN 'unsatisfiable'
    WHEN g.phase NOT IN ('queued', 'reserved') THEN g.phase
    WHEN g.state <> 'pending' THEN NULL
    WHEN g.reason IS NOT NULL THEN 'own'
    ELSE coalesce(w.kind, 'queued')
  END AS reason_kind,
  CASE WHEN has_position(g.phase, g.cancel_reason) THEN r.kind END
    AS reservation,
  CASE WHEN has_position(g.phase, g.cancel_reason) THEN r.nodes END
    AS reserved_nodes,
  CASE
    WHEN g.cancel_reason IS NOT NULL THEN NULL
    WHEN has_position(g.phase, NULL) THEN coalesce(r.starts_at, e.starts_at)
    WHEN g.phase = 'deferred' THEN e.starts_at
  END AS estimated_start,
  CASE
    WHEN g.cancel_reason IS NOT NULL THEN NULL
    WHEN has_position(g.phase, NULL) AND r.starts_at IS NOT NULL THEN 'reserved'
    WHEN NOT has_position(g.phase, NULL) AND g.phase IS DISTINCT FROM 'deferred'
      THEN NULL
    WHEN e.starts_at IS NOT NULL AND e.approximate THEN 'approximate'
    WHEN e.starts_at IS NOT NULL THEN 'forecast'
  END AS estimate,
  CASE
    WHEN g.cancel_reason IS NOT NULL THEN NULL
    WHEN has_position(g.phase, NULL) AND r.starts_at IS NOT NULL
      THEN 'nodes are reserved for it'
    WHEN has_position(g.phase, NULL) OR g.phase = 'deferred'
      THEN nullif(e.rests_on, '')
  END AS rests_on,
  CASE WHEN has_position(g.phase, g.cancel_reason) THEN e.position END
    AS forecast_position,
  has_position(g.phase, g.cancel_reason) AS has_position,
  g.bound_at IS NOT NULL
  OR g.state = 'bound'
  OR ((g.first_in_line OR g.state = 'allocated') AND has_started_pod(g.id))
  AS has_started,
  g.first_in_line,
  g.priority,
  g.submitted_at,
  g.promoted_at,
  g.allocated_at,
  g.went_back_at,
  g.bound_at,
  g.start_after,
  g.start_by,
  g.revision,
  g.duration_seconds,
  g.match_job,
  g.extends,
  g.max_size,
  g.account,
  g.pods_priority IS NOT NULL AS priority_is_set
FROM pod_groups AS g
LEFT JOIN reservations AS r ON r.group_id = g.id
LEFT JOIN estimates AS e ON e.group_id = g.id
LEFT JOIN external_groups AS x ON x.group_id = g.id
LEFT JOIN wait_reasons AS w
  ON w.queue = g.queue
  AND w.shape = g.shape
  AND (w.namespace = '' OR (w.namespace = g.namespace AND w.account = g.account));
COMMENT ON VIEW group_standing IS
'The state, the reason and the estimated start of each active group, as all commands, views, conditions and gRPC services report them. Nothing else computes them.';
COMMENT ON COLUMN group_standing.group_id IS 'As in pod_groups.id.';
COMMENT ON COLUMN group_standing.namespace IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.group_name IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.group_size IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.queue IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.state IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.phase IS 'As in pod_groups, but reserved if and only if the group has a row in reservations.';
COMMENT ON COLUMN group_standing.shown_state IS 'State and phase in one term, for people: pending, reserved, draining, deferred, held, recalled, unsatisfiable, allocated, bound, bound in part (some of its pods are bound, the others wait for nodes), or ending (it is being cancelled or evicted, whatever its state).';
COMMENT ON COLUMN group_standing.reason IS 'Why it waits, why it ends, or what has become of its pods, for people; null: all its pods run.';
COMMENT ON COLUMN group_standing.reason_kind IS 'The kind of the reason: ending, unsatisfiable, deferred, held, recalled, own (see pod_groups.reason), those of wait_reasons.kind, or queued (not considered yet); null: it does not wait.';
COMMENT ON COLUMN group_standing.reservation IS 'As in reservations.kind; null: it has none, or is not in the pending order.';
COMMENT ON COLUMN group_standing.reserved_nodes IS 'As in reservations.nodes; null: as for reservation.';
COMMENT ON COLUMN group_standing.estimated_start IS 'When its waiting pods start, provided that running groups keep to their deadlines and no new group goes ahead of it; null: unknown, or it does not wait for nodes.';
COMMENT ON COLUMN group_standing.estimate IS 'How the estimate was made: reserved (the group has a reservation and starts no later), forecast (running and waiting groups were simulated until then), approximate (from the rate at which groups start); null: no estimate.';
COMMENT ON COLUMN group_standing.rests_on IS 'What the estimate is based on, or why there is none, for people; null: see the reason.';
COMMENT ON COLUMN group_standing.forecast_position IS 'As in estimates.position; null: it is not in the pending order, or see pending.position.';
COMMENT ON COLUMN group_standing.has_position IS 'Whether it is in the pending order of its queue.';
COMMENT ON COLUMN group_standing.has_started IS 'Whether any of its pods was ever bound.';
COMMENT ON COLUMN group_standing.first_in_line IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.priority IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.submitted_at IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.promoted_at IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.allocated_at IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.went_back_at IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.bound_at IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.start_after IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.start_by IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.revision IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.duration_seconds IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.match_job IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.extends IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.max_size IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.account IS 'As in pod_groups.';
COMMENT ON COLUMN group_standing.priority_is_set IS 'Whether somebody has set its priority; otherwise it is that of its pods.';

CREATE VIEW start_estimates AS
SELECT
  s.group_id,
  s.estimated_start,
  s.estimate,
  s.rests_on
FROM group_standing AS s
WHERE s.has_position OR s.shown_state = 'deferred';
COMMENT ON VIEW start_estimates IS
'Estimated start times of waiting groups, as in pending, but without their positions, which require a scan of the whole queue.';
COMMENT ON COLUMN start_estimates.group_id IS 'As in pod_groups.id.';
COMMENT ON COLUMN start_estimates.estimated_start IS 'As in group_standing.';
COMMENT ON COLUMN start_estimates.estimate IS 'As in group_standing.';
COMMENT ON COLUMN start_estimates.rests_on IS 'As in group_standing.';

CREATE VIEW pending AS
SELECT
  s.namespace,
  s.group_name,
  s.group_size,
  s.queue,
  CASE
    WHEN NOT s.has_position THEN NULL
    WHEN q.queue_order <> 'arrival' THEN s.forecast_position
    ELSE count(*) FILTER (WHERE s.has_position) OVER (
      PARTITION BY s.queue
      ORDER BY s.first_in_line DESC, s.priority DESC, s.submitted_at, s.group_id
      ROWS UNBOUNDED PRECEDING
    )
  END AS position,
  s.state,
  s.phase,
  s.reason,
  s.estimated_start,
  s.estimate,
  s.rests_on,
  s.priority,
  s.submitted_at,
  s.start_after,
  s.start_by,
  s.group_id,
  s.shown_state
FROM group_standing AS s
INNER JOIN queues AS q ON q.name = s.queue
WHERE s.state IN ('pending', 'unsatisfiable');
COMMENT ON VIEW pending IS
'Waiting groups, and groups of which some pods run and others wait: their position in the pending order, why they wait, and when they will start if that is known.';

CREATE VIEW running AS
SELECT
  s.namespace,
  s.group_name,
  s.group_size,
  s.queue,
  s.state,
  a.nodes,
  a.starts_at,
  a.ends_at AS deadline,
  s.group_id,
  s.shown_state,
  s.reason
FROM group_standing AS s
INNER JOIN allocations AS a ON a.group_id = s.group_id;
COMMENT ON VIEW running IS
'Groups that have nodes. Those of which other pods wait are also in pending.';

CREATE VIEW node_usage AS
SELECT
  n.node_name,
  n.cpu_milli,
  n.unmanaged_cpu_milli,
  coalesce(p.cpu_milli, 0) AS granted_cpu_milli,
  n.memory_bytes,
  n.unmanaged_memory_bytes,
  coalesce(p.memory_bytes, 0) AS granted_memory_bytes,
  n.pods,
  n.unmanaged_pods,
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
'Per node: its allocatable amounts, the usage by pods of other schedulers, and the amounts that groups hold.';

-- The class of a device is what the request of its claim asks for; a request
-- with alternatives is named "request/alternative".
CREATE FUNCTION named_devices(held text, pod_request jsonb)
RETURNS TABLE (
  claim text,
  request text,
  device_class text,
  driver text,
  pool text,
  device text,
  shared text,
  admin boolean
)
LANGUAGE sql
IMMUTABLE PARALLEL SAFE
AS $$
  SELECT
    d.claim,
    d.request,
    c.device_class,
    d.driver,
    d.pool,
    d.device,
    d.shared,
    coalesce(d.admin, false)
  FROM jsonb_to_recordset(held::jsonb) AS d (
    claim text,
    request text,
    driver text,
    pool text,
    device text,
    shared text,
    admin boolean
  )
  LEFT JOIN LATERAL (
    SELECT
      coalesce(
        r.asked #>> '{exactly,deviceClassName}', a.choice ->> 'deviceClassName'
      ) AS device_class
    FROM jsonb_array_elements(pod_request -> 'claims') AS p (claim)
    CROSS JOIN LATERAL jsonb_array_elements(
      (p.claim ->> 'spec')::jsonb #> '{devices,requests}'
    ) AS r (asked)
    LEFT JOIN LATERAL jsonb_array_elements(r.asked -> 'firstAvailable')
      AS a (choice) ON a.choice ->> 'name' = split_part(d.request, '/', 2)
    WHERE
      p.claim ->> 'name' = d.claim
      AND r.asked ->> 'name' = split_part(d.request, '/', 1)
    LIMIT 1
  ) AS c ON true
$$;
COMMENT ON FUNCTION named_devices IS
'The devices of a pod, from a text as in placements.devices and its request: one row for each.';

CREATE FUNCTION device_names(held text [])
RETURNS text []
LANGUAGE sql
IMMUTABLE PARALLEL SAFE
AS $$
  SELECT
    coalesce(
      array_agg(DISTINCT concat_ws('/', d.driver, d.pool, d.device)), '{}'
    )
  FROM unnest(held) AS h (devices)
  CROSS JOIN LATERAL jsonb_to_recordset(nullif(h.devices, '')::jsonb) AS d (
    driver text,
    pool text,
    device text
  )
$$;
COMMENT ON FUNCTION device_names IS
'The devices in texts as in placements.devices, each once, in order: "driver/pool/device".';

CREATE VIEW held_devices AS
SELECT
  d.driver,
  d.pool,
  d.device,
  d.device_class,
  l.node_name,
  g.namespace,
  g.group_name,
  p.pod_name,
  d.claim,
  d.request,
  d.shared,
  d.admin,
  l.fluxion_job AS group_id,
  l.pod_uid
FROM placements AS l
INNER JOIN pods AS p ON p.uid = l.pod_uid
INNER JOIN pod_groups AS g ON g.id = l.fluxion_job
CROSS JOIN LATERAL named_devices(l.devices, p.request) AS d
WHERE l.devices IS NOT NULL
UNION ALL
SELECT
  d.driver,
  d.pool,
  d.device,
  d.class,
  n.node_name,
  d.namespace,
  NULL,
  d.pod,
  d.claim,
  d.request,
  d.shared,
  coalesce(d.admin, false),
  NULL,
  d.uid
FROM nodes AS n
CROSS JOIN LATERAL jsonb_to_recordset(n.unmanaged_devices) AS d (
  namespace text,
  pod text,
  uid text,
  claim text,
  request text,
  class text,
  driver text,
  pool text,
  device text,
  shared text,
  admin boolean
)
WHERE n.unmanaged_devices <> '[]';
COMMENT ON VIEW held_devices IS
'The devices that pods have by their claims: pods of groups, and pods of other schedulers on nodes of this one. One of a claim that several pods share has a row for each of them.';
COMMENT ON COLUMN held_devices.driver IS 'The driver of the device.';
COMMENT ON COLUMN held_devices.pool IS 'Its pool.';
COMMENT ON COLUMN held_devices.device IS 'Its name in the pool.';
COMMENT ON COLUMN held_devices.device_class IS 'The class that the claim asks for.';
COMMENT ON COLUMN held_devices.node_name IS 'The node of the pod.';
COMMENT ON COLUMN held_devices.namespace IS 'As in pod_groups.';
COMMENT ON COLUMN held_devices.group_name IS 'As in pod_groups; null: the pod is of another scheduler.';
COMMENT ON COLUMN held_devices.pod_name IS 'The pod.';
COMMENT ON COLUMN held_devices.claim IS 'The claim, by its name in the pod.';
COMMENT ON COLUMN held_devices.request IS 'The request of the claim; with alternatives: request/alternative.';
COMMENT ON COLUMN held_devices.shared IS 'The ResourceClaim that several pods use, as namespace/name; null: it is the pod''s own.';
COMMENT ON COLUMN held_devices.admin IS 'Whether the pod has it for administration, beside those who hold it.';
COMMENT ON COLUMN held_devices.group_id IS 'As in pod_groups.id; null: the pod is of another scheduler.';
COMMENT ON COLUMN held_devices.pod_uid IS 'Its UID.';

CREATE VIEW node_maintenance AS
SELECT
  n.node_name,
  m.starts_at,
  m.ends_at,
  m.reason,
  (
    SELECT count(*) FROM unnest(h.ends) AS e (ends_at)
    WHERE e.ends_at IS NULL OR e.ends_at > m.starts_at
  ) AS groups_in_the_way,
  m.id AS maintenance_id
FROM maintenance AS m
INNER JOIN nodes AS n
  ON n.node_name = ANY(m.nodes) OR n.labels @> m.node_selector
-- The placements are read once, not for each node.
LEFT JOIN (
  SELECT
    d.node_name,
    array_agg(a.ends_at) AS ends
  FROM (SELECT DISTINCT l.node_name, l.fluxion_job FROM placements AS l) AS d
  INNER JOIN allocations AS a ON a.fluxion_job = d.fluxion_job
  GROUP BY d.node_name
) AS h ON h.node_name = n.node_name;
COMMENT ON VIEW node_maintenance IS
'Per node: its announced maintenance, and the number of groups there that may not have ended by then.';
COMMENT ON COLUMN node_maintenance.node_name IS 'Its name.';
COMMENT ON COLUMN node_maintenance.starts_at IS 'When it begins: from then on no group may run there.';
COMMENT ON COLUMN node_maintenance.ends_at IS 'When it ends; null: when it is undone.';
COMMENT ON COLUMN node_maintenance.reason IS 'The reason, for people.';
COMMENT ON COLUMN node_maintenance.groups_in_the_way IS 'The number of groups that hold resources on the node and have no deadline before it begins.';
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
COMMENT ON VIEW queue_summary IS 'Per scheduling queue: the number of groups in each state.';

COMMENT ON COLUMN pending.namespace IS 'Kubernetes namespace.';
COMMENT ON COLUMN pending.group_name IS 'Its name.';
COMMENT ON COLUMN pending.group_size IS 'The number of its pods.';
COMMENT ON COLUMN pending.queue IS 'Its scheduling queue.';
COMMENT ON COLUMN pending.position IS 'Its position in the pending order of its queue; 1 is next. If the queue_order is not arrival, it is some seconds old and known for the first 1,000 groups only. Null: not known, or the group is unsatisfiable, held, deferred, recalled or ending.';
COMMENT ON COLUMN pending.state IS 'pending, or unsatisfiable: it can never fit the cluster as it is.';
COMMENT ON COLUMN pending.phase IS 'queued, reserved (for a start time, or with a drain set), deferred (until start_after), held (by a user), recalled (its allocation is being revoked); null: unsatisfiable.';
COMMENT ON COLUMN pending.reason IS 'As in group_standing.';
COMMENT ON COLUMN pending.estimated_start IS 'As in group_standing.';
COMMENT ON COLUMN pending.estimate IS 'As in group_standing.';
COMMENT ON COLUMN pending.rests_on IS 'As in group_standing.';
COMMENT ON COLUMN pending.priority IS 'A higher priority goes first.';
COMMENT ON COLUMN pending.submitted_at IS 'When its first pod was created, which sets its place in the pending order.';
COMMENT ON COLUMN pending.start_after IS 'It does not start before this time; null: no limit.';
COMMENT ON COLUMN pending.start_by IS 'It is given up without a placement by then; null: no limit.';
COMMENT ON COLUMN pending.group_id IS 'As in pod_groups.id.';
COMMENT ON COLUMN pending.shown_state IS 'As in group_standing.';

COMMENT ON COLUMN running.namespace IS 'Kubernetes namespace.';
COMMENT ON COLUMN running.group_name IS 'Its name.';
COMMENT ON COLUMN running.group_size IS 'The number of its pods.';
COMMENT ON COLUMN running.queue IS 'Its scheduling queue.';
COMMENT ON COLUMN running.state IS 'allocated: its pods have nodes. bound: its pods are bound to them. pending, unsatisfiable: others of its pods wait for nodes.';
COMMENT ON COLUMN running.nodes IS 'Its nodes, each once, in order of name.';
COMMENT ON COLUMN running.starts_at IS 'The start of its allocation (scheduling time).';
COMMENT ON COLUMN running.deadline IS 'Until when it may run; null: unlimited.';
COMMENT ON COLUMN running.group_id IS 'As in pod_groups.id.';
COMMENT ON COLUMN running.shown_state IS 'As in group_standing.';
COMMENT ON COLUMN running.reason IS 'As in group_standing.';

COMMENT ON COLUMN node_usage.node_name IS 'Its name.';
COMMENT ON COLUMN node_usage.cpu_milli IS 'Allocatable CPU in thousandths of a core.';
COMMENT ON COLUMN node_usage.unmanaged_cpu_milli IS 'CPU used by pods of other schedulers.';
COMMENT ON COLUMN node_usage.granted_cpu_milli IS 'CPU held by groups.';
COMMENT ON COLUMN node_usage.memory_bytes IS 'Allocatable memory in bytes.';
COMMENT ON COLUMN node_usage.unmanaged_memory_bytes IS 'Memory used by pods of other schedulers.';
COMMENT ON COLUMN node_usage.granted_memory_bytes IS 'Memory held by groups.';
COMMENT ON COLUMN node_usage.pods IS 'The number of pods that it takes.';
COMMENT ON COLUMN node_usage.unmanaged_pods IS 'The number of pods of other schedulers.';
COMMENT ON COLUMN node_usage.granted_pods IS 'The number of placements of groups on it.';
COMMENT ON COLUMN node_usage.unschedulable IS 'Why it takes no new pods; null: it takes pods.';

COMMENT ON COLUMN queue_summary.queue IS 'Its name.';
COMMENT ON COLUMN queue_summary.queue_policy IS 'As in queues.';
COMMENT ON COLUMN queue_summary.match_policy IS 'As in queues.';
COMMENT ON COLUMN queue_summary.paused IS 'Whether it is paused: no group of it starts.';
COMMENT ON COLUMN queue_summary.provisional IS 'Incomplete groups.';
COMMENT ON COLUMN queue_summary.pending IS 'Groups that wait for resources.';
COMMENT ON COLUMN queue_summary.unsatisfiable IS 'Groups that can never fit the cluster as it is.';
COMMENT ON COLUMN queue_summary.allocated IS 'Groups that have nodes, but not all of whose pods are bound.';
COMMENT ON COLUMN queue_summary.bound IS 'Groups whose pods are all bound.';
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
'The errors of estimated start times, for groups in group_history that started, by how far ahead the estimate was.';
COMMENT ON COLUMN estimate_errors.queue IS 'The scheduling queue of the groups.';
COMMENT ON COLUMN estimate_errors.estimate IS 'first: the first estimate for a group. last: the last estimate before it started.';
COMMENT ON COLUMN estimate_errors.horizon IS 'The lower bound of how far ahead the estimated start was; the next row''s is the upper bound.';
COMMENT ON COLUMN estimate_errors.groups IS 'The number of groups.';
COMMENT ON COLUMN estimate_errors.mean IS 'The mean absolute error, in seconds.';
COMMENT ON COLUMN estimate_errors.p50 IS 'The median absolute error, in seconds.';
COMMENT ON COLUMN estimate_errors.p95 IS 'The 95th percentile of the absolute error, in seconds.';
COMMENT ON COLUMN estimate_errors.bias IS 'The mean error, in seconds; above 0: groups started later than estimated.';

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
'Groups whose pods are all refused because their labels are invalid, so that they have no row elsewhere. A group that was held or released, or whose priority was set, keeps its row in groups_provisional. pods_provisional has the pods.';
COMMENT ON COLUMN refused_groups.namespace IS 'Kubernetes namespace.';
COMMENT ON COLUMN refused_groups.group_name IS 'The group that the pods name; for a pod with an invalid group name, the name of a group of its own.';
COMMENT ON COLUMN refused_groups.queue IS 'The queue that the pods name.';
COMMENT ON COLUMN refused_groups.pods IS 'The number of refused pods.';
COMMENT ON COLUMN refused_groups.reason IS 'What is wrong with the first pod, and how to correct it.';
COMMENT ON COLUMN refused_groups.submitted_at IS 'When the first pod was created.';

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
    filling_reason(
      hold_reason(f.held_at, f.held_reason, f.hold_label, f.released_at),
      f.members,
      f.group_size,
      f.short_reason
    ),
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
  f.set_priority AS priority,
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
'Groups that are in no queue: incomplete, refused, and finished ones.';

COMMENT ON COLUMN inactive_groups.group_id IS 'As in groups_provisional.group_id and group_history.group_id; 0: refused.';
COMMENT ON COLUMN inactive_groups.namespace IS 'Kubernetes namespace.';
COMMENT ON COLUMN inactive_groups.group_name IS 'Its name.';
COMMENT ON COLUMN inactive_groups.group_size IS 'The number of its pods; 0: refused.';
COMMENT ON COLUMN inactive_groups.queue IS 'Its scheduling queue.';
COMMENT ON COLUMN inactive_groups.state IS 'provisional: its pods are still arriving. refused: its pods are refused. finished: it has ended.';
COMMENT ON COLUMN inactive_groups.result IS 'How it ended; null: it has not ended.';
COMMENT ON COLUMN inactive_groups.reason IS 'Why it is not active, for people.';
COMMENT ON COLUMN inactive_groups.priority IS 'A higher priority went first; null: it was never pending. Of an incomplete group: the priority that somebody has set.';
COMMENT ON COLUMN inactive_groups.arrived IS 'The number of its pods that have arrived; null: it has ended.';
COMMENT ON COLUMN inactive_groups.nodes IS 'The nodes that it had; null: none yet.';
COMMENT ON COLUMN inactive_groups.submitted_at IS 'When its first pod was created or seen.';
COMMENT ON COLUMN inactive_groups.promoted_at IS 'When it was complete.';
COMMENT ON COLUMN inactive_groups.allocated_at IS 'When it got its allocation.';
COMMENT ON COLUMN inactive_groups.bound_at IS 'When its last pod was bound.';
COMMENT ON COLUMN inactive_groups.ended_at IS 'When it ended.';
COMMENT ON COLUMN inactive_groups.recorded_at IS 'When its end was recorded; infinity: it has not ended.';
COMMENT ON COLUMN inactive_groups.start_after IS 'Of an incomplete group: it will not start before this time.';
COMMENT ON COLUMN inactive_groups.start_by IS 'Of an incomplete group: it is given up without a placement by then.';

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
  a.fluxion_job,
  (
    SELECT
      jsonb_build_object(
        'version', 1,
        'execution', jsonb_build_object(
          'R_lite', jsonb_agg(
            jsonb_build_object(
              'rank', (n.place - 1)::text,
              'children', l.resource_set #> '{execution,R_lite,0,children}'
            )
            ORDER BY n.place, l.pod_uid
          ),
          'nodelist', to_jsonb(a.nodes),
          'starttime', floor(extract(EPOCH FROM a.starts_at))::bigint,
          'expiration', coalesce(ceil(extract(EPOCH FROM a.ends_at)), 0)::bigint
        )
      )
    FROM placements AS l
    INNER JOIN unnest(a.nodes) WITH ORDINALITY AS n (node, place)
      ON n.node = l.node_name
    WHERE l.fluxion_job = a.fluxion_job AND l.resource_set IS NOT NULL
    HAVING count(*) > 0
  ) AS inside
FROM allocations AS a
LEFT JOIN pod_groups AS g ON g.id = a.group_id;
COMMENT ON VIEW resource_sets IS
'The resources of each allocation, as a document with an entry per node: pods, CPU, memory and other resources. Computed from placements, which has them per pod.';
COMMENT ON COLUMN resource_sets.namespace IS 'The namespace of the group.';
COMMENT ON COLUMN resource_sets.group_name IS 'The group.';
COMMENT ON COLUMN resource_sets.queue IS 'The scheduling queue of the allocation.';
COMMENT ON COLUMN resource_sets.starts_at IS 'The start (scheduling time).';
COMMENT ON COLUMN resource_sets.deadline IS 'The deadline; null: unlimited.';
COMMENT ON COLUMN resource_sets.resource_set IS 'Per node: pods, cpu_milli, memory_bytes and other resources by name; null: everything was released.';
COMMENT ON COLUMN resource_sets.fluxion_job IS 'As in allocations.';
COMMENT ON COLUMN resource_sets.inside IS 'What its pods have inside of their nodes, as R version 1 (Flux RFC 20): an entry of R_lite for each pod, whose rank is the place of its node in nodelist, from 0; null: amounts alone.';

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
-- Grouped first, so that the account is looked up once per kind of group.
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
  UNION ALL
  SELECT
    a.queue,
    coalesce(g.namespace, '') AS namespace,
    coalesce(g.account, '') AS label,
    'pool/' || k.key AS resource,
    k.value::numeric AS amount
  FROM allocations AS a
  LEFT JOIN pod_groups AS g ON g.id = a.group_id
  CROSS JOIN LATERAL jsonb_each_text(a.pools) AS k
  WHERE EXISTS (SELECT FROM placements AS p WHERE p.fluxion_job = a.fluxion_job)
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
'Per account: its settings, and what its groups, including those of the accounts below it, hold and how many of them wait.';
COMMENT ON COLUMN account_summary.account IS 'Its name.';
COMMENT ON COLUMN account_summary.path IS 'The accounts from the root of the tree down to this one; sorts the tree.';
COMMENT ON COLUMN account_summary.parent IS 'As in accounts.';
COMMENT ON COLUMN account_summary.label IS 'As in accounts.';
COMMENT ON COLUMN account_summary.namespace IS 'As in accounts.';
COMMENT ON COLUMN account_summary.queue IS 'As in accounts.';
COMMENT ON COLUMN account_summary.weight IS 'As in accounts.';
COMMENT ON COLUMN account_summary.quota IS 'As in accounts.';
COMMENT ON COLUMN account_summary.borrows IS 'As in accounts.';
COMMENT ON COLUMN account_summary.holds IS 'The amounts held in all queues: pods, cpu_milli, memory_bytes, other resources by name, and pools as pool/NAME.';
COMMENT ON COLUMN account_summary.pending IS 'The number of these groups that wait.';

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
'Elastic groups, with their limits and current sizes.';
COMMENT ON COLUMN elastic_groups.group_id IS 'As in pod_groups.id.';
COMMENT ON COLUMN elastic_groups.namespace IS 'As in pod_groups.';
COMMENT ON COLUMN elastic_groups.group_name IS 'As in pod_groups.';
COMMENT ON COLUMN elastic_groups.queue IS 'As in pod_groups.';
COMMENT ON COLUMN elastic_groups.min_size IS 'The number of pods with which it starts.';
COMMENT ON COLUMN elastic_groups.max_size IS 'The number of pods that may run.';
COMMENT ON COLUMN elastic_groups.running IS 'The number of its pods that are bound.';
COMMENT ON COLUMN elastic_groups.waiting IS 'The number of waiting pods by which it could grow.';

-- Roles belong to the whole server: another schema may have created this one. If
-- the migrating role may not create roles, the schema works without it.
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
