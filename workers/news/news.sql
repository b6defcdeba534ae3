-- The queries of the reports to pods whose group waits. Scheduling time is a
-- parameter.

-- name: read_changed_reasons
-- Reasons to wait whose kind has changed.
SELECT queue, shape, kind, namespace, account FROM wait_reasons WHERE NOT spread;

-- name: spread_reasons
-- Marks the groups that wait for one of these reasons and got a report of
-- another kind. It reads all waiting groups of a queue, but the kind of a
-- reason seldom changes, and new groups are marked when they come.
WITH locked AS MATERIALIZED (
  SELECT g.id
  FROM pod_groups AS g
  WHERE
    g.id = any(
      ARRAY(
        SELECT w.id
        FROM unnest(
          $1::text [], $2::bigint [], $3::text [], $5::text [], $6::text []
        ) AS v (queue, shape, kind, namespace, account)
        CROSS JOIN LATERAL (
          SELECT * FROM pod_groups AS e
          WHERE e.queue = v.queue AND e.state IN ('pending', 'unsatisfiable')
          OFFSET 0
        ) AS w
        WHERE
          w.shape = v.shape
          AND w.told IS DISTINCT FROM v.kind
          AND (
            v.namespace = ''
            OR (v.namespace = w.namespace AND v.account = w.account)
          )
      )
    )
    AND g.state NOT IN ('allocated', 'bound')
  ORDER BY g.id
  FOR UPDATE OF g
)

UPDATE pod_groups AS g
SET news_due = least(g.news_due, next_news($4, g.told_at, g.group_size, false))
FROM locked AS l
WHERE g.id = any(ARRAY[l.id]);

-- name: mark_spread_reasons
-- Marks the reasons whose groups are marked, unless they have changed again. It
-- runs after the groups, in the order in which the match locks them.
UPDATE wait_reasons AS w SET spread = true
FROM unnest($1::text [], $2::bigint [], $3::text [], $4::text [], $5::text [])
AS v (queue, shape, kind, namespace, account)
WHERE
  w.queue = any(ARRAY[v.queue])
  AND w.shape = v.shape
  AND w.namespace = v.namespace
  AND w.account = v.account
  AND w.kind = v.kind;

-- name: claim_filling_news
-- Claims at most $2 filling groups that are due for a report, for five minutes:
-- no report takes that long, so that a mark set meanwhile is recognized.
WITH due AS MATERIALIZED (
  SELECT g.namespace, g.group_name
  FROM groups_provisional AS g
  WHERE g.news_due <= $1 AND g.members < g.group_size
  ORDER BY g.news_due
  LIMIT $2
  FOR UPDATE SKIP LOCKED
)

UPDATE groups_provisional AS g
SET news_due = $1::timestamptz + interval '5 minutes'
FROM due AS d
WHERE g.namespace = any(ARRAY[d.namespace]) AND g.group_name = d.group_name
RETURNING
  g.group_id,
  g.namespace,
  g.group_name,
  g.group_size,
  g.members,
  g.short_reason,
  filling_reason(
    hold_reason(g.held_at, g.held_reason, g.hold_label, g.released_at),
    g.members,
    g.group_size,
    g.short_reason
  ) AS reason,
  g.told,
  g.told_at,
  extract(epoch FROM $1 - g.first_seen_at)::integer AS age;

-- name: claim_active_news
-- Claims at most $2 active groups that are due for a report, for five minutes.
WITH due AS MATERIALIZED (
  SELECT g.id
  FROM pod_groups AS g
  WHERE g.news_due <= $1
  ORDER BY g.news_due
  LIMIT $2
  FOR UPDATE SKIP LOCKED
)

UPDATE pod_groups AS g
SET news_due = $1::timestamptz + interval '5 minutes'
FROM due AS d
WHERE g.id = any(ARRAY[d.id])
RETURNING
  g.id,
  g.told,
  g.told_at,
  extract(epoch FROM $1 - g.promoted_at)::integer AS age;

-- name: read_active_news
-- Why the groups $1 wait, which this transaction has claimed, at time $2.
SELECT
  s.group_id AS id,
  s.state IN ('pending', 'unsatisfiable')
  AND s.reason_kind NOT IN ('recalled', 'ending') AS waits,
  s.reason_kind AS kind,
  s.reason,
  s.reservation,
  to_char(
    s.estimated_start AT TIME ZONE 'UTC',
    CASE
      WHEN s.estimated_start < $2::timestamptz + interval '12 hours'
        THEN 'HH24:MI'
      ELSE 'YYYY-MM-DD HH24:MI'
    END
  ) AS starts_at
FROM unnest($1::bigint []) AS v (id)
CROSS JOIN LATERAL (
  SELECT * FROM group_standing AS k WHERE k.group_id = v.id
  OFFSET 0
) AS s;

