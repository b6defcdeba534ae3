-- Usage over time: what groups held of each resource, day by day, kept for years.

CREATE TABLE usage_days (
  day date NOT NULL,
  queue text NOT NULL,
  namespace text NOT NULL,
  account text NOT NULL,
  user_name text NOT NULL,
  resource text NOT NULL,
  used double precision NOT NULL CHECK (used >= 0),
  PRIMARY KEY (day, queue, namespace, account, user_name, resource)
);
COMMENT ON TABLE usage_days IS
'What groups held on each day (UTC): a roll-up of group_history and of the living groups, written every ten minutes and never dropped. The current day is as of the last roll-up.';
COMMENT ON COLUMN usage_days.day IS 'The day, by UTC.';
COMMENT ON COLUMN usage_days.queue IS 'The scheduling queue.';
COMMENT ON COLUMN usage_days.namespace IS 'The namespace of the groups.';
COMMENT ON COLUMN usage_days.account IS 'The label fluxnetes.account of the groups; empty: none.';
COMMENT ON COLUMN usage_days.user_name IS 'The label fluxnetes.user of the groups; empty: none.';
COMMENT ON COLUMN usage_days.resource IS 'cpu, memory, pods, or another resource of nodes.';
COMMENT ON COLUMN usage_days.used IS 'Amount times seconds: core-seconds, byte-seconds, pod-seconds, device-seconds.';

CREATE FUNCTION quantity_of(amount text)
RETURNS double precision
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    substring(amount FROM '^[0-9]+(?:[.][0-9]*)?')::double precision
    * CASE substring(amount FROM '[A-Za-z]+$')
      WHEN 'm' THEN 0.001
      WHEN 'k' THEN 1e3
      WHEN 'M' THEN 1e6
      WHEN 'G' THEN 1e9
      WHEN 'T' THEN 1e12
      WHEN 'Ki' THEN 1024
      WHEN 'Mi' THEN 1024 ^ 2
      WHEN 'Gi' THEN 1024 ^ 3
      WHEN 'Ti' THEN 1024 ^ 4
      WHEN 'Pi' THEN 1024 ^ 5
      ELSE 1
    END
$$;
COMMENT ON FUNCTION quantity_of IS
'An amount as Kubernetes writes it (Quantity), in cores, bytes or units: 500m is 0.5.';

CREATE FUNCTION amounts_held(place placements)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    jsonb_build_object(
      'cpu', place.cpu_milli / 1000.0, 'memory', place.memory_bytes, 'pods', 1
    )
    || coalesce(
      CASE
        WHEN place.devices IS NULL THEN place.other
        ELSE (
          SELECT jsonb_object_agg(o.key, o.value)
          FROM jsonb_each(place.other) AS o
          WHERE o.key NOT LIKE '%.deviceclass.resource.k8s.io/devices'
        )
      END,
      '{}'
    )
$$;
COMMENT ON FUNCTION amounts_held IS
'The amounts of a placement by resource, in cores, bytes or units; without its devices, which devices_held() counts.';

CREATE FUNCTION devices_held(pod pods, held text)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  WITH named AS MATERIALIZED (
    SELECT
      d.device_class,
      d.shared
    FROM named_devices(held, pod.request) AS d
    WHERE NOT d.admin AND d.device_class IS NOT NULL
  ),

  -- Counted once for each claim, not for each of its devices.
  sharers AS MATERIALIZED (
    SELECT
      c.shared,
      count(o.uid) AS pods
    FROM (SELECT DISTINCT n.shared FROM named AS n WHERE n.shared IS NOT NULL) AS c
    LEFT JOIN pods AS o
      ON
        o.group_id = pod.group_id
        AND o.replaced_by IS NULL
        AND o.request -> 'claims'
        @> jsonb_build_array(jsonb_build_object('claim', c.shared))
    GROUP BY c.shared
  )

  SELECT
    coalesce(
      jsonb_object_agg(
        s.device_class || '.deviceclass.resource.k8s.io/devices', s.amount
      ),
      '{}'
    )
  FROM (
    SELECT
      n.device_class,
      trim_scale(sum(1.0 / greatest(1, coalesce(c.pods, 1)))) AS amount
    FROM named AS n
    LEFT JOIN sharers AS c ON c.shared = n.shared
    GROUP BY n.device_class
  ) AS s
$$;
COMMENT ON FUNCTION devices_held IS
'How many devices of each class a pod has (as in pods.devices), by the name that quotas have for them. A device of a claim that several pods of its group share counts for each by its part; one with admin access counts nothing.';

CREATE TABLE usage_clock (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  rolled_up_to timestamptz
);
INSERT INTO usage_clock DEFAULT VALUES;
COMMENT ON TABLE usage_clock IS 'How far usage_days is written; one row.';
COMMENT ON COLUMN usage_clock.only_row IS 'Always true.';
COMMENT ON COLUMN usage_clock.rolled_up_to IS 'The time of the last roll-up (scheduling time); null: there was none.';

