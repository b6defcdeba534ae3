-- The queries of intake about active groups and their members. Scheduling time
-- is a parameter. workers/loops/groups.sql says why they are written as they
-- are.

-- name: read_unstarted_members
-- All members of the groups of these pods, except of groups whose state is
-- bound.
SELECT p.uid
FROM pods AS p
WHERE p.group_id = any(
  ARRAY(
    SELECT m.group_id
    FROM unnest($1::text []) AS u (uid)
    INNER JOIN pods AS m ON m.uid = any(ARRAY[u.uid])
    INNER JOIN pod_groups AS g
      ON g.id = any(ARRAY[m.group_id]) AND g.state <> 'bound'
  )
);

-- name: set_member_versions
-- Records versions of waiting pods that were read again.
UPDATE pods AS p SET resource_version = v.version
FROM unnest($1::text [], $2::text []) AS v (uid, version)
WHERE p.uid = any(ARRAY[v.uid]) AND p.state = 'waiting';

-- name: end_members
-- Records members that have succeeded, failed, or no longer exist.
UPDATE pods AS p
SET
  state = v.state,
  node_name = coalesce(p.node_name, nullif(v.node, '')),
  turned_away = v.turned_away,
  ended_at = $5
FROM unnest($1::text [], $2::text [], $3::text [], $4::text [])
AS v (uid, state, node, turned_away)
WHERE p.uid = any(ARRAY[v.uid]) AND p.state IN ('waiting', 'bound');

-- name: undo_replacements
-- Members that succeeded after they were replaced, while they were being deleted
-- by hand or with their node, count again in the place of these replacements
-- ($1) once their Job has deleted them as superfluous: one that already ran fails
-- by that before it is gone.
WITH undone AS MATERIALIZED (
  SELECT
    r.uid AS late,
    o.uid
  FROM unnest($1::text []) AS v (uid)
  INNER JOIN pods AS r ON r.uid = any(ARRAY[v.uid])
  INNER JOIN pods AS o
    ON o.group_id = any(ARRAY[r.group_id]) AND o.replaced_by = r.uid || ''
  WHERE
    r.state IN ('deleted', 'failed')
    AND r.replaced_by IS NULL
    AND r.owner_kind = 'Job'
    AND o.owner_kind = 'Job'
    AND o.state = 'succeeded'
)
UPDATE pods AS p
SET replaced_by = CASE WHEN p.uid = u.late THEN u.uid END
FROM undone AS u
WHERE p.uid = any(ARRAY[u.late, u.uid]);

-- name: bind_members
-- Records members that the API server shows on a node.
UPDATE pods AS p SET state = 'bound', node_name = v.node, bound_at = $3
FROM unnest($1::text [], $2::text []) AS v (uid, node)
WHERE p.uid = any(ARRAY[v.uid]) AND p.state = 'waiting';

-- name: read_places
-- The places of pods.
SELECT p.uid, p.group_id, l.node_name
FROM unnest($1::text []) AS v (uid)
INNER JOIN pods AS p ON p.uid = any(ARRAY[v.uid])
LEFT JOIN placements AS l
  ON l.fluxion_job = any(ARRAY[p.group_id]) AND l.pod_uid = any(ARRAY[p.uid]);

-- name: charge_places
-- Charges pods that were bound by others, or to another node than their place:
-- their amounts are booked on the node that they have, in the term of the
-- present match owner. For a group that held nothing the allocation starts now.
WITH v AS (
  SELECT *
  FROM unnest(
    $1::bigint [], $2::text [], $3::text [], $4::bigint [], $5::bigint [],
    $6::text []
  ) AS u (id, uid, node_name, cpu_milli, memory_bytes, other)
),

