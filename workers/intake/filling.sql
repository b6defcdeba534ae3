-- The queries of provisional (filling) groups, whose pods have not all arrived,
-- and of their promotion. Scheduling time is a parameter.
-- workers/loops/groups.sql says why they are written as they are.

-- name: read_recorded_pods
-- The records of pods: provisional ones and members of groups.
SELECT
  p.uid,
  NULL::bigint AS group_id,
  p.namespace,
  p.group_name,
  p.group_name AS asked_name,
  p.group_size,
  p.queue,
  p.resource_version,
  p.gated,
  p.refused,
  'provisional' AS state,
  NULL AS place,
  p.request ->> 'topology' AS topology,
  p.request ->> 'inside' AS inside,
  p.request ->> 'nodeAffinity' AS node_affinity,
  p.duration_seconds,
  p.start_after,
  p.start_by,
  p.hold,
  p.account,
  p.max_size
FROM unnest($1::text []) AS v (uid)
INNER JOIN pods_provisional AS p ON p.uid = any(ARRAY[v.uid])
UNION ALL
SELECT
  p.uid,
  p.group_id,
  p.namespace,
  g.group_name,
  p.asked_name,
  coalesce(g.asked_size, g.group_size) AS group_size,
  g.queue,
  p.resource_version,
  false AS gated,
  NULL AS refused,
  p.state,
  l.node_name AS place,
  p.request ->> 'topology' AS topology,
  p.request ->> 'inside' AS inside,
  p.request ->> 'nodeAffinity' AS node_affinity,
  p.duration_seconds,
  p.start_after,
  p.start_by,
  p.hold,
  g.account,
  g.max_size
FROM unnest($1::text []) AS v (uid)
INNER JOIN pods AS p ON p.uid = any(ARRAY[v.uid])
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[p.group_id])
LEFT JOIN placements AS l
  ON l.fluxion_job = any(ARRAY[p.group_id]) AND l.pod_uid = any(ARRAY[p.uid]);

-- name: read_living_pods
-- All recorded pods that have not ended.
SELECT uid FROM pods_provisional
UNION ALL
SELECT uid FROM pods WHERE state IN ('waiting', 'bound');

-- name: read_newest_version
-- The newest resource version of all recorded pods; 0 if there is none.
SELECT coalesce(max(v.version::numeric), 0)::text
FROM (
  SELECT resource_version FROM pods_provisional
  UNION ALL
  SELECT resource_version FROM pods
) AS r
CROSS JOIN LATERAL (
  SELECT substring(r.resource_version FROM '^[0-9]{1,20}$') AS version
) AS v;

-- name: put_filling_pods
-- Writes new or changed pods that wait for their group. Conflicts within the
-- group are judged afterwards; earlier refusals stay until then.
INSERT INTO pods_provisional AS p (
  uid, namespace, pod_name, group_name, group_size, queue, priority, request,
  duration_seconds, completion_index, owner_kind, owner_name, owner_uid,
  resource_version, gated, refused, created_at, start_after, start_by, hold,
  account, grace_seconds, preempts, max_size, traceparent, user_name
)
SELECT
  v.uid,
  v.namespace,
  v.pod_name,
  v.group_name,
  v.group_size,
  v.queue,
  v.priority,
  v.request::jsonb,
  v.duration_seconds,
  v.completion_index,
  v.owner_kind,
  v.owner_name,
  v.owner_uid,
  v.resource_version,
  v.gated,
  v.refused,
  v.created_at,
  v.start_after,
  v.start_by,
  v.hold,
  v.account,
  v.grace_seconds,
  v.preempts,
  v.max_size,
  v.traceparent,
  v.user_name
