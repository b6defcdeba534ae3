-- The work queue: jobs, their clients, and leaderships.

CREATE FUNCTION make_partitions(parent regclass, ahead integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  day date;
  partition text;
  made integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('make_partitions'), hashtext(parent::text));
  FOR offset_days IN 0..ahead LOOP
    day := (now() AT TIME ZONE 'UTC')::date + offset_days;
    partition := format(
      '%s_%s',
      (SELECT relname FROM pg_class WHERE oid = parent),
      to_char(day, 'YYYYMMDD'));
    IF to_regclass(format('%I', partition)) IS NULL THEN
      -- Created, then attached: unlike PARTITION OF this blocks no query.
      EXECUTE format(
        'CREATE TABLE %I (LIKE %s INCLUDING ALL)', partition, parent);
      EXECUTE format(
        'ALTER TABLE %s ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        parent, partition,
        day::timestamp AT TIME ZONE 'UTC',
        (day + 1)::timestamp AT TIME ZONE 'UTC');
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END
$$;
COMMENT ON FUNCTION make_partitions IS
'Creates the daily partitions (UTC) of a table from today to `ahead` days ahead, and returns how many were missing.';

CREATE FUNCTION with_error(
  errors jsonb, attempt integer, message text, trace text
)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE WHEN jsonb_array_length(errors) >= 100 THEN errors - 0 ELSE errors END
    || (
      jsonb_build_object('at', now(), 'attempt', attempt, 'message', message)
      || CASE WHEN trace = '' THEN '{}' ELSE jsonb_build_object('trace', trace) END
    )
$$;
COMMENT ON FUNCTION with_error IS
'The errors of a job with one more appended, with its trace if there is one; keeps the last hundred.';

CREATE TABLE clients (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  heartbeat_at timestamptz NOT NULL DEFAULT now(),
  time_to_live interval NOT NULL DEFAULT '5 seconds'
);
COMMENT ON TABLE clients IS
'A process that runs jobs. It is alive as long as its heartbeat is younger than its time to live; the jobs of a dead client are made available again.';
COMMENT ON COLUMN clients.id IS 'The id that leases (jobs.client_id) and leaderships (leaders.client_id) refer to.';
COMMENT ON COLUMN clients.name IS 'Host and process id, for people.';
COMMENT ON COLUMN clients.started_at IS 'When it registered.';
COMMENT ON COLUMN clients.heartbeat_at IS 'The last heartbeat, by the database''s clock.';
COMMENT ON COLUMN clients.time_to_live IS 'How old the heartbeat may be before the client counts as dead.';

