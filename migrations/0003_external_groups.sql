-- Groups that are placed for gRPC callers, which start the pods themselves.

CREATE TABLE external_groups (
  group_id bigint PRIMARY KEY REFERENCES pod_groups ON DELETE CASCADE,
  request jsonb NOT NULL,
  reserve boolean NOT NULL,
  promised boolean NOT NULL DEFAULT false,
  asks integer NOT NULL DEFAULT 1 CHECK (asks >= 1),
  ask_key text UNIQUE
);
COMMENT ON TABLE external_groups IS
'Groups in pod_groups that have no rows in pods: a caller requested placements for them by gRPC and starts the pods itself. They are placed like others and hold their nodes until they are cancelled or their time is over; their pods are never bound by the scheduler.';
COMMENT ON COLUMN external_groups.group_id IS 'The group, as in pod_groups.id; the caller has this id.';
COMMENT ON COLUMN external_groups.request IS 'The request of each of its pods, as in pods.request. In placements the pods are named external-GROUP-NUMBER.';
COMMENT ON COLUMN external_groups.reserve IS 'Whether the caller accepts a reservation if the group does not fit now.';
COMMENT ON COLUMN external_groups.promised IS 'Whether it has a reservation and waits for its start time. If not, it waits only until the match has considered it, and is removed if it does not fit.';
COMMENT ON COLUMN external_groups.asks IS 'The number of calls that requested it, including repeated ones.';
COMMENT ON COLUMN external_groups.ask_key IS 'A key of the request and its name: a repeated request gets this group. Null: the request has no name, or the group is about to end.';