FROM unnest(
  $1::text [], $2::text [], $3::text [], $4::text [], $5::integer [],
  $6::text [], $7::integer [], $8::text [], $9::bigint [], $10::integer [],
  $11::text [], $12::text [], $13::text [], $14::text [], $15::boolean [],
  $16::text [], $17::timestamptz [], $18::timestamptz [], $19::timestamptz [],
  $20::boolean [], $21::text [], $22::integer [], $23::boolean [],
  $24::integer [], $25::text [], $26::text []
) AS v (
  uid, namespace, pod_name, group_name, group_size, queue, priority, request,
  duration_seconds, completion_index, owner_kind, owner_name, owner_uid,
  resource_version, gated, refused, created_at, start_after, start_by, hold,
  account, grace_seconds, preempts, max_size, traceparent, user_name
)
ON CONFLICT (uid) DO UPDATE SET
group_name = excluded.group_name,
group_size = excluded.group_size,
queue = excluded.queue,
priority = excluded.priority,
request = excluded.request,
duration_seconds = excluded.duration_seconds,
owner_kind = excluded.owner_kind,
owner_name = excluded.owner_name,
owner_uid = excluded.owner_uid,
resource_version = excluded.resource_version,
gated = excluded.gated,
start_after = excluded.start_after,
start_by = excluded.start_by,
hold = excluded.hold,
account = excluded.account,
grace_seconds = excluded.grace_seconds,
preempts = excluded.preempts,
max_size = excluded.max_size,
told = CASE
  WHEN excluded.refused IS NULL AND p.group_name = excluded.group_name
    THEN p.told
END,
refused = CASE
  WHEN excluded.refused IS NOT NULL THEN excluded.refused
  WHEN p.group_size IS NOT NULL THEN p.refused
END;

-- name: drop_filling_pods
-- Deletes pods that no longer wait.
DELETE FROM pods_provisional AS p
USING unnest($1::text []) AS v (uid)
WHERE p.uid = any(ARRAY[v.uid]);

-- name: judge_filling_groups
-- In each group the first pod decides on sizes, queue, pools and account,
-- unless the group already has size and queue from a pod that still exists; and
-- the first that asks for any on the topology, whose numbers of pods must divide
-- the size of the group, or the number of pods that ask for it.
-- Pods that differ, or whose queue does not exist, are refused; the others are
-- refused if together they leave no time to start. Returns the pods whose
-- judgement changed.
WITH touched AS (
  SELECT DISTINCT v.namespace, v.group_name
  FROM unnest($1::text [], $2::text []) AS v (namespace, group_name)
),

