-- Who has changed what.

-- name: record_change
-- $1 in the role $2, by $3, has done $4 to $5, in this way ($6).
INSERT INTO audit (caller, role, via, verb, object, detail)
VALUES ($1, $2, $3, $4, $5, $6)
RETURNING id;

-- name: record_changes
-- $1 in the role $2, by $3, has done $4 to each of $5, in this way ($6).
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
-- What came of the change $1 outside of the database.
UPDATE audit SET outcome = $2
WHERE id = $1;