allocated AS (
  INSERT INTO allocations AS a
  (
    fluxion_job, group_id, queue, nodes, starts_at, ends_at, term, whole_nodes,
    aside, pools
  )
  SELECT
    g.id,
    g.id,
    g.queue,
    n.nodes,
    $7,
    $7::timestamptz + make_interval(secs => g.duration_seconds),
    coalesce(
      (SELECT o.term FROM leaders AS o WHERE o.name = 'match:' || g.queue), 0
    ),
    NOT t.aside AND (
      t.whole_nodes
      OR coalesce(
        (SELECT q.exclusive FROM queues AS q WHERE q.name = g.queue), false
      )
    ),
    t.aside,
    g.pools
  FROM (
    SELECT
      v.id,
      array_agg(DISTINCT v.node_name ORDER BY v.node_name) AS nodes
    FROM v
    GROUP BY v.id
  ) AS n
  INNER JOIN pod_groups AS g ON g.id = any(ARRAY[n.id])
  CROSS JOIN LATERAL (
    SELECT
      coalesce(bool_or(p.request @> '{"topology": {"wholeNodes": true}}'), false)
        AS whole_nodes,
      coalesce(bool_or(p.request @> '{"topology": {"aside": true}}'), false)
        AS aside
    FROM pods AS p WHERE p.group_id = any(ARRAY[n.id])
  ) AS t
  ON CONFLICT (fluxion_job) DO UPDATE SET
  nodes = ARRAY(
    SELECT DISTINCT n.node
    FROM unnest(
      excluded.nodes || ARRAY(
        SELECT l.node_name FROM placements AS l
        WHERE
          l.fluxion_job = any(ARRAY[a.fluxion_job])
          AND l.pod_uid NOT IN (SELECT v.uid FROM v)
      )
    ) AS n (node)
    ORDER BY n.node
  ),
  (starts_at, ends_at) = (
    SELECT
      CASE WHEN held.some THEN a.starts_at ELSE excluded.starts_at END,
      CASE WHEN held.some THEN a.ends_at ELSE excluded.ends_at END
    FROM (
      SELECT EXISTS (
        SELECT FROM placements AS l WHERE l.fluxion_job = a.fluxion_job
      ) AS some
    ) AS held
  )
)

INSERT INTO placements AS p
(fluxion_job, pod_uid, node_name, cpu_milli, memory_bytes, other)
SELECT v.id, v.uid, v.node_name, v.cpu_milli, v.memory_bytes, v.other::jsonb
FROM v
ON CONFLICT (fluxion_job, pod_uid) DO UPDATE SET
node_name = excluded.node_name,
parts = CASE WHEN p.node_name = excluded.node_name THEN p.parts END,
devices = CASE WHEN p.node_name = excluded.node_name THEN p.devices END,
resource_set = CASE
  WHEN p.node_name = excluded.node_name THEN p.resource_set
END;

-- name: read_standing
-- The state of groups: how many of their pods wait, were ever bound, and ended
-- without success or replacement.
SELECT
  g.id,
  g.state,
  coalesce(g.phase, '') AS phase,
  g.cancel_reason IS NOT NULL AS cancelled,
  count(*) FILTER (WHERE p.state = 'waiting') AS waiting,
  count(p.node_name) AS started,
  count(*) FILTER (
    WHERE p.state IN ('failed', 'deleted') AND p.replaced_by IS NULL
  ) AS lost
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
LEFT JOIN pods AS p ON p.group_id = any(ARRAY[g.id])
GROUP BY v.id, g.id
ORDER BY v.id;

-- name: recall_groups
-- Recalls groups that lost a member while their binding may be under way: no
-- more of their pods are bound, and their places are released pod by pod.
UPDATE pod_groups AS g
SET
  state = 'pending',
  phase = 'recalled',
  revision = g.revision + 1,
  match_job = NULL,
  reason = 'a pod of the group is gone; taking back its places'
FROM unnest($1::bigint []) AS v (id)
WHERE g.id = any(ARRAY[v.id]);