CREATE TABLE leaders (
  name text PRIMARY KEY,
  term bigint NOT NULL DEFAULT 1,
  client_id bigint,
  acquired_at timestamptz NOT NULL DEFAULT now(),
  confirmed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE leaders IS
'Leaderships: the client that leads, and the term. A transaction that relies on a leadership reads its row FOR SHARE and compares the term; a takeover raises the term.';
COMMENT ON COLUMN leaders.name IS 'The name of the leadership: intake, maintenance, or match:QUEUE, the match of a scheduling queue.';
COMMENT ON COLUMN leaders.term IS 'Raised by every takeover; a write in an older term is refused.';
COMMENT ON COLUMN leaders.client_id IS 'The leader, which leads as long as that client is alive; null: resigned.';
COMMENT ON COLUMN leaders.acquired_at IS 'When this term began.';
COMMENT ON COLUMN leaders.confirmed_at IS 'When the leader last confirmed that it can write; kept only by leaders that otherwise write rarely.';

CREATE TABLE job_queues (
  name text PRIMARY KEY,
  paused_at timestamptz,
  used_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE job_queues IS
'Work queues that clients lease from or that an operator has paused. A queue without a row is not paused.';
COMMENT ON COLUMN job_queues.name IS 'As in jobs.queue.';
COMMENT ON COLUMN job_queues.paused_at IS 'Since when no job of it is leased; null: not paused.';
COMMENT ON COLUMN job_queues.used_at IS 'When a client last leased from it, to within about ten minutes.';

CREATE TABLE jobs (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL CHECK (kind <> ''),
  queue text NOT NULL CHECK (queue <> ''),
  priority smallint NOT NULL DEFAULT 1 CHECK (priority BETWEEN 1 AND 4),
  state text NOT NULL DEFAULT 'available'
  CHECK (state IN ('available', 'scheduled', 'retryable', 'pending', 'running')),
  attempt integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  max_attempts integer NOT NULL DEFAULT 25 CHECK (max_attempts >= 1),
  client_id bigint,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  scheduled_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempted_at timestamptz,
  cancel_requested_at timestamptz,
  args jsonb NOT NULL DEFAULT '{}',
  errors jsonb NOT NULL DEFAULT '[]',
  tags text [] NOT NULL DEFAULT '{}',
  metadata jsonb NOT NULL DEFAULT '{}',
  CONSTRAINT jobs_running_has_client
  CHECK ((state = 'running') = (client_id IS NOT NULL))
) WITH (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0,
  vacuum_truncate = off
);
CREATE INDEX jobs_lease ON jobs (queue, priority, scheduled_at, id)
WHERE state = 'available';
CREATE INDEX jobs_due ON jobs (scheduled_at)
WHERE state IN ('scheduled', 'retryable');
CREATE INDEX jobs_of_client ON jobs (client_id) WHERE state = 'running';
CREATE INDEX jobs_cancel_requested ON jobs (client_id)
WHERE state = 'running' AND cancel_requested_at IS NOT NULL;
COMMENT ON TABLE jobs IS
'Jobs that wait, run, or will be retried. Finished jobs move to jobs_finished.';
COMMENT ON COLUMN jobs.id IS 'Ascending in order of insertion.';
COMMENT ON COLUMN jobs.kind IS 'The kind of work: the name of a worker.';
COMMENT ON COLUMN jobs.queue IS 'The work queue; clients that work on it lease the job.';
COMMENT ON COLUMN jobs.priority IS '1 (first) to 4.';
COMMENT ON COLUMN jobs.state IS 'available, scheduled (later), retryable (failed, waits for its retry), pending (parked) or running (leased).';
COMMENT ON COLUMN jobs.attempt IS 'The number of leases so far. A result names its attempt and is refused if it is not the latest.';
COMMENT ON COLUMN jobs.max_attempts IS 'A failure at this attempt discards the job.';
COMMENT ON COLUMN jobs.client_id IS 'The client that has the lease; set exactly while running.';
COMMENT ON COLUMN jobs.created_at IS 'When it was inserted.';
COMMENT ON COLUMN jobs.scheduled_at IS 'The earliest time of a lease. By default the clock, read after the transaction had its id; leases rely on that.';
COMMENT ON COLUMN jobs.attempted_at IS 'When it was last leased.';
COMMENT ON COLUMN jobs.cancel_requested_at IS 'When its client was asked to stop it; null: not.';
COMMENT ON COLUMN jobs.args IS 'The input of its worker.';
COMMENT ON COLUMN jobs.errors IS 'One object per failure, the last hundred: at, attempt, message, and trace if there is one.';
COMMENT ON COLUMN jobs.tags IS 'Free-form words, for people.';
COMMENT ON COLUMN jobs.metadata IS 'A free-form object, for programs.';

CREATE TABLE jobs_finished (
  id bigint NOT NULL,
  kind text NOT NULL,
  queue text NOT NULL,
  priority smallint NOT NULL,
  state text NOT NULL
  CHECK (state IN ('completed', 'cancelled', 'discarded')),
  attempt integer NOT NULL,
  max_attempts integer NOT NULL,
  client_id bigint,
  created_at timestamptz NOT NULL,
  scheduled_at timestamptz NOT NULL,
  attempted_at timestamptz,
  finalized_at timestamptz NOT NULL DEFAULT now(),
  args jsonb NOT NULL,
  errors jsonb NOT NULL,
  tags text [] NOT NULL,
  metadata jsonb NOT NULL
) PARTITION BY LIST (state);
CREATE TABLE jobs_finished_completed PARTITION OF jobs_finished
FOR VALUES IN ('completed') PARTITION BY RANGE (finalized_at);
CREATE TABLE jobs_finished_cancelled PARTITION OF jobs_finished
FOR VALUES IN ('cancelled') PARTITION BY RANGE (finalized_at);
CREATE TABLE jobs_finished_discarded PARTITION OF jobs_finished
FOR VALUES IN ('discarded') PARTITION BY RANGE (finalized_at);
CREATE INDEX jobs_finished_id ON jobs_finished (id);
CREATE INDEX jobs_finished_time ON jobs_finished
USING brin (finalized_at) WITH (pages_per_range = 32);
COMMENT ON TABLE jobs_finished IS
'Finished jobs, by state in daily partitions that retention drops; each state has a retention of its own.';
COMMENT ON COLUMN jobs_finished.id IS 'As in jobs, like every column not described here.';
COMMENT ON COLUMN jobs_finished.kind IS 'The kind of work.';
COMMENT ON COLUMN jobs_finished.queue IS 'The work queue.';
COMMENT ON COLUMN jobs_finished.priority IS '1 (first) to 4.';
COMMENT ON COLUMN jobs_finished.state IS 'completed, cancelled, or discarded (failed too often).';
COMMENT ON COLUMN jobs_finished.attempt IS 'The attempt in which it ended.';
COMMENT ON COLUMN jobs_finished.max_attempts IS 'The limit of attempts.';
COMMENT ON COLUMN jobs_finished.client_id IS 'The client that ran it last.';
COMMENT ON COLUMN jobs_finished.created_at IS 'When it was inserted.';
COMMENT ON COLUMN jobs_finished.scheduled_at IS 'The earliest time it might run.';
COMMENT ON COLUMN jobs_finished.attempted_at IS 'When it was last leased.';
COMMENT ON COLUMN jobs_finished.finalized_at IS 'When it ended, by the database''s clock.';
COMMENT ON COLUMN jobs_finished.args IS 'The input of its worker.';
COMMENT ON COLUMN jobs_finished.errors IS 'As in jobs.';
COMMENT ON COLUMN jobs_finished.tags IS 'Free-form words, for people.';
COMMENT ON COLUMN jobs_finished.metadata IS 'A free-form object, for programs.';
SELECT make_partitions('jobs_finished_completed', 7);
SELECT make_partitions('jobs_finished_cancelled', 7);
SELECT make_partitions('jobs_finished_discarded', 7);

CREATE TABLE unique_keys (
  key bytea PRIMARY KEY,
  job_id bigint,
  states text [] NOT NULL
);
CREATE INDEX unique_keys_job ON unique_keys (job_id);
COMMENT ON TABLE unique_keys IS
'The keys of unique jobs, in a table of their own because finished jobs move away. A key whose job is in none of its states is free: the next insert takes it.';
COMMENT ON COLUMN unique_keys.key IS 'SHA-256 of the kind, the states, and the other attributes by which jobs are compared.';
COMMENT ON COLUMN unique_keys.job_id IS 'The job that took the key last, in jobs or jobs_finished; null only within a transaction.';
COMMENT ON COLUMN unique_keys.states IS 'The states in which the job keeps its key.';

CREATE TABLE job_rewinds (
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  queue text NOT NULL,
  rewound_to timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX job_rewinds_queue ON job_rewinds (queue, transaction_id);
COMMENT ON TABLE job_rewinds IS
'Times in the past at which transactions made jobs available. A lease scans from the earliest one that it has not seen, if that is before its mark.';
COMMENT ON COLUMN job_rewinds.transaction_id IS 'The transaction; a lease checks whether its snapshot has seen it.';
COMMENT ON COLUMN job_rewinds.queue IS 'As in jobs.queue.';
COMMENT ON COLUMN job_rewinds.rewound_to IS 'The earliest scheduled_at of those jobs.';
COMMENT ON COLUMN job_rewinds.created_at IS 'When the row was written; rows older than an hour are deleted.';

CREATE TABLE periodic_jobs (
  name text PRIMARY KEY CHECK (name <> ''),
  schedule text NOT NULL,
  kind text NOT NULL CHECK (kind <> ''),
  queue text NOT NULL CHECK (queue <> ''),
  priority smallint NOT NULL DEFAULT 1 CHECK (priority BETWEEN 1 AND 4),
  max_attempts integer NOT NULL DEFAULT 25 CHECK (max_attempts >= 1),
  args jsonb NOT NULL DEFAULT '{}',
  tags text [] NOT NULL DEFAULT '{}',
  metadata jsonb NOT NULL DEFAULT '{}',
  next_at timestamptz NOT NULL,
  last_at timestamptz,
  last_job_id bigint,
  paused_at timestamptz,
  problem text
);
COMMENT ON TABLE periodic_jobs IS
'Jobs that the maintenance leader inserts repeatedly. Of the ticks missed while no leader ran, the last is made up for.';
COMMENT ON COLUMN periodic_jobs.name IS 'The name of the periodic job.';
COMMENT ON COLUMN periodic_jobs.schedule IS 'The schedule, in UTC: "every 5m", or the five fields of crontab(5).';
COMMENT ON COLUMN periodic_jobs.kind IS 'As in jobs, like the following columns.';
COMMENT ON COLUMN periodic_jobs.queue IS 'As in jobs.';
COMMENT ON COLUMN periodic_jobs.priority IS '1 (first) to 4.';
COMMENT ON COLUMN periodic_jobs.max_attempts IS 'As in jobs.';
COMMENT ON COLUMN periodic_jobs.args IS 'As in jobs.';
COMMENT ON COLUMN periodic_jobs.tags IS 'As in jobs.';
COMMENT ON COLUMN periodic_jobs.metadata IS 'As in jobs; each job also has "periodic" (the name) and "tick" (the time).';
COMMENT ON COLUMN periodic_jobs.next_at IS 'The next tick; infinity if the schedule is invalid.';
COMMENT ON COLUMN periodic_jobs.last_at IS 'The last tick.';
COMMENT ON COLUMN periodic_jobs.last_job_id IS 'The job inserted for the last tick.';
COMMENT ON COLUMN periodic_jobs.paused_at IS 'Since when no jobs are inserted for it; null: not paused.';
COMMENT ON COLUMN periodic_jobs.problem IS 'The error in its schedule; null: none.';

CREATE VIEW job_queue_summary AS
SELECT
  q.queue,
  coalesce(bool_or(p.paused_at IS NOT NULL), false) AS paused,
  count(*) FILTER (WHERE q.state = 'available') AS available,
  count(*) FILTER (WHERE q.state = 'scheduled') AS scheduled,
  count(*) FILTER (WHERE q.state = 'retryable') AS retryable,
  count(*) FILTER (WHERE q.state = 'pending') AS pending,
  count(*) FILTER (WHERE q.state = 'running') AS running,
  now() - min(q.scheduled_at) FILTER (WHERE q.state = 'available')
  AS oldest_available
FROM (
  SELECT
    queue,
    state,
    scheduled_at
  FROM jobs
  UNION ALL
  SELECT
    name,
    NULL,
    NULL
  FROM job_queues
  WHERE paused_at IS NOT NULL
) AS q
LEFT JOIN job_queues AS p ON p.name = q.queue
GROUP BY q.queue;
COMMENT ON VIEW job_queue_summary IS
'Per work queue: the number of jobs in each state, and how long the oldest available one has waited. A queue without jobs has no row, unless it is paused.';
COMMENT ON COLUMN job_queue_summary.queue IS 'As in jobs.queue.';
COMMENT ON COLUMN job_queue_summary.paused IS 'Whether it is paused: none of its jobs is leased.';
COMMENT ON COLUMN job_queue_summary.available IS 'Jobs that may run now.';
COMMENT ON COLUMN job_queue_summary.scheduled IS 'Jobs that may run later.';
COMMENT ON COLUMN job_queue_summary.retryable IS 'Jobs that failed and wait for their backoff.';
COMMENT ON COLUMN job_queue_summary.pending IS 'Parked jobs.';
COMMENT ON COLUMN job_queue_summary.running IS 'Leased jobs.';
COMMENT ON COLUMN job_queue_summary.oldest_available IS 'How long the oldest available job has waited; null: none is available.';

CREATE VIEW running_jobs AS
SELECT
  j.id,
  j.kind,
  j.queue,
  j.attempt,
  j.max_attempts,
  j.client_id,
  c.name AS client,
  c.heartbeat_at IS NOT NULL AND c.heartbeat_at + c.time_to_live > now()
  AS client_alive,
  now() - j.attempted_at AS runs_for,
  j.cancel_requested_at,
  j.args
FROM jobs AS j
LEFT JOIN clients AS c ON c.id = j.client_id
WHERE j.state = 'running';
COMMENT ON VIEW running_jobs IS 'Leased jobs, with the client and the time since the lease.';
COMMENT ON COLUMN running_jobs.id IS 'As in jobs, like every column not described here.';
COMMENT ON COLUMN running_jobs.kind IS 'The kind of work.';
COMMENT ON COLUMN running_jobs.queue IS 'The work queue.';
COMMENT ON COLUMN running_jobs.attempt IS 'The number of this attempt.';
COMMENT ON COLUMN running_jobs.max_attempts IS 'The limit of attempts.';
COMMENT ON COLUMN running_jobs.client_id IS 'The client that has the lease.';
COMMENT ON COLUMN running_jobs.client IS 'The name of that client, for people; null: the client is gone.';
COMMENT ON COLUMN running_jobs.client_alive IS 'Whether the client is alive; if not, the job is about to be made available again.';
COMMENT ON COLUMN running_jobs.runs_for IS 'The time since the lease.';
COMMENT ON COLUMN running_jobs.cancel_requested_at IS 'When the client was asked to stop it; null: not.';
COMMENT ON COLUMN running_jobs.args IS 'The input of its worker.';

CREATE VIEW failed_jobs AS
SELECT
  j.id,
  j.kind,
  j.queue,
  j.state,
  j.attempt,
  j.max_attempts,
  (j.errors -> -1 ->> 'at')::timestamptz AS failed_at,
  j.errors -> -1 ->> 'message' AS error,
  CASE WHEN j.state IN ('scheduled', 'retryable') THEN j.scheduled_at END
  AS next_at,
  j.args
FROM (
  SELECT
    id, kind, queue, state, attempt, max_attempts, scheduled_at, errors, args
  FROM jobs
  WHERE errors <> '[]'
  UNION ALL
  SELECT
    id, kind, queue, state, attempt, max_attempts, scheduled_at, errors, args
  FROM jobs_finished
  WHERE state = 'discarded'
) AS j;
COMMENT ON VIEW failed_jobs IS
'Jobs that have failed: those that are retried, and those that were discarded.';
COMMENT ON COLUMN failed_jobs.id IS 'As in jobs, like every column not described here.';
COMMENT ON COLUMN failed_jobs.kind IS 'The kind of work.';
COMMENT ON COLUMN failed_jobs.queue IS 'The work queue.';
COMMENT ON COLUMN failed_jobs.state IS 'As in jobs; discarded: it is not retried any more.';
COMMENT ON COLUMN failed_jobs.attempt IS 'The number of leases so far.';
COMMENT ON COLUMN failed_jobs.max_attempts IS 'A failure at this attempt discards it.';
COMMENT ON COLUMN failed_jobs.failed_at IS 'When it last failed.';
COMMENT ON COLUMN failed_jobs.error IS 'The message of the last failure.';
COMMENT ON COLUMN failed_jobs.next_at IS 'When it is retried; null: it was discarded, or may run now.';
COMMENT ON COLUMN failed_jobs.args IS 'The input of its worker.';