-- The places of pods, ended and living ones, that were held at some time between
-- the two: a place is held from the pod's binding (or the start of the
-- allocation) to the end of the pod.
CREATE FUNCTION places_held(begins timestamptz, ends timestamptz)
RETURNS TABLE (
  queue text,
  namespace text,
  account text,
  user_name text,
  held jsonb,
  seconds double precision
)
LANGUAGE sql
STABLE
AS $$
  SELECT
    s.queue,
    s.namespace,
    s.account,
    coalesce(s.user_name, ''),
    s.held,
    extract(EPOCH FROM least(s.ended_at, ends) - greatest(s.began_at, begins))
  FROM (
    SELECT
      h.queue,
      h.namespace,
      h.account,
      h.user_name,
      m.pod -> 'resources' AS held,
      coalesce((m.pod ->> 'bound_at')::timestamptz, h.allocated_at) AS began_at,
      coalesce((m.pod ->> 'ended_at')::timestamptz, h.ended_at) AS ended_at
    FROM group_history AS h
    CROSS JOIN LATERAL jsonb_array_elements(h.pods) AS m (pod)
    WHERE
      h.recorded_at >= begins
      AND h.ended_at > begins
      AND h.allocated_at < ends
      AND m.pod ? 'resources'
    UNION ALL
    SELECT
      g.queue,
      g.namespace,
      g.account,
      g.user_name,
      (p.request -> 'resources')
      || CASE
        WHEN p.devices IS NULL THEN '{}' ELSE devices_held(p, p.devices)
      END AS held,
      p.bound_at AS began_at,
      p.ended_at
    FROM pods AS p
    INNER JOIN pod_groups AS g ON g.id = p.group_id
    WHERE p.bound_at < ends AND p.ended_at > begins
    UNION ALL
    SELECT
      g.queue,
      g.namespace,
      g.account,
      g.user_name,
      amounts_held(l)
      || CASE
        WHEN l.devices IS NULL THEN '{}' ELSE devices_held(p, l.devices)
      END AS held,
      coalesce(p.bound_at, a.starts_at) AS began_at,
      'infinity' AS ended_at
    FROM allocations AS a
    INNER JOIN pod_groups AS g ON g.id = a.group_id
    INNER JOIN placements AS l ON l.fluxion_job = a.fluxion_job
    LEFT JOIN pods AS p ON p.uid = l.pod_uid
    WHERE a.starts_at < ends AND p.ended_at IS NULL
  ) AS s
  WHERE least(s.ended_at, ends) > greatest(s.began_at, begins)
$$;
COMMENT ON FUNCTION places_held IS
'What pods held between two times, and for how many seconds of that.';

CREATE VIEW usage_months AS
SELECT
  date_trunc('month', d.day)::date AS month,
  d.queue,
  d.namespace,
  d.account,
  d.user_name,
  sum(d.used) FILTER (WHERE d.resource = 'cpu') / 3600 AS core_hours,
  sum(d.used) FILTER (WHERE d.resource = 'memory') / 3600 / 1073741824
    AS gib_hours,
  sum(d.used) FILTER (WHERE d.resource = 'pods') / 3600 AS pod_hours,
  coalesce(
    jsonb_object_agg(d.resource, d.used / 3600)
    FILTER (WHERE d.resource NOT IN ('cpu', 'memory', 'pods')),
    '{}'
  ) AS other_hours
FROM (
  SELECT
    date_trunc('month', u.day)::date AS day,
    u.queue,
    u.namespace,
    u.account,
    u.user_name,
    u.resource,
    sum(u.used) AS used
  FROM usage_days AS u
  GROUP BY 1, 2, 3, 4, 5, 6
) AS d
GROUP BY d.day, d.queue, d.namespace, d.account, d.user_name;
COMMENT ON VIEW usage_months IS
'usage_days by month: hours of cores, GiB and pods, and of other resources by name.';
COMMENT ON COLUMN usage_months.month IS 'The first day of the month, by UTC.';
COMMENT ON COLUMN usage_months.queue IS 'As in usage_days.';
COMMENT ON COLUMN usage_months.namespace IS 'As in usage_days.';
COMMENT ON COLUMN usage_months.account IS 'As in usage_days.';
COMMENT ON COLUMN usage_months.user_name IS 'As in usage_days.';
COMMENT ON COLUMN usage_months.core_hours IS 'Hours of cores; null: none.';
COMMENT ON COLUMN usage_months.gib_hours IS 'Hours of GiB of memory; null: none.';
COMMENT ON COLUMN usage_months.pod_hours IS 'Hours of pods; null: none.';
COMMENT ON COLUMN usage_months.other_hours IS 'Hours of each other resource, by its name.';