-- name: requeue_groups
-- Returns to the match groups of which some pods run and others must be placed
-- (again).
UPDATE pod_groups AS g
SET
  state = 'pending',
  phase = 'queued',
  revision = g.revision + 1,
  shape = waiting_shape(g.id, g.shape),
  first_in_line = true,
  went_back_at = CASE
    WHEN g.state IN ('allocated', 'bound') THEN $2
    ELSE coalesce(g.went_back_at, $2)
  END,
  reason = NULL,
  news_due = least(g.news_due, next_news($2, g.told_at, g.group_size, false)),
  match_job = CASE
    WHEN g.state IN ('pending', 'unsatisfiable') THEN g.match_job
  END
FROM unnest($1::bigint []) AS v (id)
WHERE g.id = any(ARRAY[v.id])
RETURNING g.id, g.queue, g.match_job IS NULL AS wants_job;

-- name: start_groups
-- Marks groups without a waiting pod as bound.
UPDATE pod_groups AS g
SET
  state = 'bound',
  phase = NULL,
  reason = NULL,
  first_in_line = false,
  allocated_at = coalesce(g.allocated_at, $2),
  bound_at = coalesce(g.bound_at, $2)
FROM unnest($1::bigint []) AS v (id)
WHERE g.id = any(ARRAY[v.id]);

-- name: abandon_groups
-- Cancels groups that lost all pods before any was bound.
UPDATE pod_groups AS g
SET
  revision = g.revision + 1,
  cancel_reason = coalesce(
    g.cancel_reason, 'its pods were deleted before it could start'
  )
FROM unnest($1::bigint []) AS v (id)
WHERE g.id = any(ARRAY[v.id]);

-- name: dissolve_groups
-- Deletes active groups that lost members before any was bound, with the groups
-- of one that extend them. Returns the pods that wait for the group to become
-- whole again, and the name of a group of one that was held or released. A hold
-- or release of the group is kept for the filling group (move_holds gives that of
-- a group of one to the group of its pod), and so are its makers.
WITH gone AS (
  DELETE FROM pod_groups AS g
  WHERE
    g.id = any(
      $1::bigint [] || ARRAY(
        SELECT x.id FROM pod_groups AS x WHERE x.extends = any($1::bigint [])
      )
    )
  RETURNING
    g.*,
    CASE
      WHEN
        g.extends IS NULL
        OR g.held_reason IS DISTINCT FROM 'until its group has grown by it'
        THEN g.held_at
    END AS kept_hold
),

told AS (
  INSERT INTO match_inbox (queue, news, group_id)
  SELECT g.queue, 'changed', g.id FROM gone AS g
),

kept AS (
  INSERT INTO groups_provisional AS f (
    namespace, group_name, group_size, queue, first_seen_at, held_at,
    held_reason, released_at, makers, set_priority
  )
  SELECT DISTINCT ON (g.namespace, g.group_name)
    g.namespace,
    g.group_name,
    coalesce(g.asked_size, g.group_size),
    g.queue,
    g.submitted_at,
    g.kept_hold,
    CASE WHEN g.kept_hold IS NOT NULL THEN g.held_reason END,
    g.released_at,
    (
      SELECT
        CASE
          WHEN bool_and(p.owner_uid IS NOT NULL)
            THEN array_agg(
              DISTINCT concat_ws('/', p.owner_kind, p.owner_name, p.owner_uid)
            )
        END
      FROM pods AS p
      WHERE p.group_id = any(ARRAY[g.id])
    ),
    CASE WHEN g.pods_priority IS NOT NULL THEN g.priority END
  FROM gone AS g
  WHERE
    (
      g.group_size > 1
      OR g.asked_size IS NOT NULL
      OR g.kept_hold IS NOT NULL
      OR g.released_at IS NOT NULL
      OR g.pods_priority IS NOT NULL
    )
    AND EXISTS (
      SELECT FROM pods AS p
      WHERE
        p.group_id = any(ARRAY[g.id])
        AND p.state = 'waiting'
        AND (
          p.asked_name = g.group_name
          OR g.kept_hold IS NOT NULL
          OR g.released_at IS NOT NULL
        )
    )
  ORDER BY g.namespace, g.group_name, g.id DESC
  ON CONFLICT (namespace, group_name) DO UPDATE SET
  held_at = coalesce(f.held_at, excluded.held_at),
  held_reason = coalesce(f.held_reason, excluded.held_reason),
  released_at = coalesce(f.released_at, excluded.released_at),
  makers = coalesce(excluded.makers, f.makers),
  set_priority = coalesce(f.set_priority, excluded.set_priority)
)

