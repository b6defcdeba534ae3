-- The queries of the match worker's store: the input of a scheduling cycle, and
-- its decision. Scheduling time is a parameter; leases and terms use the
-- database's clock.

-- name: note_promised
-- Marks groups that got a reservation which their callers accept: they wait for
-- its time from now on.
UPDATE external_groups AS e SET promised = true
FROM unnest($1::bigint []) AS v (id)
WHERE e.group_id = any(ARRAY[v.id]);

-- name: turn_down_groups
-- Deletes groups that do not fit now and whose callers accept no later start.
DELETE FROM pod_groups AS g
USING unnest($1::bigint []) AS v (id), external_groups AS e
WHERE
  g.id = any(ARRAY[v.id])
  AND e.group_id = any(ARRAY[v.id])
  AND NOT e.promised
  AND g.state NOT IN ('allocated', 'bound')
  AND g.cancel_reason IS NULL;

-- name: tell_callers
-- Notifies the callers that wait for an answer.
SELECT pg_notify(current_schema() || '.external', '');

-- name: read_queues
-- The settings of scheduling queues, by name.
SELECT
  name,
  node_selector::text AS node_selector,
  queue_policy,
  queue_order,
  ageing,
  extract(epoch FROM half_life)::bigint AS half_life,
  match_policy,
  queue_depth,
  reservation_depth,
  paused,
  extract(epoch FROM assumed_duration)::bigint AS assumed_duration,
  preemption,
  exclusive,
  array_to_json(topology)::text AS topology
FROM queues
WHERE name = any($1::text [])
ORDER BY name;

-- name: read_maintenance
-- All maintenance of nodes, including past ones.
SELECT
  m.id,
  coalesce(m.nodes, '{}') AS nodes,
  coalesce(m.node_selector, '{}')::text AS node_selector,
  floor(extract(epoch FROM m.starts_at))::bigint AS starts_at,
  ceil(extract(epoch FROM m.ends_at))::bigint AS ends_at
FROM maintenance AS m
ORDER BY m.id;

-- name: read_pools
-- The pools of the cluster.
SELECT name, total FROM pools ORDER BY name;

-- name: read_pool_holds
-- What groups of queues other than these ($1) hold of pools, and what is kept of
-- each pool for the first group of any queue that has it reserved, if that
-- group is of another queue. A drain set keeps it from now on. The sum keeps the
-- plan from walking all allocations in order.
WITH first_reserved AS (
  SELECT DISTINCT ON (k.key)
    k.key AS pool,
    k.value AS amount,
    g.id AS group_id,
    g.queue,
    coalesce(r.starts_at, g.submitted_at) AS starts_at,
    r.starts_at + make_interval(secs => g.duration_seconds) AS ends_at
  FROM pod_groups AS g
  INNER JOIN reservations AS r ON r.group_id = any(ARRAY[g.id])
  CROSS JOIN LATERAL jsonb_each(g.pools) AS k
  WHERE
    g.pools <> '{}'
    AND NOT EXISTS (
      SELECT FROM placements AS p WHERE p.fluxion_job = any(ARRAY[g.id])
    )
  ORDER BY k.key, g.priority DESC, g.submitted_at, g.id
)

SELECT
  h.fluxion_job,
  floor(extract(epoch FROM h.starts_at))::bigint AS starts_at,
  ceil(extract(epoch FROM h.ends_at))::bigint AS ends_at,
  h.pools::text AS pools
FROM (
  SELECT
    a.fluxion_job + 0 AS fluxion_job,
    a.starts_at,
    a.ends_at,
    a.pools
  FROM allocations AS a
  WHERE
    a.pools <> '{}'
    AND a.queue <> all($1::text [])
    AND EXISTS (
      SELECT FROM placements AS p
      WHERE p.fluxion_job = any(ARRAY[a.fluxion_job])
    )
  UNION ALL
  SELECT
    f.group_id,
    f.starts_at,
    f.ends_at,
    jsonb_object_agg(f.pool, f.amount)
  FROM first_reserved AS f
  WHERE f.queue <> all($1)
  GROUP BY f.group_id, f.starts_at, f.ends_at
) AS h
ORDER BY h.fluxion_job;

-- name: lock_pool_holds
-- Serializes the transactions that place groups with pools: each must know what
-- groups of other components hold of them.
SELECT pg_advisory_xact_lock(hashtext('pool_holds'), hashtext(current_schema()));

