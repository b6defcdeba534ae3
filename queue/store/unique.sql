-- Uniqueness: one key for each unique job, and the job that has the key.

-- name: claim_unique_keys
-- Creates the keys of new jobs that do not exist yet, and returns the job of
-- each. The keys stay locked until the transaction ends, so that of several
-- sessions one goes first. They are locked in order, to avoid deadlocks. A
-- window brings wanted and claimed keys together, which a join by nested loops
-- would compare each with each.
WITH wanted AS (
  SELECT
    j.position,
    j.states::text [] AS states,
    sha256(convert_to(jsonb_build_array(
      j.kind,
      j.states,
      CASE WHEN j.by_queue THEN j.queue END,
      CASE
        WHEN j.by_args THEN j.args
        WHEN j.keys <> '{}' THEN coalesce(
          (
            SELECT jsonb_object_agg(named.key, j.args -> named.key)
            FROM unnest(j.keys::text []) AS named (key)
            WHERE j.args ? named.key
          ),
          '{}'
        )
      END,
      CASE
        WHEN j.period > 0 THEN jsonb_build_array(
          j.period,
          floor(
            extract(EPOCH FROM coalesce(j.scheduled_at, clock_timestamp()))
            / j.period
          )
        )
      END
    )::text, 'UTF8')) AS key
  FROM unnest(
    $1::integer [], $2::text [], $3::text [], $4::jsonb [],
    $5::timestamptz [], $6::text [], $7::boolean [], $8::text [],
    $9::boolean [], $10::bigint []
  ) AS j (
    position, kind, queue, args, scheduled_at, states, by_args, keys,
    by_queue, period
  )
),

claimed AS (
  INSERT INTO unique_keys (key, states)
  SELECT
    wanted.key,
    min(wanted.states)
  FROM wanted
  GROUP BY wanted.key
  ORDER BY wanted.key
  ON CONFLICT (key) DO UPDATE SET states = excluded.states
  RETURNING key, job_id
)

SELECT
  k.position,
  k.key,
  k.job_id
FROM (
  SELECT
    e.position,
    e.key,
    max(e.job_id) OVER (PARTITION BY e.key) AS job_id
  FROM (
    SELECT wanted.position, wanted.key, NULL::bigint AS job_id FROM wanted
    UNION ALL
    SELECT NULL, claimed.key, claimed.job_id FROM claimed
  ) AS e
) AS k
WHERE k.position IS NOT NULL
ORDER BY k.position;

-- name: jobs_that_keep_their_keys
-- Those of these jobs that exist in a state in which they keep their key.
SELECT k.job_id
FROM unique_keys AS k
WHERE
  k.job_id = ANY($1::bigint [])
  AND (
    EXISTS (
      SELECT FROM jobs
      WHERE jobs.id = k.job_id AND jobs.state = ANY(k.states)
    )
    OR EXISTS (
      SELECT FROM jobs_finished
      WHERE jobs_finished.id = k.job_id AND jobs_finished.state = ANY(k.states)
    )
  );

-- name: give_unique_keys
-- Assigns the keys to the inserted jobs.
UPDATE unique_keys
SET job_id = given.job_id
FROM unnest($1::bytea [], $2::bigint []) AS given (key, job_id)
WHERE unique_keys.key = any(ARRAY[given.key]);
