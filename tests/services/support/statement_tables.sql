CREATE TABLE made (
  class text NOT NULL,
  id bigint NOT NULL,
  PRIMARY KEY (class, id)
);

CREATE FUNCTION ids(of_class text, at_most integer) RETURNS bigint []
LANGUAGE sql AS $$
  SELECT coalesce(array_agg(m.id), '{}') FROM (
    SELECT id FROM made WHERE class = of_class ORDER BY id DESC LIMIT at_most
  ) AS m
$$;

CREATE FUNCTION uids(of_class text, at_most integer) RETURNS text []
LANGUAGE sql AS $$
  SELECT coalesce(array_agg(format('pod-%s-%s', m.id, n.number)), '{}')
  FROM unnest(ids(of_class, at_most)) AS m (id)
  CROSS JOIN generate_series(0, 3) AS n (number)
$$;

CREATE FUNCTION spaces(of_class text, at_most integer) RETURNS text []
LANGUAGE sql AS $$
  SELECT coalesce(array_agg('team' || m.id % 20), '{}')
  FROM unnest(ids(of_class, at_most)) AS m (id)
$$;

CREATE FUNCTION names(of_class text, at_most integer) RETURNS text []
LANGUAGE sql AS $$
  SELECT coalesce(array_agg('group-' || m.id), '{}')
  FROM unnest(ids(of_class, at_most)) AS m (id)
$$;

CREATE FUNCTION times(value anyelement, given anycompatiblearray) RETURNS anyarray
LANGUAGE sql AS $$ SELECT array_fill(value, ARRAY[cardinality(given)]) $$;

CREATE FUNCTION numbers(given anycompatiblearray) RETURNS integer []
LANGUAGE sql AS $$ SELECT ARRAY(SELECT generate_series(1, cardinality(given))) $$;

CREATE FUNCTION some_jobs(of_state text, at_most integer) RETURNS bigint []
LANGUAGE sql AS $$
  SELECT coalesce(array_agg(j.id), '{}') FROM (
    SELECT id FROM jobs WHERE state = of_state ORDER BY id DESC LIMIT at_most
  ) AS j
$$;

CREATE FUNCTION some_nodes(at_most integer) RETURNS text []
LANGUAGE sql AS $$
  SELECT coalesce(array_agg(n.node_name), '{}') FROM (
    SELECT node_name FROM nodes ORDER BY node_name LIMIT at_most
  ) AS n
$$;

CREATE FUNCTION some_node(number bigint, nodes integer) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT 'node-' || number % nodes $$;

CREATE FUNCTION settle() RETURNS void
LANGUAGE sql AS $$
  INSERT INTO queues (name) VALUES ('alpha'), ('beta'), ('gamma');
  INSERT INTO clients (name, heartbeat_at, time_to_live)
  SELECT 'client', now(), interval '1 day' FROM generate_series(1, 3);
  INSERT INTO leaders (name, client_id)
  SELECT v.name, 1 FROM unnest(ARRAY['intake', 'maintenance', 'match:default', 'match:alpha', 'match:beta']) AS v (name);
  INSERT INTO match_replicas (client_id) VALUES (1), (2);
  INSERT INTO job_queues (name, used_at)
  SELECT 'work-' || i, now() - interval '2 days' FROM generate_series(1, 10) AS i;
  INSERT INTO job_queues (name) VALUES ('match:default'), ('bind'), ('cleanup');
  INSERT INTO job_rewinds (queue, rewound_to)
  SELECT 'match:default', now() FROM generate_series(1, 20);
  INSERT INTO periodic_jobs (name, schedule, kind, queue, next_at)
  SELECT 'tick-' || i, '@hourly', 'tick', 'work', now() + (i - 100) * interval '1 minute'
  FROM generate_series(1, 200) AS i;
  INSERT INTO accounts (name) VALUES ('all');
  INSERT INTO accounts (name, parent, namespace)
  SELECT 'account-' || i, 'all', 'team' || i FROM generate_series(0, 9) AS i;
  INSERT INTO account_use (queue, namespace, account, used, as_of)
  SELECT q.name, 'team' || i, '', i, now()
  FROM generate_series(0, 19) AS i, queues AS q;
  INSERT INTO account_holds (queue, namespace, account, resource, amount)
  SELECT q.name, 'team' || i, '', 'cpu', 1 + i
  FROM generate_series(0, 19) AS i, queues AS q;
  INSERT INTO wait_reasons (queue, shape, reason, since, kind, spread)
  SELECT q.name, i, 'no room', now(), 'room', i > 5
  FROM generate_series(0, 49) AS i, queues AS q;
  INSERT INTO resync_differences (kind, found, names)
  SELECT 'kind-' || i, 1, ARRAY['a'] FROM generate_series(1, 3) AS i;
