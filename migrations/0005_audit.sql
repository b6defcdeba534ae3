-- Who has changed what.

CREATE TABLE audit (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT now(),
  caller text NOT NULL,
  role text NOT NULL CHECK (role IN ('user', 'operator')),
  via text NOT NULL CHECK (via IN ('cli', 'grpc')),
  verb text NOT NULL,
  object text NOT NULL,
  detail text,
  outcome text
);
CREATE INDEX audit_object ON audit (object, id);
COMMENT ON TABLE audit IS
'Who has changed what by gRPC or the command line, in the transaction of the change. Changes by SQL are not here. Kept until somebody deletes them.';
COMMENT ON COLUMN audit.id IS 'In order.';
COMMENT ON COLUMN audit.at IS 'When, by the database''s clock.';
COMMENT ON COLUMN audit.caller IS 'The name of the client''s certificate, local on a socket of the server''s machine, or the user who ran the command.';
COMMENT ON COLUMN audit.role IS 'In which role.';
COMMENT ON COLUMN audit.via IS 'By cli or grpc.';
COMMENT ON COLUMN audit.verb IS 'What was done: cancel, hold, release, submit, match of groups; create, set, delete, of queues and accounts, pause, resume; drain, undrain of nodes; retry, cancel, delete of jobs.';
COMMENT ON COLUMN audit.object IS 'To what: group/NAMESPACE/NAME, queue/NAME, account/NAME, job/ID of the work queue, node/NAME, nodes/KEY=VALUE, maintenance/ID, NAMESPACE/job.batch/NAME.';
COMMENT ON COLUMN audit.detail IS 'How: the reason that was given, the settings; null: nothing more to say.';
COMMENT ON COLUMN audit.outcome IS 'Of what is not done in the database: created, or what the cluster had against it; null: done with this row, or its outcome was not written.';