candidate AS (
  SELECT
    p.uid,
    p.namespace,
    p.group_name,
    p.group_size,
    p.queue,
    p.refused,
    p.start_after,
    p.start_by,
    p.account,
    p.max_size,
    p.request -> 'topology' AS topology,
    asks_for_no_topology(p.request -> 'topology') AS asks_for_none,
    q.name IS NOT NULL AS queue_exists,
    first_value(p.pod_name) OVER first_first AS leader,
    first_value(p.group_size) OVER first_first AS agreed_size,
    first_value(p.queue) OVER first_first AS agreed_queue,
    first_value(p.request #> '{topology,pools}') OVER first_first AS agreed_pools,
    first_value(p.request -> 'topology') OVER asking_first AS agreed_topology,
    first_value(p.pod_name) OVER asking_first AS asker,
    first_value(p.account) OVER first_first AS agreed_account,
    first_value(p.max_size) OVER first_first AS agreed_max_size
  FROM touched AS t
  INNER JOIN pods_provisional AS p
    ON p.namespace = any(ARRAY[t.namespace]) AND p.group_name = t.group_name
  LEFT JOIN queues AS q ON q.name = any(ARRAY[p.queue])
  LEFT JOIN groups_provisional AS g
    ON g.namespace = any(ARRAY[p.namespace]) AND g.group_name = p.group_name
  WHERE
    p.group_size IS NOT NULL
    AND (p.refused IS NULL OR p.refused NOT LIKE 'cancelled: %')
  WINDOW first_first AS (
    PARTITION BY t.namespace, t.group_name
    ORDER BY
      (q.name IS NOT NULL) DESC,
      (g.group_size = p.group_size AND g.queue = p.queue) DESC NULLS LAST,
      p.created_at,
      p.uid
  ),
  asking_first AS (
    PARTITION BY t.namespace, t.group_name
    ORDER BY
      (q.name IS NOT NULL) DESC,
      asks_for_no_topology(p.request -> 'topology'),
      (g.group_size = p.group_size AND g.queue = p.queue) DESC NULLS LAST,
      p.created_at,
      p.uid
  )
),

agreed AS (
  SELECT
    c.*,
    max(c.start_after) FILTER (WHERE c.agrees) OVER one_group AS group_start_after,
    min(c.start_by) FILTER (WHERE c.agrees) OVER one_group AS group_start_by,
    count(*) FILTER (WHERE c.agrees) OVER one_group AS arrived,
    count(*) FILTER (WHERE c.agrees AND NOT c.asks_for_none) OVER one_group
      AS asking
  FROM (
    SELECT
      d.*,
      d.queue_exists
      AND d.group_size = d.agreed_size
      AND d.queue = d.agreed_queue
      AND d.topology -> 'pools' IS NOT DISTINCT FROM d.agreed_pools
      AND (
        d.asks_for_none
        OR d.topology - 'pools' = d.agreed_topology - 'pools'
      )
      AND d.account = d.agreed_account
      AND d.max_size IS NOT DISTINCT FROM d.agreed_max_size AS agrees
    FROM candidate AS d
  ) AS c
  WINDOW one_group AS (PARTITION BY c.namespace, c.group_name)
),

judged AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT
      c.uid,
      c.refused AS before,
      CASE
        WHEN NOT c.queue_exists THEN format(
          'queue "%s" does not exist; name one that does, or make it: '
          'fluxnetes queue create %s', c.queue, c.queue)
        WHEN
          (c.group_size, c.queue) <> (c.agreed_size, c.agreed_queue)
          THEN format(
            'asks for group size %s in queue "%s", but group %s/%s has size '
            '%s in queue "%s" (pod %s came first); all pods of a group must '
            'ask for the same', c.group_size, c.queue, c.namespace,
            c.group_name, c.agreed_size, c.agreed_queue, c.leader)
        WHEN c.topology -> 'pools' IS DISTINCT FROM c.agreed_pools
          THEN format(
            'asks for pools %s (fluxnetes.pool/NAME), but group %s/%s for %s '
            '(pod %s came first); all pods of a group must ask for the same, '
            'which the group takes once',
            coalesce((c.topology -> 'pools')::text, 'none'), c.namespace,
            c.group_name,
            coalesce(c.agreed_pools::text, 'none'), c.leader)
        WHEN
          NOT c.asks_for_none
          AND c.topology - 'pools' <> c.agreed_topology - 'pools'
          THEN format(
            'asks for topology %s, but group %s/%s for %s (pod %s came first); '
            'all pods of a group that ask for any must ask for the same',
            c.topology - 'pools', c.namespace, c.group_name,
            c.agreed_topology - 'pools', c.asker)
        WHEN
          c.agreed_topology
          ?| ARRAY['requiredParts', 'preferredParts', 'podsPerNode']
          AND c.arrived >= c.agreed_size
          AND NOT topology_divides(c.agreed_topology, c.agreed_size)
          AND NOT (
            c.asking > 0
            AND topology_divides(
              c.agreed_topology, least(c.asking, c.agreed_size)::integer
            )
          )
          THEN format(
            'group %s/%s asks for topology %s, but it has %s pods, of which %s '
            'ask for it: right would be numbers of pods that divide one of '
            'these numbers',
            c.namespace, c.group_name, c.agreed_topology - 'pools',
            c.agreed_size, least(c.asking, c.agreed_size))
        WHEN c.account <> c.agreed_account
          THEN format(
            'asks for account %s (fluxnetes.account), but group %s/%s for %s '
            '(pod %s came first); all pods of a group must ask for the same',
            coalesce(nullif(c.account, ''), 'none'), c.namespace, c.group_name,
            coalesce(nullif(c.agreed_account, ''), 'none'), c.leader)
        WHEN c.max_size IS DISTINCT FROM c.agreed_max_size
          THEN format(
            'asks for at most %s pods (fluxnetes.group-max-size), but group '
            '%s/%s for %s (pod %s came first); all pods of a group must ask for '
            'the same',
            coalesce(c.max_size, c.group_size), c.namespace, c.group_name,
            coalesce(c.agreed_max_size, c.agreed_size), c.leader)
        WHEN c.group_start_by <= c.group_start_after
          THEN format(
            'the pods of group %s/%s ask for a start by %s '
            '(fluxnetes.start-by), which is not after %s '
            '(fluxnetes.start-after): the group could never start',
            c.namespace, c.group_name,
            to_char(
              c.group_start_by AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'
            ),
            to_char(
              c.group_start_after AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'
            ))
      END AS refused
    FROM agreed AS c
  ) AS e
  WHERE e.before IS DISTINCT FROM e.refused
)

