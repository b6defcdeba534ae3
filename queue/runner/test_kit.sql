-- The queries of the test kit.

-- name: advance_jobs
-- Moves the time of waiting jobs back by $1, as if that much time had passed.
UPDATE jobs
SET scheduled_at = scheduled_at - $1::interval
WHERE state IN ('scheduled', 'retryable');