-- name: read_accounts
-- All accounts.
SELECT
  name,
  coalesce(parent, '') AS parent,
  label,
  namespace,
  queue,
  weight,
  quota::text AS quota,
  borrows
FROM accounts
ORDER BY name;

-- name: read_account_use
-- The recorded use of groups of some queues, and the time of the record.
SELECT
  queue,
  namespace,
  account,
  used,
  floor(extract(epoch FROM as_of))::bigint AS as_of
FROM account_use
WHERE queue = any($1::text []);

-- name: record_account_use
-- Records what groups have used by $5.
INSERT INTO account_use AS u (queue, namespace, account, used, as_of)
SELECT v.queue, v.namespace, v.account, v.used, $5
FROM unnest($1::text [], $2::text [], $3::text [], $4::double precision [])
AS v (queue, namespace, account, used)
ON CONFLICT (queue, namespace, account) DO UPDATE SET
used = excluded.used,
as_of = excluded.as_of;

-- name: read_other_holds
-- The queues of other match owners, with the amounts that their groups hold.
SELECT q.name AS queue, h.namespace, h.account, h.resource, h.amount
FROM queues AS q
LEFT JOIN account_holds AS h ON h.queue = q.name
WHERE q.name <> all($1::text []);

-- name: lock_account_holds
-- Serializes the transactions that place groups: each must know what groups of
-- other components hold.
SELECT pg_advisory_xact_lock(hashtext('account_holds'), hashtext(current_schema()));

-- name: drop_account_holds
-- Deletes the amounts of some queues before their present ones are recorded.
DELETE FROM account_holds WHERE queue = any($1::text []);

-- name: record_account_holds
-- Records the amounts that groups hold now; an amount of 0 deletes its row.
-- Deleted queues are skipped.
WITH said AS MATERIALIZED (
  SELECT v.queue, v.namespace, v.account, v.resource, v.amount
  FROM unnest($1::text [], $2::text [], $3::text [], $4::text [], $5::bigint [])
  AS v (queue, namespace, account, resource, amount)
  INNER JOIN queues AS q ON q.name = v.queue
),

gone AS (
  DELETE FROM account_holds AS h
  USING said AS s
  WHERE
    s.amount = 0
    AND h.queue = s.queue
    AND h.namespace = s.namespace
    AND h.account = s.account
    AND h.resource = s.resource
)

INSERT INTO account_holds (queue, namespace, account, resource, amount)
SELECT s.queue, s.namespace, s.account, s.resource, s.amount
FROM said AS s
WHERE s.amount > 0
ON CONFLICT (queue, namespace, account, resource) DO UPDATE SET
amount = excluded.amount;

-- name: read_component_nodes
-- The nodes that the component of some queues has claimed.
SELECT node_name FROM component_nodes WHERE queue = any($1::text []);

-- name: claim_nodes
-- Claims the nodes that are free for a component.
INSERT INTO component_nodes (node_name, queue)
SELECT v.node, $2
FROM unnest($1::text []) AS v (node)
ORDER BY v.node
ON CONFLICT DO NOTHING
RETURNING node_name;

-- name: let_go_of_nodes
-- Gives up nodes ($1) of the component of some queues ($2) and notifies the
-- other owners.
WITH gone AS (
  DELETE FROM component_nodes
  WHERE node_name = any($1::text []) AND queue = any($2::text [])
  RETURNING node_name
)
SELECT pg_notify(current_schema() || '.match', 'nodes')
WHERE EXISTS (SELECT FROM gone);

-- name: read_all_allocations
-- The allocations of all groups of some queues.
SELECT
  a.fluxion_job,
  a.queue,
  g.namespace,
  g.account,
  g.priority,
  g.grace_seconds,
  g.group_size,
  g.preempted_for,
  g.state IN ('allocated', 'bound') AND g.cancel_reason IS NULL AS evictable,
  g.extends,
  a.whole_nodes,
  a.aside,
  a.pools::text AS pools,
  CASE WHEN x.group_id IS NOT NULL THEN g.group_name END AS external_name,
  floor(extract(epoch FROM a.starts_at))::bigint AS starts_at,
  ceil(extract(epoch FROM a.ends_at))::bigint AS ends_at,
  p.pod_uid,
  p.node_name,
  p.cpu_milli,
  p.memory_bytes,
  p.other::text AS other,
  p.parts,
  p.devices,
  coalesce(m.state = 'succeeded', false) AS succeeded,
  m.replaced_by IS NOT NULL
  OR coalesce(m.request @> '{"topology": {"uncounted": true}}', false)
    AS uncounted
