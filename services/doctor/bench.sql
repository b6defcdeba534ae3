-- The queries of `fluxnetes bench`, except those of the work queue.

-- name: ping
-- One round trip.
SELECT 1;

-- name: make_bench_schema
-- Creates the benchmark's own schema, so that the scheduler's is not touched.
CREATE SCHEMA fluxnetes_bench;

-- name: drop_bench_schema
-- Drops the benchmark's schema at the end.
DROP SCHEMA IF EXISTS fluxnetes_bench CASCADE;
