-- 10,000 nodes in 250 racks, and 100,000 groups: each node runs one and has nine
-- more reserved one after the other. A client that nobody runs leads, so that a
-- server changes none of it.
INSERT INTO clients (name, time_to_live) VALUES ('nobody', '1 day');
INSERT INTO leaders (name, client_id)
SELECT
  n.name,
  c.id
FROM clients AS c
CROSS JOIN unnest(ARRAY['intake', 'maintenance', 'match:default']) AS n (name)
WHERE c.name = 'nobody'
ON CONFLICT (name) DO UPDATE SET
client_id = excluded.client_id,
term = leaders.term + 1;

INSERT INTO nodes (
  node_name, cpu_milli, memory_bytes, pods, labels, other, seen_at
)
SELECT
  'node-' || lpad(i::text, 5, '0'),
  64000,
  274877906944,
  110,
  jsonb_build_object(
    'kubernetes.io/hostname', 'node-' || i,
    'topology.kubernetes.io/zone', 'zone-' || i / 2500,
    'topology.kubernetes.io/rack', 'rack-' || i / 40
  ),
  '{"nvidia.com/gpu": 8}',
  now()
FROM generate_series(0, 9999) AS i;

INSERT INTO pod_groups (
  id, namespace, group_name, group_size, queue, priority, state, phase, shape,
  duration_seconds, submitted_at, promoted_at, allocated_at, bound_at
)
OVERRIDING SYSTEM VALUE
SELECT
  i + 1,
  'team-' || i % 7,
  'train-' || i,
  1,
  'default',
  0,
  CASE WHEN i < 10000 THEN 'bound' ELSE 'pending' END,
  CASE WHEN i >= 10000 THEN 'reserved' END,
  i,
  3600 + i % 997,
  now() - interval '2 hours',
  now() - interval '2 hours',
  CASE WHEN i < 10000 THEN now() - interval '30 minutes' END,
  CASE WHEN i < 10000 THEN now() - interval '30 minutes' END
FROM generate_series(0, 99999) AS i;

INSERT INTO allocations (
  fluxion_job, group_id, queue, nodes, term, starts_at, ends_at
)
SELECT
  i + 1,
  i + 1,
  'default',
  ARRAY['node-' || lpad(i::text, 5, '0')],
  1,
  now() - interval '30 minutes',
  now() + interval '30 minutes'
FROM generate_series(0, 9999) AS i;

INSERT INTO placements (
  fluxion_job, pod_uid, node_name, cpu_milli, memory_bytes
)
SELECT
  i + 1,
  'uid-' || i,
  'node-' || lpad(i::text, 5, '0'),
  1000 * (i % 64),
  1073741824
FROM generate_series(0, 9999) AS i;

INSERT INTO reservations (group_id, queue, kind, starts_at, nodes, made_at)
SELECT
  i + 1,
  'default',
  'reservation',
  now() + interval '30 minutes' + interval '80 minutes' * ((i - 10000) / 10000),
  ARRAY['node-' || lpad((i % 10000)::text, 5, '0')],
  now()
FROM generate_series(10000, 99999) AS i;
ANALYZE;