FROM allocations AS a
INNER JOIN placements AS p ON p.fluxion_job = any(ARRAY[a.fluxion_job])
LEFT JOIN pod_groups AS g ON g.id = any(ARRAY[a.group_id])
LEFT JOIN pods AS m ON m.uid = any(ARRAY[p.pod_uid])
LEFT JOIN external_groups AS x ON x.group_id = any(ARRAY[a.fluxion_job])
WHERE a.queue = any($1::text [])
ORDER BY a.fluxion_job, p.pod_uid;

-- name: read_allocations
-- The allocations of some groups.
SELECT
  a.fluxion_job,
  a.queue,
  g.namespace,
  g.account,
  g.priority,
  g.grace_seconds,
  g.group_size,
  g.preempted_for,
  g.state IN ('allocated', 'bound') AND g.cancel_reason IS NULL AS evictable,
  g.extends,
  a.whole_nodes,
  a.aside,
  a.pools::text AS pools,
  CASE WHEN x.group_id IS NOT NULL THEN g.group_name END AS external_name,
  floor(extract(epoch FROM a.starts_at))::bigint AS starts_at,
  ceil(extract(epoch FROM a.ends_at))::bigint AS ends_at,
  p.pod_uid,
  p.node_name,
  p.cpu_milli,
  p.memory_bytes,
  p.other::text AS other,
  p.parts,
  p.devices,
  coalesce(m.state = 'succeeded', false) AS succeeded,
  m.replaced_by IS NOT NULL
  OR coalesce(m.request @> '{"topology": {"uncounted": true}}', false)
    AS uncounted
FROM unnest($1::bigint []) AS v (id)
INNER JOIN allocations AS a ON a.fluxion_job = any(ARRAY[v.id])
INNER JOIN placements AS p ON p.fluxion_job = any(ARRAY[a.fluxion_job])
LEFT JOIN pod_groups AS g ON g.id = any(ARRAY[a.group_id])
LEFT JOIN pods AS m ON m.uid = any(ARRAY[p.pod_uid])
LEFT JOIN external_groups AS x ON x.group_id = any(ARRAY[a.fluxion_job])
ORDER BY v.id, p.pod_uid;

-- name: read_holders_of_other_components
-- The groups of queues other than these ($1) that hold something on some nodes.
SELECT DISTINCT a.fluxion_job
FROM allocations AS a
INNER JOIN placements AS p ON p.fluxion_job = any(ARRAY[a.fluxion_job])
WHERE
  a.queue <> all($1::text [])
  AND p.node_name = any($2::text [])
  AND EXISTS (SELECT FROM queues AS q WHERE q.name <> all($1::text []));

-- name: read_reservations
-- The reservations and drain sets of some queues.
SELECT
  group_id,
  queue,
  extract(EPOCH FROM starts_at)::bigint AS starts_at,
  array_to_json(nodes)::text AS nodes,
  array_to_json(places)::text AS places,
  array_to_json(parts)::text AS parts,
  array_to_json(devices)::text AS devices
FROM reservations
WHERE queue = any($1::text []);

-- name: read_wait_reasons
-- The shapes of some queues that have a reason to wait.
SELECT queue, shape, namespace, account
FROM wait_reasons
WHERE queue = any($1::text []);

-- name: read_held_match_jobs
-- The match jobs that a client has leased from some work queues.
SELECT id, attempt, (args ->> 'group')::bigint AS group_id
FROM jobs
WHERE
  state = 'running'
  AND client_id = $1
  AND kind = 'match'
  AND queue = any($2::text []);