-- name: read_untold_pods
-- Waiting pods of groups ($1: the id; $2, $3: the name while they fill) whose
-- last report was not $4, in the order of the groups.
SELECT v.id, p.uid, p.namespace, p.pod_name, p.resource_version, p.created_at
FROM unnest($1::bigint [], $2::text [], $3::text [], $4::text [])
WITH ORDINALITY AS v (id, namespace, group_name, news, place)
CROSS JOIN LATERAL (
  SELECT
    m.uid,
    m.namespace,
    m.pod_name,
    m.resource_version,
    m.completion_index,
    m.created_at
  FROM pods AS m
  WHERE
    v.group_name IS NULL
    AND m.group_id = any(ARRAY[v.id])
    AND m.state = 'waiting'
    AND m.told IS DISTINCT FROM v.news
  UNION ALL
  SELECT
    f.uid,
    f.namespace,
    f.pod_name,
    f.resource_version,
    f.completion_index,
    f.created_at
  FROM pods_provisional AS f
  WHERE
    f.namespace = any(ARRAY[v.namespace])
    AND f.group_name = v.group_name
    AND f.refused IS NULL
    AND NOT f.gated
    AND f.told IS DISTINCT FROM v.news
) AS p
ORDER BY v.place, p.completion_index NULLS LAST, p.created_at, p.uid
LIMIT $5;

-- name: settle_filling_news
-- Records the outcome for groups that were claimed at $7: the kind of the
-- event, if one was recorded; whether any pod got a report; and the seconds
-- until the next one, if any. Groups that are whole are left to the promoter.
WITH v AS (
  SELECT *
  FROM unnest(
    $1::text [], $2::text [], $3::bigint [], $4::text [], $5::boolean [],
    $6::integer []
  ) AS u (namespace, group_name, id, told, said, due)
),

locked AS MATERIALIZED (
  SELECT v.*
  FROM v
  INNER JOIN groups_provisional AS g
    ON g.namespace = any(ARRAY[v.namespace])
    AND g.group_name = v.group_name
    AND g.group_id = any(ARRAY[v.id])
  WHERE g.members < g.group_size
  ORDER BY v.namespace, v.group_name
  FOR UPDATE OF g
)

UPDATE groups_provisional AS g
SET
  told = coalesce(l.told, g.told),
  told_at = CASE WHEN l.said THEN $7 ELSE g.told_at END,
  news_due = CASE
    WHEN g.news_due IS DISTINCT FROM $7::timestamptz + interval '5 minutes'
      THEN g.news_due
    ELSE $7::timestamptz + make_interval(secs => l.due)
  END
FROM locked AS l
WHERE g.namespace = any(ARRAY[l.namespace]) AND g.group_name = l.group_name
RETURNING g.group_id AS id;

-- name: settle_active_news
-- Records the outcome for active groups that were claimed at $5: the kind of
-- the event, if one was recorded; whether any pod got a report; and the seconds
-- until the next one, if any.
WITH v AS (
  SELECT *
  FROM unnest($1::bigint [], $2::text [], $3::boolean [], $4::integer [])
  AS u (id, told, said, due)
),

locked AS MATERIALIZED (
  SELECT v.*
  FROM v
  INNER JOIN pod_groups AS g ON g.id = any(ARRAY[v.id])
  ORDER BY v.id
  FOR UPDATE OF g
)

UPDATE pod_groups AS g
SET
  told = coalesce(l.told, g.told),
  told_at = CASE WHEN l.said THEN $5 ELSE g.told_at END,
  news_due = CASE
    WHEN g.news_due IS DISTINCT FROM $5::timestamptz + interval '5 minutes'
      THEN g.news_due
    ELSE $5::timestamptz + make_interval(secs => l.due)
  END
FROM locked AS l
WHERE g.id = any(ARRAY[l.id])
RETURNING g.id;

-- name: record_told_filling
-- Records the reports to pods of filling groups, and their versions after them,
-- unless another change was recorded since.
UPDATE pods_provisional AS p
SET
  told = v.news,
  resource_version = CASE
    WHEN p.resource_version = v.before THEN v.version ELSE p.resource_version
  END
FROM unnest($1::text [], $2::text [], $3::text [], $4::text [])
AS v (uid, news, before, version)
WHERE p.uid = any(ARRAY[v.uid]);

-- name: record_told_members
-- Records the reports to waiting members of active groups, and their versions
-- after them, unless another change was recorded since.
UPDATE pods AS p
SET
  told = v.news,
  resource_version = CASE
    WHEN p.resource_version = v.before THEN v.version ELSE p.resource_version
  END
FROM unnest($1::text [], $2::text [], $3::text [], $4::text [])
AS v (uid, news, before, version)
WHERE p.uid = any(ARRAY[v.uid]) AND p.state = 'waiting';
