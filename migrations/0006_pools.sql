-- Pools of the whole cluster: licences, bandwidth, burst buffers.

CREATE TABLE pools (
  name text PRIMARY KEY
  CONSTRAINT pools_name_of_label
  CHECK (name ~ '^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'),
  total bigint NOT NULL
  CONSTRAINT pools_total_in_range CHECK (total BETWEEN 0 AND 1000000000000000),
  description text
  CONSTRAINT pools_description_short CHECK (length(description) <= 1000),
  made_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE pools IS
'Pools of the whole cluster: amounts that belong to no node, such as licences, bandwidth and burst buffers. A group asks for its part by the label fluxnetes.pool/NAME of its pods and holds it from its placement until its end. Edit with SQL or `fluxnetes pool`; takes effect at once.';
COMMENT ON COLUMN pools.name IS 'As in the label fluxnetes.pool/NAME and in quotas as pool/NAME.';
COMMENT ON COLUMN pools.total IS 'How much there is. It may be lowered below what is held: holders keep theirs, and nothing new starts until there is enough again.';
COMMENT ON COLUMN pools.description IS 'For people; null: none.';
COMMENT ON COLUMN pools.made_at IS 'When it was created.';
COMMENT ON COLUMN pools.changed_at IS 'When the command line changed it last.';
CREATE TRIGGER tell_pools
AFTER INSERT OR UPDATE OR DELETE ON pools
FOR EACH STATEMENT EXECUTE FUNCTION tell_queues();

ALTER TABLE match_inbox DROP CONSTRAINT match_inbox_news_check;
ALTER TABLE match_inbox ADD CONSTRAINT match_inbox_news_check CHECK (
  news IN ('released', 'changed', 'queue', 'maintenance', 'accounts', 'pools')
);

ALTER TABLE pod_groups ADD COLUMN pools jsonb NOT NULL DEFAULT '{}'
CONSTRAINT pod_groups_pools_object CHECK (jsonb_typeof(pools) = 'object');
COMMENT ON COLUMN pod_groups.pools IS 'The amounts of pools that the group asks for as a whole, by name.';
CREATE INDEX pod_groups_pools ON pod_groups (id) WHERE pools <> '{}';
ALTER TABLE group_history ADD COLUMN pools jsonb NOT NULL DEFAULT '{}';
COMMENT ON COLUMN group_history.pools IS 'The amounts of pools that the group asked for, by name.';
CREATE INDEX allocations_pools ON allocations (queue) WHERE pools <> '{}';

CREATE VIEW pool_holders AS
SELECT
  k.key AS pool,
  'held' AS kind,
  k.value::bigint AS amount,
  a.fluxion_job AS group_id,
  g.namespace,
  g.group_name,
  a.queue,
  a.starts_at,
  a.ends_at
FROM allocations AS a
CROSS JOIN LATERAL jsonb_each_text(a.pools) AS k
LEFT JOIN pod_groups AS g ON g.id = any(ARRAY[a.group_id])
WHERE
  a.pools <> '{}'
  AND EXISTS (
    SELECT FROM placements AS l WHERE l.fluxion_job = any(ARRAY[a.fluxion_job])
  )
UNION ALL
SELECT
  k.key AS pool,
  'reserved' AS kind,
  k.value::bigint AS amount,
  g.id AS group_id,
  g.namespace,
  g.group_name,
  g.queue,
  r.starts_at,
  r.starts_at + make_interval(secs => g.duration_seconds) AS ends_at
FROM reservations AS r
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[r.group_id])
CROSS JOIN LATERAL jsonb_each_text(g.pools) AS k
WHERE
  r.starts_at IS NOT NULL
  AND NOT EXISTS (
    SELECT FROM placements AS l WHERE l.fluxion_job = any(ARRAY[g.id])
  );
COMMENT ON VIEW pool_holders IS
'The groups that hold something of a pool, and those that will from the start of their reservation on.';
COMMENT ON COLUMN pool_holders.pool IS 'The name of the pool.';
COMMENT ON COLUMN pool_holders.kind IS '''held'' or ''reserved''.';
COMMENT ON COLUMN pool_holders.amount IS 'How much of it.';
COMMENT ON COLUMN pool_holders.group_id IS 'As in pod_groups.';
COMMENT ON COLUMN pool_holders.namespace IS 'The namespace of the group; null: its rows are deleted.';
COMMENT ON COLUMN pool_holders.group_name IS 'The name of the group; null: its rows are deleted.';
COMMENT ON COLUMN pool_holders.queue IS 'Its queue.';
COMMENT ON COLUMN pool_holders.starts_at IS 'Since when it is held, or from when on it is reserved.';
COMMENT ON COLUMN pool_holders.ends_at IS 'The planned end; null: none is known.';

CREATE VIEW pool_use AS
SELECT
  p.name AS pool,
  p.total,
  coalesce(h.held, 0) AS held,
  coalesce(h.reserved, 0) AS reserved,
  greatest(p.total - coalesce(h.held, 0), 0) AS free,
  p.description
FROM pools AS p
LEFT JOIN (
  SELECT
    o.pool,
    coalesce(sum(o.amount) FILTER (WHERE o.kind = 'held'), 0)::bigint AS held,
    coalesce(sum(o.amount) FILTER (WHERE o.kind = 'reserved'), 0)::bigint
      AS reserved
  FROM pool_holders AS o
  GROUP BY o.pool
) AS h ON h.pool = p.name;
COMMENT ON VIEW pool_use IS
'The pools of the cluster, with what groups hold of them and have reserved.';
COMMENT ON COLUMN pool_use.pool IS 'The name of the pool.';
COMMENT ON COLUMN pool_use.total IS 'How much there is.';
COMMENT ON COLUMN pool_use.held IS 'What groups hold; more than the total if that was lowered.';
COMMENT ON COLUMN pool_use.reserved IS 'What waiting groups have reserved for later, in sum.';
COMMENT ON COLUMN pool_use.free IS 'What is left now; reservations for later are not taken off.';
COMMENT ON COLUMN pool_use.description IS 'As in pools.';