-- name: read_waiting_groups
-- The groups of match jobs, if they still wait. Their start times count until
-- one of their pods is bound.
SELECT
  g.id,
  g.namespace,
  g.group_name,
  g.queue,
  g.account,
  g.priority,
  g.first_in_line,
  (extract(epoch FROM g.submitted_at) * 1000000)::bigint AS submitted_us,
  g.revision,
  g.shape,
  g.duration_seconds,
  g.match_job,
  g.state = 'unsatisfiable' AS unsatisfiable,
  g.reason,
  coalesce(g.phase = 'held', false) AS held,
  g.preempts,
  g.grace_seconds,
  g.extends,
  x.group_id IS NOT NULL AS external,
  NOT coalesce(x.promised, true) AS pressing,
  coalesce(x.reserve, false) AS takes_promise,
  CASE
    WHEN NOT m.started THEN ceil(extract(epoch FROM g.start_after))::bigint
  END AS start_after,
  CASE
    WHEN NOT m.started THEN floor(extract(epoch FROM g.start_by))::bigint
  END AS start_by
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
LEFT JOIN external_groups AS x ON x.group_id = any(ARRAY[v.id])
CROSS JOIN LATERAL (
  SELECT
    coalesce(g.start_after, g.start_by) IS NOT NULL
    AND EXISTS (
      SELECT FROM pods AS p
      WHERE p.group_id = any(ARRAY[g.id]) AND p.node_name IS NOT NULL
    ) AS started
) AS m
WHERE g.state NOT IN ('allocated', 'bound') AND g.cancel_reason IS NULL
ORDER BY v.id;

-- name: read_waiting_members
-- The members without a place, by group. Members of external groups are made
-- up, as these have no rows in pods.
SELECT m.group_id, m.uid, m.request
FROM (
  SELECT
    p.group_id,
    p.uid,
    p.request::text AS request,
    p.completion_index,
    p.created_at
  FROM unnest($1::bigint []) AS v (id)
  INNER JOIN pods AS p ON p.group_id = any(ARRAY[v.id])
  WHERE
    p.state = 'waiting'
    AND NOT EXISTS (
      SELECT FROM placements AS l
      WHERE
        l.fluxion_job = any(ARRAY[p.group_id])
        AND l.pod_uid = any(ARRAY[p.uid])
    )
  UNION ALL
  SELECT
    g.id,
    format('external-%s-%s', g.id, n.number),
    e.request::text,
    n.number,
    g.submitted_at
  FROM unnest($1::bigint []) AS v (id)
  INNER JOIN external_groups AS e ON e.group_id = any(ARRAY[v.id])
  INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
  CROSS JOIN LATERAL generate_series(0, g.group_size - 1) AS n (number)
  WHERE NOT EXISTS (
    SELECT FROM allocations AS a WHERE a.fluxion_job = any(ARRAY[v.id])
  )
) AS m
ORDER BY m.group_id, m.completion_index NULLS LAST, m.created_at, m.uid;

-- name: has_match_news
-- Whether there are changes for the match owner of some queues.
SELECT EXISTS (
  SELECT FROM match_inbox WHERE queue = any($1::text [])
) AS "any";

-- name: clear_match_inbox
-- Deletes the changes of some queues, since everything is loaded afresh.
DELETE FROM match_inbox WHERE queue = any($1::text []);

-- name: take_match_inbox
-- Takes the changes for the match owner of some queues, in order; the commit
-- deletes their rows.
WITH taken AS (
  DELETE FROM match_inbox
  WHERE id = any(
    ARRAY(
      SELECT i.id FROM match_inbox AS i
      WHERE i.queue = any($2::text [])
      ORDER BY i.id
      LIMIT $1
    )
  )
  RETURNING id, news, group_id, pod_uid
)
SELECT news, group_id, pod_uid FROM taken ORDER BY id;

-- name: record_verdicts
-- Records groups that can never fit, or can again: their state and reason, with
-- the name of the pod that is the cause, if it is a single one. Their pods are
-- due for a report.
UPDATE pod_groups AS g
SET
  state = CASE WHEN v.unsatisfiable THEN 'unsatisfiable' ELSE 'pending' END,
  phase = CASE
    WHEN v.unsatisfiable THEN NULL
    WHEN v.deferred THEN 'deferred'
    ELSE 'queued'
  END,
  reason = nullif(v.reason, '') || coalesce(
    (SELECT format(' (pod %s)', p.pod_name) FROM pods AS p WHERE p.uid = v.cause),
    ''
  ),
  news_due = least(
    g.news_due, next_news($6, g.told_at, g.group_size, v.unsatisfiable)
  )
FROM unnest(
  $1::bigint [], $2::integer [], $3::boolean [], $4::text [], $5::text [],
  $7::boolean []
) AS v (id, revision, unsatisfiable, reason, cause, deferred)
WHERE
  g.id = any(ARRAY[v.id])
  AND g.revision = v.revision
  AND g.state NOT IN ('allocated', 'bound');