UPDATE pods_provisional AS p SET refused = j.refused, told = NULL
FROM judged AS j
WHERE p.uid = any(ARRAY[j.uid])
RETURNING p.uid, p.namespace, p.pod_name, p.created_at, p.refused;

-- name: recount_filling_groups
-- Makes the rows of groups agree with their pods; $3: a pod was deleted, so the
-- end of the last one ends the group. A group that was held or released, or
-- whose priority was set, keeps its row though all its pods are refused. A group
-- that changed is complete by its size again, until its makers have been asked.
-- $4 plants a bug.
WITH touched AS (
  SELECT v.namespace, v.group_name, bool_or(v.gone) AS gone
  FROM unnest($1::text [], $2::text [], $3::boolean [])
  AS v (namespace, group_name, gone)
  GROUP BY v.namespace, v.group_name
),

counted AS MATERIALIZED (
  SELECT
    t.namespace,
    t.group_name,
    t.gone,
    count(p.uid) AS pods,
    count(p.uid) FILTER (WHERE p.refused IS NULL) AS candidates,
    count(p.uid) FILTER (WHERE p.refused IS NULL AND NOT p.gated) AS members,
    count(p.uid) FILTER (
      WHERE p.refused IS NULL AND NOT p.gated AND p.told IS NULL
    ) AS untold,
    min(p.created_at) FILTER (WHERE p.refused IS NULL) AS first_seen_at,
    min(p.group_size) FILTER (WHERE p.refused IS NULL) AS group_size,
    min(p.queue) FILTER (WHERE p.refused IS NULL) AS queue,
    max(p.priority) FILTER (WHERE p.refused IS NULL) AS priority,
    max(p.start_after) FILTER (WHERE p.refused IS NULL) AS start_after,
    min(p.start_by) FILTER (WHERE p.refused IS NULL) AS start_by,
    coalesce(bool_or(p.hold) FILTER (WHERE p.refused IS NULL), false) AS hold
  FROM touched AS t
  LEFT JOIN pods_provisional AS p
    ON p.namespace = any(ARRAY[t.namespace]) AND p.group_name = t.group_name
  GROUP BY t.namespace, t.group_name, t.gone
),

emptied AS (
  DELETE FROM groups_provisional AS g
  USING counted AS c
  WHERE
    g.namespace = any(ARRAY[c.namespace])
    AND g.group_name = c.group_name
    AND c.candidates = 0
    AND (
      c.pods = 0
      OR (
        g.held_at IS NULL AND g.released_at IS NULL AND g.set_priority IS NULL
      )
    )
  RETURNING g.*, c.gone AND c.pods = 0 AS over
),

kept AS (
  UPDATE groups_provisional AS g
  SET
    members = 0,
    news_due = NULL,
    makers_due = NULL,
    rest_size = NULL,
    short_reason = NULL,
    start_after = NULL,
    start_by = NULL,
    hold_label = false
  FROM counted AS c
  WHERE
    g.namespace = any(ARRAY[c.namespace])
    AND g.group_name = c.group_name
    AND c.candidates = 0
    AND c.pods > 0
    AND (
      g.held_at IS NOT NULL
      OR g.released_at IS NOT NULL
      OR g.set_priority IS NOT NULL
    )
),

