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