SELECT
  p.uid,
  g.namespace,
  CASE WHEN g.extends IS NULL THEN g.group_name ELSE p.asked_name END
    AS group_name,
  CASE
    WHEN
      g.group_size = 1
      AND g.asked_size IS NULL
      AND (g.kept_hold IS NOT NULL OR g.released_at IS NOT NULL)
      THEN g.group_name
  END AS held_alone
FROM gone AS g
INNER JOIN pods AS p ON p.group_id = any(ARRAY[g.id]) AND p.state = 'waiting';

-- name: move_holds
-- Gives the holds and releases of groups of one that are gathered anew ($2, their
-- names) to the groups that their pods ($1) have come to, unless these have
-- started. A release is given to no group that another pod holds by its label.
WITH held AS MATERIALIZED (
  SELECT v.uid, f.*
  FROM unnest($1::text [], $2::text [], $3::text [])
  AS v (uid, namespace, group_name)
  INNER JOIN groups_provisional AS f
    ON f.namespace = any(ARRAY[v.namespace]) AND f.group_name = v.group_name
),

joined AS (
  SELECT DISTINCT ON (h.namespace, p.group_name) h.*, p.group_name AS joins
  FROM held AS h
  INNER JOIN pods_provisional AS p
    ON p.uid = any(ARRAY[h.uid]) AND p.group_name <> h.group_name
  ORDER BY h.namespace, p.group_name, h.held_at
),

filling AS (
  INSERT INTO groups_provisional AS f (
    namespace, group_name, group_size, queue, first_seen_at, held_at,
    held_reason, released_at
  )
  SELECT
    j.namespace,
    j.joins,
    j.group_size,
    j.queue,
    j.first_seen_at,
    j.held_at,
    j.held_reason,
    CASE
      WHEN NOT EXISTS (
        SELECT FROM pods_provisional AS o
        WHERE
          o.namespace = any(ARRAY[j.namespace])
          AND o.group_name = j.joins
          AND o.hold
          AND o.uid NOT IN (
            SELECT h.uid FROM held AS h WHERE h.released_at IS NOT NULL
          )
      )
        THEN j.released_at
    END
  FROM joined AS j
  ON CONFLICT (namespace, group_name) DO UPDATE SET
  held_at = coalesce(f.held_at, excluded.held_at),
  held_reason = CASE
    WHEN f.held_at IS NULL THEN excluded.held_reason ELSE f.held_reason
  END,
  released_at = coalesce(f.released_at, excluded.released_at)
)

UPDATE pod_groups AS g
SET
  held_at = coalesce(g.held_at, h.held_at),
  held_reason = CASE
    WHEN g.held_at IS NULL THEN h.held_reason ELSE g.held_reason
  END,
  released_at = coalesce(
    g.released_at,
    CASE WHEN g.hold_label AND g.group_size = 1 THEN h.released_at END
  )
FROM held AS h
INNER JOIN pods AS m ON m.uid = any(ARRAY[h.uid])
WHERE
  g.id = any(ARRAY[m.group_id])
  AND g.state NOT IN ('allocated', 'bound')
  AND NOT EXISTS (
    SELECT FROM pods AS o
    WHERE o.group_id = any(ARRAY[g.id]) AND o.node_name IS NOT NULL
  );

-- name: read_active_groups
-- Active groups of these names that pods may join, the newest generation first.
SELECT
  g.id,
  g.namespace,
  g.group_name,
  coalesce(g.asked_size, g.group_size) AS group_size,
  g.queue,
  g.account,
  g.max_size,
  g.owners,
  g.state,
  (
    SELECT p.request ->> 'topology'
    FROM pods AS p WHERE p.group_id = any(ARRAY[g.id]) LIMIT 1
  ) AS topology,
  EXISTS (
    SELECT FROM pods AS p
    WHERE p.group_id = any(ARRAY[g.id]) AND p.state IN ('waiting', 'bound')
  )
  OR EXISTS (SELECT FROM pod_groups AS x WHERE x.extends = any(ARRAY[g.id]))
    AS alive