-- name: allocate_groups
-- Marks groups as allocated, unless they have changed or are held. Returns
-- whether their pods are started by callers.
UPDATE pod_groups AS g
SET
  state = 'allocated',
  phase = NULL,
  reason = NULL,
  allocated_at = $3,
  news_due = NULL
FROM unnest($1::bigint [], $2::integer []) AS v (id, revision)
WHERE
  g.id = any(ARRAY[v.id])
  AND g.revision = v.revision
  AND g.phase IN ('queued', 'reserved', 'deferred')
RETURNING
  g.id,
  EXISTS (
    SELECT FROM external_groups AS e WHERE e.group_id = any(ARRAY[g.id])
  ) AS external;

-- name: read_shared_claims
-- The claims of several pods of which pods of these groups ($1) have devices.
SELECT DISTINCT
  l.fluxion_job AS id,
  d.shared AS claim
FROM placements AS l
CROSS JOIN LATERAL jsonb_to_recordset(l.devices::jsonb) AS d (shared text)
WHERE l.fluxion_job = any($1::bigint []) AND d.shared IS NOT NULL;

-- name: write_placements
-- Writes the allocations of groups ($1), and the placement of each pod ($7, $8),
-- with what it has inside of its node ($15, $16) and its devices ($18, $19). A
-- group that held nodes before keeps its row, with the start and end of all that it
-- holds. Reservations of the groups are deleted.
WITH held AS (
  INSERT INTO allocations AS a
  (
    fluxion_job, group_id, queue, nodes, starts_at, ends_at, term, whole_nodes,
    aside, pools
  )
  SELECT
    v.id,
    v.id,
    v.queue,
    v.nodes::text [],
    to_timestamp(v.starts_at),
    to_timestamp(
      CASE WHEN v.ends_at IS NOT NULL THEN least(v.ends_at, 253402300799) END
    ),
    v.term,
    v.whole_nodes,
    v.aside,
    v.pools::jsonb
  FROM unnest(
    $1::bigint [], $2::text [], $3::text [], $4::bigint [], $5::bigint [],
    $6::bigint [], $13::boolean [], $14::boolean [], $17::text []
  ) AS v (id, queue, nodes, starts_at, ends_at, term, whole_nodes, aside, pools)
  ON CONFLICT (fluxion_job) DO UPDATE SET
  nodes = ARRAY(
    SELECT DISTINCT n.node
    FROM unnest(
      excluded.nodes || ARRAY(
        SELECT l.node_name FROM placements AS l
        WHERE l.fluxion_job = any(ARRAY[a.fluxion_job])
      )
    ) AS n (node)
    ORDER BY n.node
  ),
  starts_at = excluded.starts_at,
  ends_at = excluded.ends_at,
  term = excluded.term,
  whole_nodes = excluded.whole_nodes,
  aside = excluded.aside,
  pools = excluded.pools
),

used AS (
  DELETE FROM reservations AS r USING unnest($1::bigint []) AS v (id)
  WHERE r.group_id = any(ARRAY[v.id])
)

INSERT INTO placements
(
  fluxion_job, pod_uid, node_name, cpu_milli, memory_bytes, other, parts,
  resource_set, devices, own_devices
)
SELECT
  v.id,
  v.uid,
  v.node,
  v.cpu,
  v.memory,
  v.other::jsonb,
  v.parts,
  v.resource_set::jsonb,
  v.devices,
  v.own_devices::jsonb
FROM unnest(
  $7::bigint [], $8::text [], $9::text [], $10::bigint [], $11::bigint [],
  $12::text [], $15::text [], $16::text [], $18::text [],
  $19::text []
) AS v (
  id, uid, node, cpu, memory, other, parts, resource_set, devices, own_devices
);

-- name: drop_reservations
-- Deletes reservations of groups. Without a time ($2) their pods get no report.
WITH gone AS (
  DELETE FROM reservations AS r USING unnest($1::bigint []) AS v (id)
  WHERE r.group_id = any(ARRAY[v.id])
  RETURNING r.group_id
)
UPDATE pod_groups AS g
SET
  phase = CASE WHEN g.phase = 'reserved' THEN 'queued' ELSE g.phase END,
  news_due = CASE
    WHEN $2::timestamptz IS NULL THEN g.news_due
    ELSE least(g.news_due, next_news($2, g.told_at, g.group_size, false))
  END
