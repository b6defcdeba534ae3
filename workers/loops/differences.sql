-- The query that counts the differences that a full comparison found.

-- name: record_differences
-- Records the differences of one kind that a full comparison found, with their
-- names.
INSERT INTO resync_differences AS d (kind, found, names)
VALUES ($1, $2, $3::text [])
ON CONFLICT (kind) DO UPDATE SET
found = d.found + excluded.found,
names = excluded.names,
last_found_at = now();