FROM (
  SELECT DISTINCT u.namespace, u.group_name
  FROM unnest($1::text [], $2::text []) AS u (namespace, group_name)
) AS v
INNER JOIN pod_groups AS g
  ON g.namespace = any(ARRAY[v.namespace]) AND g.group_name = v.group_name
WHERE
  g.cancel_reason IS NULL
  AND g.phase IS DISTINCT FROM 'recalled'
  AND NOT EXISTS (
    SELECT FROM external_groups AS e WHERE e.group_id = any(ARRAY[g.id])
  )
ORDER BY g.id + 0 DESC;

-- name: read_bound_members
-- The members on a node of these groups that were not replaced.
SELECT p.uid
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pods AS p ON p.group_id = any(ARRAY[v.id])
WHERE p.state = 'bound' AND p.replaced_by IS NULL;

-- name: read_vacancies
-- Members that failed or were deleted and were not replaced, with the place
-- held for a replacement, if there is one that can be used; those of these
-- names ($2) that succeeded, which a pod without a controller may repeat; and
-- last those on a node that are being deleted ($3), which keep their place.
SELECT
  p.group_id,
  p.uid,
  p.pod_name,
  p.owner_kind,
  p.state = 'succeeded' AS succeeded,
  p.completion_index,
  p.request::text AS request,
  l.node_name
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pods AS p ON p.group_id = any(ARRAY[v.id])
LEFT JOIN placements AS l
  ON l.fluxion_job = any(ARRAY[p.group_id])
  AND l.pod_uid = any(ARRAY[p.uid])
  AND p.turned_away IS NULL
  AND p.state <> 'bound'
WHERE
  p.replaced_by IS NULL
  AND (
    p.state IN ('failed', 'deleted')
    OR (p.state = 'succeeded' AND p.pod_name = any($2::text []))
    OR (p.state = 'bound' AND p.uid = any($3::text []))
  )
ORDER BY v.id, p.state = 'bound', l.node_name IS NULL, p.ended_at, p.uid;

-- name: find_nodes_in_maintenance
-- The nodes among these ($1, with their labels $2) that are in maintenance at a
-- time ($3).
SELECT v.node
FROM unnest($1::text [], $2::text []) AS v (node, labels)
WHERE EXISTS (
  SELECT FROM maintenance AS m
  WHERE
    m.starts_at <= $3
    AND (m.ends_at IS NULL OR m.ends_at > $3)
    AND (v.node = any(m.nodes) OR v.labels::jsonb @> m.node_selector)
);

-- name: replace_members
-- Gives vacancies ($2) of groups ($3) to pods ($1), with their places ($4) or
-- without. Pods that are being deleted keep their places until they are gone.
WITH v AS MATERIALIZED (
  SELECT *
  FROM unnest($1::text [], $2::text [], $3::bigint [], $4::boolean [])
  AS u (uid, vacancy, id, with_place)
),

moved AS (
  INSERT INTO pods (
    uid, group_id, namespace, pod_name, asked_name, request, completion_index,
    owner_kind, owner_name, owner_uid, resource_version, duration_seconds,
    created_at, start_after, start_by, hold
  )
  SELECT
    p.uid,
    v.id,
    p.namespace,
    p.pod_name,
    p.group_name,
    CASE
      WHEN
        asks_for_no_topology(p.request -> 'topology')
        AND NOT asks_for_no_topology(o.request -> 'topology')
        THEN jsonb_set(
          p.request, '{topology}',
          (o.request -> 'topology') || '{"adopted": true}'
        )
      ELSE p.request
    END,
    p.completion_index,
    p.owner_kind,
    p.owner_name,
    p.owner_uid,
    p.resource_version,
    p.duration_seconds,
    p.created_at,
    p.start_after,
    p.start_by,
    p.hold
  FROM v
  INNER JOIN pods_provisional AS p ON p.uid = any(ARRAY[v.uid])
  INNER JOIN pods AS o ON o.uid = any(ARRAY[v.vacancy])
),