$$;

-- Adds n groups and as much of everything that grows with them. `each_class` of
-- them are of each special class.
CREATE FUNCTION grow(first bigint, n integer, each_class integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  node_count integer := greatest(n / 10, 4);
  classes text[] := ARRAY[
    'recalled', 'overdue', 'late', 'news', 'held', 'unsatisfiable', 'in part',
    'cancelled', 'elastic', 'growth', 'external', 'given out', 'ended',
    'failed', 'kept', 'forsaken', 'reserved', 'deferred', 'over', 'leaked'
  ];
BEGIN
  CREATE TEMPORARY TABLE plan ON COMMIT DROP AS
  SELECT
    first + o AS id,
    o,
    'team' || (first + o) % 20 AS namespace,
    'group-' || first + o AS group_name,
    CASE WHEN (first + o) % 4 = 0 THEN 'alpha' ELSE 'default' END AS queue,
    (first + o) % 50 AS shape,
    coalesce(
      classes[1 + (o / nullif(each_class, 0))],
      CASE WHEN o % 10 < 5 THEN 'queued' WHEN o % 10 = 5 THEN 'allocated' ELSE 'bound' END
    ) AS class
  FROM generate_series(0, n - 1) AS o;
  INSERT INTO made (class, id) SELECT p.class, p.id FROM plan AS p;

  INSERT INTO nodes (node_name, cpu_milli, memory_bytes, pods, labels, seen_at, unschedulable)
  SELECT 'node-' || i, 32000, 64000000000, 110,
    jsonb_build_object('zone', 'z' || i % 5), now(), CASE WHEN i < 3 THEN 'drained' END
  FROM generate_series(0, node_count - 1) AS i ON CONFLICT DO NOTHING;
  INSERT INTO component_nodes (node_name, queue)
  SELECT 'node-' || i, CASE WHEN i % 4 = 0 THEN 'alpha' ELSE 'default' END
  FROM generate_series(0, node_count * 9 / 10) AS i ON CONFLICT DO NOTHING;
  INSERT INTO maintenance (nodes, starts_at, ends_at, made_at)
  SELECT ARRAY['node-' || i, 'node-' || i + 1], now() + interval '1 day', now() + interval '2 days', now()
  FROM generate_series(0, 4) AS i
  WHERE NOT EXISTS (SELECT FROM maintenance);

  INSERT INTO pod_groups (
    id, namespace, group_name, group_size, queue, priority, state, phase,
    reason, first_in_line, shape, owners, duration_seconds, match_job,
    cancel_reason, submitted_at, promoted_at, allocated_at, bound_at,
    went_back_at, news_due, start_by, held_at, max_size, extends
  )
  SELECT
    p.id, p.namespace, p.group_name,
    CASE WHEN p.class = 'growth' THEN 1 ELSE 4 END,
    p.queue, p.id % 3,
    CASE
      WHEN p.class = 'unsatisfiable' THEN 'unsatisfiable'
      WHEN p.class IN ('queued', 'recalled', 'late', 'news', 'held', 'in part', 'growth', 'external', 'reserved', 'deferred') THEN 'pending'
      WHEN p.class IN ('allocated', 'given out') THEN 'allocated'
      ELSE 'bound'
    END,
    CASE
      WHEN p.class IN ('recalled', 'held', 'reserved', 'deferred') THEN p.class
      WHEN p.class = 'growth' THEN 'held'
      WHEN p.class IN ('queued', 'late', 'news', 'in part', 'external') THEN 'queued'
    END,
    CASE WHEN p.class IN ('held', 'growth') THEN 'held' END,
    p.class = 'in part',
    p.shape,
    CASE WHEN p.class = 'growth' THEN '{}' ELSE ARRAY['owner-' || p.id] END,
    3600, 10 * p.id,
    CASE WHEN p.class = 'cancelled' THEN 'a user cancelled it' END,
    now() - interval '1 hour' + p.o * interval '1 millisecond',
    now() - interval '1 hour' + p.o * interval '1 millisecond',
    CASE WHEN p.class IN ('allocated', 'bound') THEN now() - interval '50 minutes' END,
    CASE WHEN p.class NOT IN ('queued', 'recalled', 'late', 'news', 'held', 'in part', 'growth', 'external', 'reserved', 'deferred', 'unsatisfiable', 'allocated', 'given out') THEN now() - interval '50 minutes' END,
    CASE WHEN p.class = 'in part' THEN now() - interval '50 minutes' END,
    CASE
      WHEN p.class = 'news' THEN now() - interval '1 minute'
      WHEN p.class = 'queued' THEN now() + interval '1 minute'
    END,
    CASE WHEN p.class = 'late' THEN now() - interval '1 minute'
      WHEN p.id % 7 = 0 THEN now() + interval '1 day' END,
    CASE WHEN p.class IN ('held', 'growth') THEN now() END,
    CASE WHEN p.class = 'elastic' THEN 8 END,
    CASE WHEN p.class = 'growth' THEN p.id - each_class END
  FROM plan AS p;
  UPDATE pod_groups SET held_reason = 'until its group has grown by it' WHERE extends IS NOT NULL;

  INSERT INTO pods (
    uid, group_id, namespace, pod_name, asked_name, state, node_name, request,
    completion_index, owner_kind, owner_name, owner_uid, resource_version,
    created_at, bound_at, ended_at, turned_away
  )
  SELECT
    format('pod-%s-%s', p.id, j), p.id, p.namespace, format('pod-%s-%s', p.id, j),
    p.group_name,
    CASE
      WHEN p.class IN ('ended', 'over') THEN 'succeeded'
      WHEN p.class IN ('failed', 'kept', 'forsaken') AND j = 0 THEN 'failed'
      WHEN p.class = 'in part' AND j = 0 THEN 'bound'
      WHEN g.state IN ('pending', 'unsatisfiable', 'allocated') THEN 'waiting'
      ELSE 'bound'
    END,
    CASE WHEN g.state NOT IN ('pending', 'unsatisfiable', 'allocated') OR (p.class = 'in part' AND j = 0)
      THEN some_node(p.id + j, node_count) END,
    '{"cpu": 1}', j, 'Job', 'job-' || p.id, 'owner-' || p.id, (p.id * 10)::text,
    now() - interval '1 hour',
    CASE WHEN g.state = 'bound' THEN now() - interval '50 minutes' END,
    CASE WHEN p.class IN ('ended', 'over') OR (p.class IN ('failed', 'kept', 'forsaken') AND j = 0) THEN now() END,
    NULL
  FROM plan AS p
  INNER JOIN pod_groups AS g ON g.id = p.id
  CROSS JOIN generate_series(0, 3) AS j
  WHERE p.class NOT IN ('external', 'given out') AND j < g.group_size;

  INSERT INTO external_groups (group_id, request, reserve, ask_key)
  SELECT p.id, '{"cpu": 1}', false, 'ask-' || p.id FROM plan AS p
  WHERE p.class IN ('external', 'given out');

  INSERT INTO allocations (fluxion_job, group_id, queue, nodes, starts_at, ends_at, term)
  SELECT p.id, p.id, p.queue,
    ARRAY[some_node(p.id, node_count), some_node(p.id + 1, node_count), some_node(p.id + 2, node_count), some_node(p.id + 3, node_count)],
    now() - interval '50 minutes',
    CASE WHEN p.class = 'overdue' THEN now() - interval '1 minute'
      ELSE now() + interval '10 minutes' + p.o * interval '1 second' END,
    1
  FROM plan AS p
  INNER JOIN pod_groups AS g ON g.id = p.id
  WHERE g.state IN ('allocated', 'bound') OR p.class = 'in part';

  INSERT INTO placements (fluxion_job, pod_uid, node_name, cpu_milli, memory_bytes, other, held_until)
  SELECT p.id,
    CASE
      WHEN p.class = 'given out' THEN format('external-%s-%s', p.id, j)
      WHEN p.class = 'leaked' THEN format('unknown-%s-%s', p.id, j)
      ELSE format('pod-%s-%s', p.id, j)
    END,
    some_node(p.id + j, node_count), 1000, 1000000000, '{"gpu": 1}',
    CASE WHEN j = 0 AND p.class = 'kept' THEN now() + interval '1 hour'
      WHEN j = 0 AND p.class = 'forsaken' THEN now() - interval '1 minute' END
  FROM plan AS p
  INNER JOIN allocations AS a ON a.fluxion_job = p.id
  CROSS JOIN generate_series(0, 3) AS j
  WHERE p.class <> 'over' AND (p.class <> 'in part' OR j = 0);

  INSERT INTO reservations (group_id, queue, kind, starts_at, nodes, made_at, places)
  SELECT p.id, p.queue, 'reservation', now() + interval '1 hour',
    ARRAY[some_node(p.id, node_count), some_node(p.id + 1, node_count)], now(), '{0,0,1,1}'
  FROM plan AS p WHERE p.class = 'reserved';

  INSERT INTO estimates (group_id, starts_at, approximate, rests_on, made_at, first_starts_at, first_made_at, position)
  SELECT p.id, now() + interval '1 hour', false, '', now(), now(), now(), p.o + 1
  FROM plan AS p INNER JOIN pod_groups AS g ON g.id = p.id
  WHERE p.class IN ('queued', 'allocated', 'bound', 'over');

  -- Groups that fill.
  INSERT INTO made (class, id)
  SELECT (ARRAY['complete', 'filling late', 'filling news', 'refused', 'filling held'])[1 + o / nullif(each_class, 0)], first + 1000000 + o
  FROM generate_series(0, 5 * each_class - 1) AS o;
  INSERT INTO made (class, id)
  SELECT 'filling', first + 1000000 + o
  FROM generate_series(5 * each_class, greatest(5 * each_class, n / 2) - 1) AS o;
  INSERT INTO groups_provisional (
    namespace, group_name, group_id, group_size, queue, members, first_seen_at,
    news_due, start_by, held_at, changed_at, makers_due
  )
  SELECT 'team' || m.id % 20, 'group-' || m.id, m.id, 4,
    CASE WHEN m.id % 4 = 0 THEN 'alpha' ELSE 'default' END,
    CASE WHEN m.class = 'complete' THEN 4 WHEN m.class = 'refused' THEN 0 ELSE 2 END,
    now() - interval '10 minutes',
    CASE WHEN m.class = 'filling news' THEN now() - interval '1 minute' ELSE now() + interval '1 minute' END,
    CASE WHEN m.class = 'filling late' THEN now() - interval '1 minute'
      WHEN m.id % 7 = 0 THEN now() + interval '1 day' END,
    CASE WHEN m.class = 'filling held' THEN now() END,
    now() - interval '10 minutes',
    CASE WHEN m.class = 'filling news' THEN now() - interval '1 minute'
      WHEN m.class <> 'complete' THEN now() + interval '1 minute' END
  FROM made AS m
  WHERE m.id >= first + 1000000 AND m.id < first + 1000000 + greatest(5 * each_class, n / 2) AND m.class <> 'refused';
  INSERT INTO pods_provisional (
    uid, namespace, pod_name, group_name, group_size, queue, request,
    completion_index, owner_kind, owner_name, owner_uid, resource_version,
    refused, created_at
  )
  SELECT format('pod-%s-%s', m.id, j), 'team' || m.id % 20, format('pod-%s-%s', m.id, j),
    'group-' || m.id, 4, CASE WHEN m.id % 4 = 0 THEN 'alpha' ELSE 'default' END,
    '{"cpu": 1}', j, 'Job', 'job-' || m.id, 'owner-' || m.id, (m.id * 10)::text,
    CASE WHEN m.class = 'refused' THEN 'cannot be used' END,
    now() - interval '10 minutes'
  FROM made AS m CROSS JOIN generate_series(0, 3) AS j
  WHERE m.id >= first + 1000000 AND m.id < first + 1000000 + greatest(5 * each_class, n / 2)
    AND (j < 2 OR m.class = 'complete');
  INSERT INTO pods_provisional (
    uid, namespace, pod_name, group_name, group_size, queue, request,
    completion_index, owner_kind, owner_name, owner_uid, resource_version, created_at
  )
  SELECT 'more-' || m.id, 'team' || m.id % 20, 'more-' || m.id, 'group-' || m.id, 4, 'default',
    '{"cpu": 1}', 9, 'Job', 'job-' || m.id, 'owner-' || m.id, '1', now()
  FROM plan AS m WHERE m.class IN ('elastic', 'failed');

  -- The work queue.
  INSERT INTO jobs (id, kind, queue, state, attempt, client_id, attempted_at, args)
  OVERRIDING SYSTEM VALUE
  SELECT 10 * p.id, 'match', 'match:' || p.queue, 'running', 1, 1, now(), jsonb_build_object('group', p.id)
  FROM plan AS p INNER JOIN pod_groups AS g ON g.id = p.id
  WHERE g.state IN ('pending', 'unsatisfiable');
  INSERT INTO jobs (id, kind, queue, state, attempt, client_id, attempted_at, args)
  OVERRIDING SYSTEM VALUE
  SELECT 10 * p.id + 1, 'bind', 'bind', 'running', 1, 2, now(), jsonb_build_object('group', p.id)
  FROM plan AS p WHERE p.class = 'allocated';
  INSERT INTO jobs (id, kind, queue, state, args)
  OVERRIDING SYSTEM VALUE
  SELECT 10 * p.id + 2, 'cleanup', 'cleanup', 'available', jsonb_build_object('group', p.id)
  FROM plan AS p WHERE p.class IN ('ended', 'failed', 'over');
  INSERT INTO jobs (id, kind, queue, state, scheduled_at)
  OVERRIDING SYSTEM VALUE
  SELECT 10 * p.id + 3, 'work', 'work', 'available', now() - interval '1 minute' + p.o * interval '1 millisecond'
  FROM plan AS p;
  INSERT INTO jobs (id, kind, queue, state, attempt, client_id, cancel_requested_at, scheduled_at)
  OVERRIDING SYSTEM VALUE
  SELECT 10 * p.id + 4, 'work', 'work', v.state, 1, v.client, v.cancel, v.at
  FROM plan AS p
  INNER JOIN (
    VALUES
    (0, 'scheduled', NULL::bigint, NULL::timestamptz, now() - interval '1 minute'),
    (1, 'retryable', NULL, NULL, now() - interval '1 minute'),
    (2, 'pending', NULL, NULL, now()),
    (3, 'running', 99, NULL, now()),
    (4, 'running', 1, now(), now()),
    (5, 'running', 3, NULL, now())
  ) AS v (tens, state, client, cancel, at) ON v.tens = p.o / nullif(each_class, 0);
  INSERT INTO jobs (id, kind, queue, state, scheduled_at)
  OVERRIDING SYSTEM VALUE
  SELECT 10 * p.id + 5, 'work', 'work', 'scheduled', now() + interval '1 hour' + p.o * interval '1 second'
  FROM plan AS p;
  INSERT INTO jobs_finished (
    id, kind, queue, priority, state, attempt, max_attempts, created_at,
    scheduled_at, attempted_at, finalized_at, args, errors, tags, metadata
  )
  SELECT 10 * p.id + 6 + j, 'bind', 'bind', 1,
    CASE WHEN j < 2 THEN 'completed' WHEN p.o % 2 = 0 THEN 'cancelled' ELSE 'discarded' END,
    1, 25, now(), now(), now(), now(), '{}', '[]', '{}', '{}'
  FROM plan AS p CROSS JOIN generate_series(0, 2) AS j;
  INSERT INTO unique_keys (key, job_id, states)
  SELECT sha256(p.id::text::bytea), 10 * p.id + CASE WHEN p.o < each_class THEN 9 ELSE 3 END, '{available,running}'
  FROM plan AS p;

  INSERT INTO group_history (
    group_id, namespace, group_name, group_size, queue, priority, result, nodes,
    pods, submitted_at, promoted_at, allocated_at, bound_at, ended_at,
    first_estimate, first_estimated_at, last_estimate, last_estimated_at
  )
  SELECT first + 2000000 + 3 * o + j, 'team' || (first + o) % 20, 'group-' || first + 2000000 + 3 * o + j, 4, 'default', 0,
    CASE WHEN j = 0 THEN 'failed' ELSE 'succeeded' END, ARRAY[some_node(o, node_count)],
    '[{"name": "p", "node": "n", "state": "succeeded"}]',
    now() - interval '2 hours', now() - interval '2 hours', now() - interval '1 hours',
    now() - interval '1 hour', now(), now(), now() - interval '1 hour', now(), now() - interval '2 hours'
  FROM generate_series(0, n - 1) AS o CROSS JOIN generate_series(0, 2) AS j;
  INSERT INTO made (class, id)
  SELECT 'finished', first + 2000000 + 3 * o FROM generate_series(0, n - 1) AS o;

  INSERT INTO match_inbox (queue, news, group_id)
  SELECT 'default', 'changed', p.id FROM plan AS p WHERE p.o < 20;
  INSERT INTO growth_inbox (group_id)
  SELECT p.id FROM plan AS p WHERE p.class = 'elastic';
  INSERT INTO audit (caller, role, via, verb, object)
  SELECT 'someone', 'user', 'cli', 'cancel', 'group-' || p.id FROM plan AS p;
  PERFORM setval('group_ids', greatest(first + 5000000, (SELECT last_value FROM group_ids)));
  PERFORM setval(pg_get_serial_sequence('jobs', 'id'), 10 * first + 90000000);
END
$$;

-- Deletes the groups with lower ids than this, and what belongs to them.
CREATE FUNCTION shrink(below bigint) RETURNS void
LANGUAGE sql AS $$
  DELETE FROM pod_groups WHERE id < below;
  DELETE FROM groups_provisional WHERE group_id < below;
  DELETE FROM pods_provisional WHERE substring(uid FROM '[0-9]+')::bigint < below;
  DELETE FROM jobs WHERE id < 10 * below;
  DELETE FROM jobs_finished WHERE id < 10 * below;
  DELETE FROM unique_keys WHERE job_id < 10 * below;
  DELETE FROM group_history WHERE group_id < below;
  DELETE FROM audit WHERE id < (SELECT max(a.id) FROM audit AS a);
  DELETE FROM match_inbox WHERE group_id < below;
  DELETE FROM growth_inbox WHERE group_id < below;
  DELETE FROM made WHERE id < below;
$$;
