-- The queries of the replicas, which divide the components among themselves,
-- and of the table of nodes that they publish.

-- name: read_owners
-- All scheduling queues, with the living client that owns the match of each.
SELECT q.name, q.node_selector::text AS node_selector, c.id AS owner
FROM queues AS q
LEFT JOIN leaders AS l ON l.name = 'match:' || q.name
LEFT JOIN clients AS c
  ON c.id = l.client_id AND c.heartbeat_at + c.time_to_live > now()
ORDER BY q.name;

-- name: read_replicas
-- The living clients that can own the match of queues.
SELECT c.id
FROM match_replicas AS r
INNER JOIN clients AS c
  ON c.id = r.client_id AND c.heartbeat_at + c.time_to_live > now()
ORDER BY c.id;

-- name: join_replicas
-- Registers this client as one that can own the match of queues.
INSERT INTO match_replicas (client_id)
SELECT id FROM clients WHERE id = $1
ON CONFLICT DO NOTHING;

-- name: leave_replicas
-- Removes this client from those that can own the match of queues.
DELETE FROM match_replicas WHERE client_id = $1;

-- name: write_nodes
-- Writes the copy of the nodes that people read. $16: their structures, each
-- once; $15: the place of that of each node among them, from 1, or 0 for none.
WITH given AS MATERIALIZED (
  SELECT
    md5(s.structure) AS id,
    s.structure,
    s.place
  FROM unnest($16::text []) WITH ORDINALITY AS s (structure, place)
),

kept AS (
  INSERT INTO node_structures (id, structure)
  SELECT DISTINCT
    g.id,
    g.structure
  FROM given AS g
  ON CONFLICT DO NOTHING
)

INSERT INTO nodes (
  node_name, cpu_milli, memory_bytes, pods, other, unmanaged_cpu_milli,
  unmanaged_memory_bytes, unmanaged_pods, unschedulable, labels, unmanaged_other,
  taints, seen_at, occupants, structure, topology_policy, devices,
  unmanaged_devices
)
SELECT
  v.node_name,
  v.cpu,
  v.memory,
  v.pods,
  v.other::jsonb,
  v.unmanaged_cpu,
  v.unmanaged_memory,
  v.unmanaged_pods,
  v.unschedulable,
  v.labels::jsonb,
  v.unmanaged_other::jsonb,
  v.taints::jsonb,
  $13,
  v.occupants,
  g.id,
  v.topology_policy,
  v.devices::jsonb,
  v.unmanaged_devices::jsonb
FROM unnest(
  $1::text [], $2::bigint [], $3::bigint [], $4::bigint [], $5::text [],
  $6::bigint [], $7::bigint [], $8::bigint [], $9::text [], $10::text [],
  $11::text [], $12::text [], $14::integer [], $15::integer [],
  $17::text [], $18::text [], $19::text []
) AS v (
  node_name, cpu, memory, pods, other, unmanaged_cpu, unmanaged_memory,
  unmanaged_pods, unschedulable, labels, unmanaged_other, taints, occupants, place,
  topology_policy, devices, unmanaged_devices
)
LEFT JOIN given AS g ON g.place = v.place
ON CONFLICT (node_name) DO UPDATE SET
cpu_milli = excluded.cpu_milli,
memory_bytes = excluded.memory_bytes,
pods = excluded.pods,
other = excluded.other,
unmanaged_cpu_milli = excluded.unmanaged_cpu_milli,
unmanaged_memory_bytes = excluded.unmanaged_memory_bytes,
unmanaged_pods = excluded.unmanaged_pods,
unschedulable = excluded.unschedulable,
labels = excluded.labels,
unmanaged_other = excluded.unmanaged_other,
taints = excluded.taints,
seen_at = excluded.seen_at,
occupants = excluded.occupants,
structure = excluded.structure,
topology_policy = excluded.topology_policy,
devices = excluded.devices,
unmanaged_devices = excluded.unmanaged_devices;

-- name: drop_nodes
-- Deletes these nodes ($2 false), or all others ($2 true).
DELETE FROM nodes WHERE (node_name = any($1::text [])) <> $2;

-- name: drop_unused_structures
-- Deletes the structures that no node has any more.
DELETE FROM node_structures AS s
WHERE NOT EXISTS (SELECT FROM nodes AS n WHERE n.structure = s.id);