gone AS (
  DELETE FROM pods_provisional AS p USING v WHERE p.uid = any(ARRAY[v.uid])
),

marked AS (
  UPDATE pods AS p SET
    replaced_by = v.uid,
    (parts, devices) = (
      SELECT
        coalesce(p.parts, max(l.parts)),
        coalesce(p.devices, max(l.devices))
      FROM placements AS l
      WHERE
        l.fluxion_job = any(ARRAY[v.id])
        AND l.pod_uid = v.vacancy
        AND p.state <> 'bound'
    )
  FROM v
  WHERE p.uid = any(ARRAY[v.vacancy])
),

taken AS (
  UPDATE placements AS l SET pod_uid = v.uid, held_until = NULL
  FROM v
  WHERE l.fluxion_job = any(ARRAY[v.id]) AND l.pod_uid = v.vacancy AND v.with_place
)

DELETE FROM placements AS l USING v, pods AS o
WHERE
  l.fluxion_job = any(ARRAY[v.id])
  AND l.pod_uid = v.vacancy
  AND NOT v.with_place
  AND o.uid = any(ARRAY[v.vacancy])
  AND o.state <> 'bound';

-- name: rebind_groups
-- Raises the revision of groups in which a waiting pod was given a place
-- outside of the match.
UPDATE pod_groups AS g SET revision = g.revision + 1
FROM unnest($1::bigint []) AS v (id)
WHERE g.id = any(ARRAY[v.id])
RETURNING g.id, g.revision;

-- name: tell_changes
-- Makes the match owner of their queues read groups and their allocations
-- again, and also the owners of the nodes on which they hold something.
INSERT INTO match_inbox (queue, news, group_id)
SELECT g.queue, 'changed', g.id
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
UNION
SELECT c.queue, 'changed', l.fluxion_job
FROM unnest($1::bigint []) AS v (id)
INNER JOIN placements AS l ON l.fluxion_job = any(ARRAY[v.id])
INNER JOIN component_nodes AS c ON c.node_name = any(ARRAY[l.node_name]);

-- name: read_recalled_groups
-- Recalled groups, with their pods that may be bound.
SELECT g.id, p.namespace, p.pod_name, p.uid
FROM pod_groups AS g
LEFT JOIN pods AS p ON p.group_id = any(ARRAY[g.id]) AND p.state = 'waiting'
WHERE g.phase = 'recalled'
ORDER BY g.id + 0, p.uid;

-- name: read_pods_besides
-- Pods that wait under the names of active groups; those without a controller of
-- the kinds $2.
SELECT p.uid
FROM unnest($1::bigint []) AS v (id)
INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
INNER JOIN pods_provisional AS p
  ON p.namespace = any(ARRAY[g.namespace]) AND p.group_name = g.group_name
WHERE
  p.refused IS NULL
  AND NOT p.gated
  AND (p.owner_kind IS NULL OR p.owner_kind <> all($2::text []));

-- name: resume_recalled_groups
-- Ends the recall of groups of which some pods were bound after all: the other
-- pods follow.
UPDATE pod_groups AS g
SET state = 'allocated', phase = NULL, reason = NULL, revision = g.revision + 1
FROM unnest($1::bigint []) AS v (id)
WHERE g.id = any(ARRAY[v.id]) AND g.phase IS NOT DISTINCT FROM 'recalled'
RETURNING g.id, g.revision;

-- name: end_recalls
-- Ends the recall of cancelled groups: their places are released with their
-- pods.
UPDATE pod_groups AS g SET phase = 'queued'
FROM unnest($1::bigint []) AS v (id)
WHERE g.id = any(ARRAY[v.id]) AND g.phase IS NOT DISTINCT FROM 'recalled';