FROM gone
WHERE g.id = any(ARRAY[gone.group_id]) AND g.phase IS NOT NULL;

-- name: record_reservations
-- Records when and where groups will start; times after the year 9999 are
-- recorded as its end.
WITH made AS (
  INSERT INTO reservations AS r
  (group_id, queue, kind, starts_at, nodes, places, made_at, parts, devices)
  SELECT
    g.id,
    v.queue,
    CASE WHEN v.starts_at IS NULL THEN 'drain' ELSE 'reservation' END,
    to_timestamp(
      CASE WHEN v.starts_at IS NOT NULL THEN least(v.starts_at, 253402300799) END
    ),
    v.nodes::text [],
    v.places::integer [],
    $6,
    v.parts::text [],
    v.devices::text []
  FROM unnest(
    $1::bigint [], $2::text [], $3::bigint [], $4::text [], $5::text [],
    $7::text [], $8::text []
  ) AS v (id, queue, starts_at, nodes, places, parts, devices)
  INNER JOIN pod_groups AS g
    ON g.id = any(ARRAY[v.id]) AND g.phase IN ('queued', 'reserved')
  ON CONFLICT (group_id) DO UPDATE SET
  kind = excluded.kind,
  starts_at = excluded.starts_at,
  nodes = excluded.nodes,
  places = excluded.places,
  parts = excluded.parts,
  devices = excluded.devices,
  made_at = excluded.made_at
  RETURNING r.group_id
)
UPDATE pod_groups AS g
SET
  phase = 'reserved',
  news_due = least(g.news_due, next_news($6, g.told_at, g.group_size, false))
FROM made
WHERE g.id = any(ARRAY[made.group_id]) AND g.phase IS NOT NULL;

-- name: record_wait_reasons
-- Records why the groups of a shape wait; $6: no pod can have another reason
-- from before.
INSERT INTO wait_reasons AS w (
  queue, shape, kind, reason, since, spread, namespace, account
)
SELECT v.queue, v.shape, v.kind, v.reason, $5, $6, v.namespace, v.account
FROM unnest($1::text [], $2::bigint [], $3::text [], $4::text [], $7::text [], $8::text [])
AS v (queue, shape, kind, reason, namespace, account)
ON CONFLICT (queue, shape, namespace, account) DO UPDATE SET
kind = excluded.kind,
reason = excluded.reason,
since = excluded.since,
spread = w.spread AND w.kind = excluded.kind;

-- name: drop_wait_reasons
-- Deletes the reasons of shapes that no longer wait.
DELETE FROM wait_reasons AS w
USING unnest($1::text [], $2::bigint [], $3::text [], $4::text [])
AS v (queue, shape, namespace, account)
WHERE
  w.queue = v.queue
  AND w.shape = v.shape
  AND w.namespace = v.namespace
  AND w.account = v.account;

-- name: read_groups_with_succeeded
-- The groups among these with a pod that has succeeded.
SELECT DISTINCT v.id
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pods AS p ON p.group_id = any(ARRAY[v.id])
WHERE p.state = 'succeeded';

-- name: evict_groups
-- Evicts groups ($1) for others ($2): no more of their pods are bound, and they
-- end by $3.
WITH evicted AS (
  UPDATE pod_groups AS g
  SET
    cancel_reason = format('preempted by group %s/%s', p.namespace, p.group_name),
    preempted_for = p.id,
    comes_again = true,
    revision = g.revision + 1
  FROM unnest($1::bigint [], $2::bigint [], $3::bigint [])
  AS v (id, preemptor, ends_at)
  INNER JOIN pod_groups AS p ON p.id = any(ARRAY[v.preemptor])
  WHERE g.id = any(ARRAY[v.id])
  RETURNING g.id, g.cancel_reason AS reason, v.ends_at
),

shortened AS (
  UPDATE allocations AS a
  SET
    ends_at = least(
      a.ends_at,
      greatest(to_timestamp(e.ends_at), a.starts_at + interval '1 second')
    )
  FROM evicted AS e
  WHERE a.fluxion_job = any(ARRAY[e.id])
)

SELECT e.id, e.reason FROM evicted AS e ORDER BY e.id;