recorded AS (
  INSERT INTO group_history (
    group_id, namespace, group_name, group_size, queue, priority, result,
    reason, submitted_at, ended_at, traceparent
  )
  SELECT
    e.group_id,
    e.namespace,
    e.group_name,
    e.group_size,
    e.queue,
    coalesce(e.set_priority, e.pods_priority),
    'cancelled',
    'its pods were deleted before it could start',
    e.first_seen_at,
    $5,
    e.traceparent
  FROM emptied AS e
  WHERE e.over
)

INSERT INTO groups_provisional AS g (
  namespace, group_name, group_size, queue, pods_priority, members,
  first_seen_at, news_due, start_after, start_by, hold_label, changed_at,
  makers_due
)
SELECT
  c.namespace,
  c.group_name,
  c.group_size,
  c.queue,
  c.priority,
  c.members,
  c.first_seen_at,
  CASE
    WHEN c.members >= c.group_size THEN NULL
    WHEN
      c.untold > 0 OR (c.members, c.group_size) <> (
        SELECT b.members, b.group_size FROM groups_provisional AS b
        WHERE
          b.namespace = any(ARRAY[c.namespace]) AND b.group_name = c.group_name
      )
      THEN next_news($5, NULL, c.group_size, false)
  END,
  c.start_after,
  c.start_by,
  c.hold,
  $5,
  CASE
    WHEN c.members < c.group_size THEN next_news($5, NULL, c.group_size, false)
  END
FROM counted AS c
WHERE c.candidates > 0
ON CONFLICT (namespace, group_name) DO UPDATE SET
group_size = excluded.group_size,
queue = excluded.queue,
pods_priority = excluded.pods_priority,
members = excluded.members + CASE WHEN $4 THEN g.members ELSE 0 END,
first_seen_at = excluded.first_seen_at,
start_after = excluded.start_after,
start_by = excluded.start_by,
hold_label = excluded.hold_label,
changed_at = excluded.changed_at,
makers_due = excluded.makers_due,
rest_size = NULL,
short_reason = NULL,
released_at = CASE WHEN excluded.hold_label THEN g.released_at END,
news_due = CASE
  WHEN excluded.members >= excluded.group_size THEN NULL
  WHEN excluded.news_due IS NULL THEN g.news_due
  ELSE least(
    g.news_due,
    next_news(excluded.news_due, g.told_at, excluded.group_size, true)
  )
END
WHERE
(
  g.group_size, g.queue, g.pods_priority, g.members, g.first_seen_at,
  g.start_after, g.start_by, g.hold_label
) IS DISTINCT FROM (
  excluded.group_size, excluded.queue, excluded.pods_priority, excluded.members,
  excluded.first_seen_at, excluded.start_after, excluded.start_by,
  excluded.hold_label
)
OR (excluded.news_due IS NOT NULL AND g.news_due IS NULL)
OR g.changed_at IS NULL;

-- name: read_queue_names
-- The names of all queues, to notice new ones.
SELECT coalesce(string_agg(name, ',' ORDER BY name), '') AS names FROM queues;

-- name: read_queue_topologies
-- The levels of topology that queues name, outermost first.
SELECT name, array_to_json(topology)::text AS topology
FROM queues
WHERE topology <> '{}';

-- name: read_refused_groups
-- Groups with pods that were refused for other reasons than their labels alone.
SELECT DISTINCT namespace, group_name
FROM pods_provisional
WHERE refused IS NOT NULL AND group_size IS NOT NULL;

-- name: pick_complete_groups
-- Locks whole groups, the oldest first, and returns whether gated pods stay
-- behind.
SELECT
  g.namespace,
  g.group_name,
  g.group_id,
  g.queue,
  g.members - coalesce(g.rest_size, g.group_size) AS surplus,
  EXISTS (
    SELECT FROM pods_provisional AS p
    WHERE
      p.namespace = any(ARRAY[g.namespace])
      AND p.group_name = g.group_name
      AND p.gated
  ) AS gated
