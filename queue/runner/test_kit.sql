-- The queries of the test kit.

-- name: advance_jobs
-- Lets the time $1 pass for the jobs that wait for theirs.
UPDATE jobs
SET scheduled_at = scheduled_at - $1::interval
WHERE state IN ('scheduled', 'retryable');
