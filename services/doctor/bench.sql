-- What `fluxnetes bench` does beside the work queue.

-- name: ping
-- A round trip.
SELECT 1;

-- name: make_bench_schema
-- A schema of its own, so that nothing of the scheduler is touched.
CREATE SCHEMA fluxnetes_bench;

-- name: drop_bench_schema
-- All of it, at the end.
DROP SCHEMA IF EXISTS fluxnetes_bench CASCADE;