FROM groups_provisional AS g
WHERE g.members >= coalesce(g.rest_size, g.group_size)
ORDER BY g.first_seen_at
LIMIT $1
FOR UPDATE OF g SKIP LOCKED;

-- name: promote_groups
-- Turns whole groups into active ones with their first pods (by index, then
-- age); $3 are their match jobs. $5 plants a bug.
WITH picked AS MATERIALIZED (
  SELECT g.*, v.job
  FROM unnest($1::text [], $2::text [], $3::bigint [])
  AS v (namespace, group_name, job)
  INNER JOIN groups_provisional AS g
    ON g.namespace = any(ARRAY[v.namespace]) AND g.group_name = v.group_name
),

ranked AS (
  SELECT
    p.*,
    k.group_id,
    coalesce(k.rest_size, k.group_size) AS whole,
    CASE WHEN k.rest_size IS NOT NULL THEN k.group_size END AS asked_size,
    k.queue AS group_queue,
    k.job,
    k.held_at,
    k.held_reason,
    k.released_at,
    k.traceparent AS own_trace,
    k.group_size AS size_asked,
    first_value(p.request -> 'topology') OVER (
      PARTITION BY k.group_id
      ORDER BY
        asks_for_no_topology(p.request -> 'topology'), p.completion_index,
        p.created_at, p.uid
    ) AS topology,
    k.set_priority,
    row_number() OVER (
      PARTITION BY k.group_id
      ORDER BY p.completion_index, p.created_at, p.uid
    ) AS place
  FROM picked AS k
  INNER JOIN pods_provisional AS p
    ON p.namespace = any(ARRAY[k.namespace]) AND p.group_name = k.group_name
  WHERE p.refused IS NULL AND NOT p.gated
),

member AS MATERIALIZED (
  SELECT
    r.*,
    a.asked,
    jsonb_hash_extended(a.asked, 0) AS request_hash
  FROM ranked AS r
  CROSS JOIN LATERAL (
    SELECT adopt_topology(r.request, r.topology, r.size_asked) AS asked
    OFFSET 0
  ) AS a
  WHERE r.place <= r.whole - CASE WHEN $5 AND r.whole > 1 THEN 1 ELSE 0 END
),

