-- The queries of the full comparison. Each finds only differences, in one
-- statement and thus in one snapshot: rows that a transaction changes together
-- are never seen half changed, so a change in progress is not taken for a
-- fault. workers/loops/groups.sql says why they are written as they are.

-- name: find_miscounted_groups
-- Filling groups whose row does not agree with their pods. A group that was
-- held or released, or whose priority was set, has a row even if all its pods
-- are refused.
SELECT
  coalesce(g.namespace, p.namespace) AS namespace,
  coalesce(g.group_name, p.group_name) AS group_name
FROM groups_provisional AS g
FULL JOIN (
  SELECT
    namespace,
    group_name,
    count(*) FILTER (WHERE refused IS NULL) AS candidates,
    count(*) FILTER (WHERE refused IS NULL AND NOT gated) AS members
  FROM pods_provisional
  GROUP BY namespace, group_name
) AS p ON p.namespace = g.namespace AND p.group_name = g.group_name
WHERE
  g.members IS DISTINCT FROM CASE
    WHEN
      p.candidates > 0
      OR g.held_at IS NOT NULL
      OR g.released_at IS NOT NULL
      OR g.set_priority IS NOT NULL
      THEN p.members
  END
ORDER BY 1, 2;

-- name: find_forgotten_groups
-- Groups without the job that they need next: match, bind or cleanup.
SELECT g.id, g.revision, g.queue, g.namespace, g.group_name, w.work
FROM pod_groups AS g
INNER JOIN LATERAL (
  SELECT
    coalesce(bool_or(p.state IN ('waiting', 'bound')), false) AS lives,
    coalesce(bool_or(p.state = 'waiting'), false) AS waits,
    coalesce(bool_or(p.state = 'waiting' AND l.pod_uid IS NULL), false) AS lacks,
    coalesce(bool_or(l.held_until IS NOT NULL), false) AS holds
  FROM pods AS p
  LEFT JOIN placements AS l
    ON l.fluxion_job = any(ARRAY[g.id]) AND l.pod_uid = any(ARRAY[p.uid])
  WHERE p.group_id = any(ARRAY[g.id])
) AS m ON true
LEFT JOIN external_groups AS e ON e.group_id = any(ARRAY[g.id])
INNER JOIN LATERAL (
  SELECT
    CASE
      WHEN g.phase = 'recalled' THEN NULL
      WHEN e.group_id IS NOT NULL AND g.cancel_reason IS NULL
        THEN CASE WHEN g.state IN ('pending', 'unsatisfiable') THEN 'match' END
      WHEN
        NOT m.lives
        AND NOT m.holds
        AND NOT EXISTS (
          SELECT FROM pod_groups AS x WHERE x.extends = any(ARRAY[g.id])
        )
        THEN 'cleanup'
      WHEN g.cancel_reason IS NOT NULL THEN NULL
      WHEN g.state IN ('pending', 'unsatisfiable') AND m.lacks THEN 'match'
      WHEN g.state IN ('allocated', 'bound') AND m.waits THEN 'bind'
    END AS work
) AS w ON w.work IS NOT NULL
LEFT JOIN jobs AS j
  ON w.work = 'match' AND j.id = any(ARRAY[g.match_job])
WHERE
  j.id IS NULL
  AND (w.work, g.id) NOT IN (
    SELECT o.kind, (o.args ->> 'group')::bigint FROM jobs AS o
    WHERE o.kind IN ('bind', 'cleanup') AND o.args ->> 'group' IS NOT NULL
  )
ORDER BY g.id;

-- name: find_leaked_places
-- Places of pods that have ended or are unknown, which are not held for a
-- replacement and have no cleanup job.
SELECT l.fluxion_job AS id, l.pod_uid, l.node_name
FROM placements AS l
LEFT JOIN pods AS p
  ON p.uid = any(ARRAY[l.pod_uid])
  AND p.group_id = any(ARRAY[l.fluxion_job])
  AND p.state IN ('waiting', 'bound')
WHERE
  p.uid IS NULL
  AND l.held_until IS NULL
  AND NOT EXISTS (
    SELECT FROM external_groups AS e
    WHERE e.group_id = any(ARRAY[l.fluxion_job])
  )
  AND l.fluxion_job NOT IN (
    SELECT (j.args ->> 'group')::bigint FROM jobs AS j
    WHERE j.kind = 'cleanup' AND j.args ->> 'group' IS NOT NULL
  )
ORDER BY 1, 2;

-- name: release_unknown_places
-- Releases places of pods that are not recorded, or not in that group. Places
-- of recorded pods are left to cleanup.
WITH released AS (
  DELETE FROM placements AS l
  USING unnest($1::bigint []) AS v (id), pod_groups AS g
  WHERE
    l.fluxion_job = any(ARRAY[v.id])
    AND g.id = any(ARRAY[v.id])
    AND NOT EXISTS (
      SELECT FROM pods AS p
      WHERE
        p.uid = any(ARRAY[l.pod_uid]) AND p.group_id = any(ARRAY[l.fluxion_job])
    )
    AND NOT EXISTS (
      SELECT FROM external_groups AS e
      WHERE e.group_id = any(ARRAY[l.fluxion_job])
    )
  RETURNING l.fluxion_job, l.pod_uid, g.queue
)

INSERT INTO match_inbox (queue, news, group_id, pod_uid)
SELECT r.queue, 'released', r.fluxion_job, r.pod_uid
FROM released AS r;
