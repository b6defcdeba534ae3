-- The audit log.

-- name: record_change
-- Records a change: caller $1 with role $2, by interface $3, did $4 to object
-- $5 (details: $6).
INSERT INTO audit (caller, role, via, verb, object, detail)
VALUES ($1, $2, $3, $4, $5, $6)
RETURNING id;

-- name: record_changes
-- Records one change of several objects: caller $1 with role $2, by interface
-- $3, did $4 to each of the objects $5 (details: $6).
INSERT INTO audit (caller, role, via, verb, object, detail)
SELECT
  $1,
  $2,
  $3,
  $4,
  o.name,
  $6
FROM unnest($5::text []) WITH ORDINALITY AS o (name, place)
ORDER BY o.place;

-- name: record_outcome
-- Sets the outcome $2 of the change $1, which was made outside the database.
UPDATE audit SET outcome = $2
WHERE id = $1;

-- name: list_audit
-- Changes of object $1, by caller $2, with verb $3, with $4 (in lower case) in
-- object or detail, with an id below $5, the newest first, at most $6.
SELECT
  a.id,
  a.at,
  a.caller,
  a.role,
  a.via,
  a.verb,
  a.object,
  a.detail,
  a.outcome
FROM audit AS a
WHERE
  ($1::text IS NULL OR a.object = $1)
  AND ($2::text IS NULL OR a.caller = $2)
  AND ($3::text IS NULL OR a.verb = $3)
  AND (
    $4::text IS NULL
    OR strpos(lower(a.object || ' ' || coalesce(a.detail, '')), $4) > 0
  )
  AND ($5::bigint IS NULL OR a.id < $5)
ORDER BY a.id DESC
LIMIT $6::bigint;