made AS (
  INSERT INTO pod_groups (
    id, namespace, group_name, group_size, queue, priority, pods_priority, shape,
    owners, duration_seconds, match_job, submitted_at, promoted_at, news_due,
    start_after, start_by, hold_label, held_at, held_reason, released_at,
    reason, phase, account, grace_seconds, preempts, max_size, asked_size,
    traceparent, pools, user_name
  )
  SELECT
    group_id,
    namespace,
    group_name,
    whole,
    group_queue,
    coalesce(set_priority, max(priority)),
    CASE WHEN set_priority IS NOT NULL THEN max(priority) END,
    hashtextextended(
      string_agg(request_hash::text, ',' ORDER BY request_hash)
      || '/' || CASE
        WHEN bool_and(duration_seconds IS NOT NULL)
          THEN max(duration_seconds)::text
        ELSE ''
      END, 0
    ),
    coalesce(
      array_agg(DISTINCT owner_uid) FILTER (WHERE owner_uid IS NOT NULL), '{}'
    ),
    CASE
      WHEN bool_and(duration_seconds IS NOT NULL) THEN max(duration_seconds)
    END,
    job,
    min(created_at),
    $4,
    next_news($4, NULL, whole, false),
    max(start_after),
    min(start_by),
    bool_or(hold),
    held_at,
    held_reason,
    released_at,
    hold_reason(held_at, held_reason, bool_or(hold), released_at),
    CASE
      WHEN
        hold_reason(held_at, held_reason, bool_or(hold), released_at) IS NULL
        THEN 'queued'
      ELSE 'held'
    END,
    min(account),
    max(grace_seconds),
    bool_and(preempts),
    max(max_size),
    asked_size,
    coalesce(
      (
        array_agg(traceparent ORDER BY place)
        FILTER (WHERE traceparent IS NOT NULL)
      )[1],
      own_trace
    ),
    coalesce((array_agg(request #> '{topology,pools}'))[1], '{}'),
    (
      array_agg(user_name ORDER BY place) FILTER (WHERE user_name IS NOT NULL)
    )[1]
  FROM member
  GROUP BY
    group_id, namespace, group_name, whole, asked_size, group_queue, job,
    held_at, held_reason, released_at, own_trace, set_priority
),

moved AS (
  INSERT INTO pods (
    uid, group_id, namespace, pod_name, asked_name, request, completion_index,
    owner_kind, owner_name, owner_uid, resource_version, duration_seconds,
    created_at, start_after, start_by, hold
  )
  SELECT
    uid,
    group_id,
    namespace,
    pod_name,
    group_name,
    asked,
    completion_index,
    owner_kind,
    owner_name,
    owner_uid,
    resource_version,
    duration_seconds,
    created_at,
    start_after,
    start_by,
    hold
  FROM member
),

gone AS (
  DELETE FROM pods_provisional AS p USING member AS m WHERE p.uid = any(ARRAY[m.uid])
)

DELETE FROM groups_provisional AS g USING picked AS k
WHERE g.namespace = any(ARRAY[k.namespace]) AND g.group_name = k.group_name;

-- name: promote_surplus
-- Turns pods ($2; null: all) beyond a whole group ($1) into groups of one, each
-- with the order of that group. None has a start-by: its Job would be deleted,
-- and the whole group with it. None waits for a start-after once the group has
-- started. Those of an elastic group come last in the pending order and are
-- held until it may grow (grow_groups).
WITH surplus AS MATERIALIZED (
  SELECT
    p.*,
    nextval('group_ids') AS id,
    CASE
      WHEN g.max_size IS NULL THEN g.priority ELSE -2147483648
    END AS group_priority,
    CASE WHEN g.max_size IS NOT NULL THEN g.id END AS extends,
    g.submitted_at,
    g.released_at,
    jsonb_hash_extended(p.request, 0) AS request_hash,
    CASE
      WHEN g.max_size IS NOT NULL THEN $3
      WHEN g.phase = 'held' THEN g.held_at
    END AS held_at,
    CASE
      WHEN g.max_size IS NOT NULL THEN 'until its group has grown by it'
      WHEN g.phase = 'held' THEN g.held_reason
    END AS held_reason,
    g.state IN ('allocated', 'bound') OR EXISTS (
      SELECT FROM pods AS m
      WHERE m.group_id = any(ARRAY[g.id]) AND m.node_name IS NOT NULL
    ) AS started
  FROM unnest($1::bigint [], $2::text []) AS v (id, uid)
  INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
  INNER JOIN pods_provisional AS p
    ON p.namespace = any(ARRAY[g.namespace]) AND p.group_name = g.group_name
  WHERE
    p.refused IS NULL
    AND NOT p.gated
    AND (v.uid IS NULL OR p.uid = any(ARRAY[v.uid]))
),

moved AS (
  INSERT INTO pods (
    uid, group_id, namespace, pod_name, asked_name, request, completion_index,
    owner_kind, owner_name, owner_uid, resource_version, duration_seconds,
    created_at, start_after, start_by, hold
  )
  SELECT
    uid,
    id,
    namespace,
    pod_name,
    group_name,
    request,
    completion_index,
    owner_kind,
    owner_name,
    owner_uid,
    resource_version,
    duration_seconds,
    created_at,
    start_after,
    start_by,
    hold
  FROM surplus
),

gone AS (
  DELETE FROM pods_provisional AS p USING surplus AS s WHERE p.uid = any(ARRAY[s.uid])
)

INSERT INTO pod_groups (
  id, namespace, group_name, group_size, queue, priority, shape, owners,
  duration_seconds, submitted_at, promoted_at, news_due, start_after,
  hold_label, held_at, held_reason, released_at, reason, phase, account,
  grace_seconds, preempts, extends, traceparent, pools, user_name
)
SELECT
  id,
  namespace,
  'fluxnetes-group-' || namespace || '-' || pod_name,
  1,
  queue,
  group_priority,
  hashtextextended(
    request_hash::text || '/' || coalesce(duration_seconds::text, ''), 0
  ),
  array_remove(ARRAY[owner_uid], NULL),
  duration_seconds,
  submitted_at,
  $3,
  next_news($3, NULL, 1, false),
  CASE WHEN NOT started THEN start_after END,
  hold,
  held_at,
  held_reason,
  released_at,
  hold_reason(held_at, held_reason, hold, released_at),
  CASE
    WHEN hold_reason(held_at, held_reason, hold, released_at) IS NULL
      THEN 'queued'
    ELSE 'held'
  END,
  account,
  grace_seconds,
  preempts,
  extends,
  coalesce(traceparent, new_traceparent()),
  CASE
    WHEN extends IS NULL THEN coalesce(request #> '{topology,pools}', '{}')
    ELSE '{}'
  END,
  user_name
FROM surplus
RETURNING id, queue;

-- name: take_growth_news
-- Locks at most $1 elastic groups that have changed, and returns whether they
-- may grow. The changes are consumed; those of groups locked by others are
-- left.
WITH locked AS MATERIALIZED (
  SELECT
    c.id,
    c.state IN ('allocated', 'bound') AND c.cancel_reason IS NULL AS grows
  FROM pod_groups AS c
  WHERE
    c.id = any(
      ARRAY(
        SELECT n.group_id
        FROM (SELECT DISTINCT i.group_id FROM growth_inbox AS i) AS n
        LIMIT $1
      )
    )
  ORDER BY c.id
  FOR UPDATE SKIP LOCKED
),

taken AS (
  DELETE FROM growth_inbox AS i USING locked AS l
  WHERE i.group_id = any(ARRAY[l.id])
)

SELECT l.id, l.grows FROM locked AS l ORDER BY l.id;

-- name: grow_groups
-- Releases as many held pods of these groups ($1) as may run, in order. Groups
-- with pods locked by others are checked again.
WITH room AS (
  SELECT
    v.id,
    c.max_size
    - (
      SELECT count(*) FROM pods AS p
      WHERE p.group_id = any(ARRAY[c.id]) AND p.state IN ('waiting', 'bound')
    )
    - (
      SELECT count(*) FROM pod_groups AS x
      WHERE
        x.extends = any(ARRAY[c.id])
        AND x.phase IS DISTINCT FROM 'held'
        AND x.cancel_reason IS NULL
    ) AS free
  FROM unnest($1::bigint []) AS v (id)
  INNER JOIN pod_groups AS c ON c.id = any(ARRAY[v.id])
),

next AS (
  SELECT
    x.id,
    x.extends,
    r.free,
    row_number() OVER (PARTITION BY r.id ORDER BY x.id) AS place
  FROM room AS r
  CROSS JOIN LATERAL (
    SELECT * FROM pod_groups AS e WHERE e.extends = r.id
    OFFSET 0
  ) AS x
  WHERE
    x.phase = 'held'
    AND x.held_reason = 'until its group has grown by it'
    AND x.cancel_reason IS NULL
),

locked AS (
  SELECT g.id
  FROM pod_groups AS g
  WHERE
    g.id = any(ARRAY(SELECT n.id FROM next AS n WHERE n.place <= n.free))
  ORDER BY g.id
  FOR UPDATE SKIP LOCKED
),

again AS (
  INSERT INTO growth_inbox (group_id)
  SELECT DISTINCT n.extends
  FROM next AS n
  WHERE
    n.place <= n.free
    AND n.id NOT IN (SELECT l.id FROM locked AS l)
)

UPDATE pod_groups AS g SET held_at = NULL, held_reason = NULL
FROM locked AS l
WHERE g.id = any(ARRAY[l.id]);
