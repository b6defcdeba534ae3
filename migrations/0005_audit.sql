-- The audit log of changes.

CREATE TABLE audit (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT now(),
  caller text NOT NULL,
  role text NOT NULL CHECK (role IN ('user', 'operator')),
  via text NOT NULL CHECK (via IN ('cli', 'grpc', 'web')),
  verb text NOT NULL,
  object text NOT NULL,
  detail text,
  outcome text
);
CREATE INDEX audit_object ON audit (object, id);
COMMENT ON TABLE audit IS
'Changes made by gRPC, the command line or the pages in the browser, and their authors, written in the transaction of the change. Changes by SQL are not recorded. Rows are kept until someone deletes them.';
COMMENT ON COLUMN audit.id IS 'In order of insertion.';
COMMENT ON COLUMN audit.at IS 'The time, by the database''s clock.';
COMMENT ON COLUMN audit.caller IS 'The author: the name in the client''s certificate, "local" for a socket on the server''s machine, or the user who ran the command.';
COMMENT ON COLUMN audit.role IS 'The author''s role.';
COMMENT ON COLUMN audit.via IS 'The interface: cli, grpc or web.';
COMMENT ON COLUMN audit.verb IS 'The action: cancel, hold, release, priority, submit, match of groups; create, set, delete, of queues, accounts and pools, pause, resume; drain, undrain of nodes; retry, cancel, delete of jobs.';
COMMENT ON COLUMN audit.object IS 'The object: group/NAMESPACE/NAME, queue/NAME, account/NAME, pool/NAME, job/ID of the work queue, node/NAME, nodes/KEY=VALUE, maintenance/ID, NAMESPACE/job.batch/NAME.';
COMMENT ON COLUMN audit.detail IS 'The reason given, or the settings; null: none.';
COMMENT ON COLUMN audit.outcome IS 'The outcome of an action outside the database: created, or the cluster''s error; null: done with this row, or the outcome was not written.';
