-- What the loops of each replica do, for the pages and `fluxnetes get loops`.

CREATE TABLE replica_loops (
  client_id bigint NOT NULL REFERENCES clients ON DELETE CASCADE,
  name text NOT NULL,
  number integer NOT NULL,
  runs bigint NOT NULL,
  failures bigint NOT NULL,
  last_run_at timestamptz,
  took double precision,
  lag double precision,
  running double precision,
  failing double precision,
  reported_at timestamptz NOT NULL,
  PRIMARY KEY (client_id, name, number)
);
COMMENT ON TABLE replica_loops IS
'The loops of each replica, each a thread that does one kind of work step by step. A replica writes its rows every five seconds.';
COMMENT ON COLUMN replica_loops.client_id IS 'The replica, a row of clients.';
COMMENT ON COLUMN replica_loops.name IS 'What the loop does: intake, match, binder.';
COMMENT ON COLUMN replica_loops.number IS 'Tells loops of one name apart: 0, 1.';
COMMENT ON COLUMN replica_loops.runs IS 'The number of its steps since the replica started.';
COMMENT ON COLUMN replica_loops.failures IS 'How many of them failed.';
COMMENT ON COLUMN replica_loops.last_run_at IS 'When its last step ended well, by the clock of the replica; null: none has.';
COMMENT ON COLUMN replica_loops.took IS 'How long its last step took, in seconds; null: none has ended.';
COMMENT ON COLUMN replica_loops.lag IS 'How late its last step began, in seconds: after it was rung for, or was due; null: none has begun.';
COMMENT ON COLUMN replica_loops.running IS 'How long its present step had taken, in seconds; null: it waited.';
COMMENT ON COLUMN replica_loops.failing IS 'For how long it had failed, in seconds; null: its last step ended well.';
COMMENT ON COLUMN replica_loops.reported_at IS 'When the row was written, by the database''s clock.';
