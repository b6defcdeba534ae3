-- The work queue: jobs, their clients, and who leads what.

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
      -- Made, then attached: unlike PARTITION OF this lets the parent be used.
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
'Makes the daily partitions (UTC) of a table from today to `ahead` days on, and says how many were missing.';

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
'The errors of a job and one more, with its trace if there is one; the last hundred.';

CREATE TABLE clients (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  heartbeat_at timestamptz NOT NULL DEFAULT now(),
  time_to_live interval NOT NULL DEFAULT '5 seconds'
);
COMMENT ON TABLE clients IS
'A process that works on jobs. It is alive as long as its heartbeat is younger than its time to live; the jobs of a dead client are made available again.';
COMMENT ON COLUMN clients.id IS 'Who holds a lease (jobs.client_id) or leads (leaders.client_id).';
COMMENT ON COLUMN clients.name IS 'Host and process id, for people.';
COMMENT ON COLUMN clients.started_at IS 'When it registered.';
COMMENT ON COLUMN clients.heartbeat_at IS 'Its last sign of life, by the database''s clock.';
COMMENT ON COLUMN clients.time_to_live IS 'How old the heartbeat may get before the client counts as dead.';

CREATE TABLE leaders (
  name text PRIMARY KEY,
  term bigint NOT NULL DEFAULT 1,
  client_id bigint,
  acquired_at timestamptz NOT NULL DEFAULT now(),
  confirmed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE leaders IS
'Who owns what, and in which term. A transaction that rests on ownership reads its row FOR SHARE and compares the term; a takeover raises the term.';
COMMENT ON COLUMN leaders.name IS 'What is owned: intake, maintenance, or match:QUEUE, the match of a scheduling queue.';
COMMENT ON COLUMN leaders.term IS 'Raised by every takeover; a write in an older term is refused.';
COMMENT ON COLUMN leaders.client_id IS 'The owner; null after a clean resignation. It owns as long as that client is alive.';
COMMENT ON COLUMN leaders.acquired_at IS 'When this term began.';
COMMENT ON COLUMN leaders.confirmed_at IS 'When the owner last found that it can write here; only kept by owners that do nothing else for long.';

CREATE TABLE job_queues (
  name text PRIMARY KEY,
  paused_at timestamptz,
  used_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE job_queues IS
'Work queues that clients lease from or an operator has paused. A queue without a row runs.';
COMMENT ON COLUMN job_queues.name IS 'As in jobs.queue.';
COMMENT ON COLUMN job_queues.paused_at IS 'Since when no job of it is leased; null: it runs.';
COMMENT ON COLUMN job_queues.used_at IS 'When a client leased from it, to some ten minutes.';

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
'Jobs that wait, run, or will be tried again. Finished ones move to jobs_finished.';
COMMENT ON COLUMN jobs.id IS 'Ascending in order of insertion.';
COMMENT ON COLUMN jobs.kind IS 'What is to be done: the name of a worker.';
COMMENT ON COLUMN jobs.queue IS 'Which clients take it: those that work on this queue.';
COMMENT ON COLUMN jobs.priority IS '1 (first) to 4.';
COMMENT ON COLUMN jobs.state IS 'available, scheduled (later), retryable (failed, later again), pending (parked) or running (leased).';
COMMENT ON COLUMN jobs.attempt IS 'How often it was leased. A result names its attempt and is refused if that is not the last.';
COMMENT ON COLUMN jobs.max_attempts IS 'A failure at this attempt discards the job.';
COMMENT ON COLUMN jobs.client_id IS 'Who holds the lease; set exactly while running.';
COMMENT ON COLUMN jobs.created_at IS 'When it was inserted.';
COMMENT ON COLUMN jobs.scheduled_at IS 'Not to be leased before. If nothing was asked for, the clock as it was read after the transaction had its id; leases build on that.';
COMMENT ON COLUMN jobs.attempted_at IS 'When it was leased last.';
COMMENT ON COLUMN jobs.cancel_requested_at IS 'Someone asked the client that runs it to stop.';
COMMENT ON COLUMN jobs.args IS 'What its worker needs to know.';
COMMENT ON COLUMN jobs.errors IS 'One object per failure, the last hundred: at, attempt, message, and trace if there is one.';
COMMENT ON COLUMN jobs.tags IS 'Free words, for people.';
COMMENT ON COLUMN jobs.metadata IS 'Free object, for programs.';

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
'Jobs that have ended, by state in daily partitions that retention drops, each state''s by its own time.';
COMMENT ON COLUMN jobs_finished.id IS 'As it was in jobs, like every column not named here.';
COMMENT ON COLUMN jobs_finished.kind IS 'What was done.';
COMMENT ON COLUMN jobs_finished.queue IS 'Where it waited.';
COMMENT ON COLUMN jobs_finished.priority IS '1 (first) to 4.';
COMMENT ON COLUMN jobs_finished.state IS 'completed, cancelled, or discarded (failed too often).';
COMMENT ON COLUMN jobs_finished.attempt IS 'The attempt that ended it.';
COMMENT ON COLUMN jobs_finished.max_attempts IS 'How many it might have had.';
COMMENT ON COLUMN jobs_finished.client_id IS 'Who worked it last.';
COMMENT ON COLUMN jobs_finished.created_at IS 'When it was inserted.';
COMMENT ON COLUMN jobs_finished.scheduled_at IS 'When it might run first.';
COMMENT ON COLUMN jobs_finished.attempted_at IS 'When it was leased last.';
COMMENT ON COLUMN jobs_finished.finalized_at IS 'When it ended, by the database''s clock.';
COMMENT ON COLUMN jobs_finished.args IS 'What its worker was told.';
COMMENT ON COLUMN jobs_finished.errors IS 'As in jobs.';
COMMENT ON COLUMN jobs_finished.tags IS 'Free words, for people.';
COMMENT ON COLUMN jobs_finished.metadata IS 'Free object, for programs.';
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
'Uniqueness of jobs, kept apart because finished jobs move away. A key whose job is in none of its states is free: the next insert takes it.';
COMMENT ON COLUMN unique_keys.key IS 'What may be there once: SHA-256 of the kind, the states, and what else the jobs are compared by.';
COMMENT ON COLUMN unique_keys.job_id IS 'The job that took it last, in jobs or jobs_finished; null only inside of a transaction.';
COMMENT ON COLUMN unique_keys.states IS 'In which states its job keeps it.';

CREATE TABLE job_rewinds (
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  queue text NOT NULL,
  rewound_to timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX job_rewinds_queue ON job_rewinds (queue, transaction_id);
COMMENT ON TABLE job_rewinds IS
'Times before now at which transactions made jobs available: those who lease look from there on, else only from where they were.';
COMMENT ON COLUMN job_rewinds.transaction_id IS 'Who did it: who leases asks which of these it has not seen yet.';
COMMENT ON COLUMN job_rewinds.queue IS 'As in jobs.queue.';
COMMENT ON COLUMN job_rewinds.rewound_to IS 'The earliest scheduled_at of those jobs.';
COMMENT ON COLUMN job_rewinds.created_at IS 'When; rows of an hour ago are forgotten.';

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
'Jobs that are inserted again and again, by the maintenance leader. A tick that was missed, because nobody ran, is made up for once.';
COMMENT ON COLUMN periodic_jobs.name IS 'What it is known by.';
COMMENT ON COLUMN periodic_jobs.schedule IS 'When, in UTC: "every 5m", or the five fields of crontab(5).';
COMMENT ON COLUMN periodic_jobs.kind IS 'As in jobs, like what follows.';
COMMENT ON COLUMN periodic_jobs.queue IS 'As in jobs.';
COMMENT ON COLUMN periodic_jobs.priority IS '1 (first) to 4.';
COMMENT ON COLUMN periodic_jobs.max_attempts IS 'Of each of its jobs.';
COMMENT ON COLUMN periodic_jobs.args IS 'Of each of its jobs.';
COMMENT ON COLUMN periodic_jobs.tags IS 'Of each of its jobs.';
COMMENT ON COLUMN periodic_jobs.metadata IS 'Of each of its jobs, which have "periodic" (the name) and "tick" (the time) as well.';
COMMENT ON COLUMN periodic_jobs.next_at IS 'The next tick; infinity if the schedule cannot be read.';
COMMENT ON COLUMN periodic_jobs.last_at IS 'The last tick.';
COMMENT ON COLUMN periodic_jobs.last_job_id IS 'The job that was inserted for it.';
COMMENT ON COLUMN periodic_jobs.paused_at IS 'Since when nothing is inserted for it; null: it runs.';
COMMENT ON COLUMN periodic_jobs.problem IS 'What is wrong with its schedule.';

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
'Per work queue: how many of its jobs are in which state, and for how long the oldest one that may run has waited. A queue without jobs has no row, unless it is paused.';
COMMENT ON COLUMN job_queue_summary.queue IS 'As in jobs.queue.';
COMMENT ON COLUMN job_queue_summary.paused IS 'Nothing of it is leased while true.';
COMMENT ON COLUMN job_queue_summary.available IS 'Jobs that may run now.';
COMMENT ON COLUMN job_queue_summary.scheduled IS 'Jobs whose time has not come.';
COMMENT ON COLUMN job_queue_summary.retryable IS 'Jobs that failed and wait for their back-off.';
COMMENT ON COLUMN job_queue_summary.pending IS 'Jobs that are parked.';
COMMENT ON COLUMN job_queue_summary.running IS 'Jobs that are leased.';
COMMENT ON COLUMN job_queue_summary.oldest_available IS 'How long the oldest available job has waited; null: there is none.';

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
COMMENT ON VIEW running_jobs IS 'Jobs that are leased, by whom, and for how long.';
COMMENT ON COLUMN running_jobs.id IS 'As in jobs, like every column not named here.';
COMMENT ON COLUMN running_jobs.kind IS 'What is done.';
COMMENT ON COLUMN running_jobs.queue IS 'Where it waited.';
COMMENT ON COLUMN running_jobs.attempt IS 'Which attempt this is.';
COMMENT ON COLUMN running_jobs.max_attempts IS 'How many it may have.';
COMMENT ON COLUMN running_jobs.client_id IS 'Who holds the lease.';
COMMENT ON COLUMN running_jobs.client IS 'The name of that client, for people; null: it is gone.';
COMMENT ON COLUMN running_jobs.client_alive IS 'False: the job is about to be made available again.';
COMMENT ON COLUMN running_jobs.runs_for IS 'Since it was leased.';
COMMENT ON COLUMN running_jobs.cancel_requested_at IS 'Someone asked the client to stop it.';
COMMENT ON COLUMN running_jobs.args IS 'What its worker was told.';

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
'Jobs that have failed: those that are tried again, and those that were given up.';
COMMENT ON COLUMN failed_jobs.id IS 'As in jobs, like every column not named here.';
COMMENT ON COLUMN failed_jobs.kind IS 'What was to be done.';
COMMENT ON COLUMN failed_jobs.queue IS 'Where it waits or waited.';
COMMENT ON COLUMN failed_jobs.state IS 'discarded: it was given up.';
COMMENT ON COLUMN failed_jobs.attempt IS 'How often it was leased.';
COMMENT ON COLUMN failed_jobs.max_attempts IS 'A failure at this attempt discards it.';
COMMENT ON COLUMN failed_jobs.failed_at IS 'When it failed last.';
COMMENT ON COLUMN failed_jobs.error IS 'What it said then.';
COMMENT ON COLUMN failed_jobs.next_at IS 'When it is tried again; null: it was given up, or may run now.';
COMMENT ON COLUMN failed_jobs.args IS 'What its worker is told.';
