-- Groups that are placed for somebody who asked by gRPC and starts their pods
-- himself.

CREATE TABLE external_groups (
  group_id bigint PRIMARY KEY REFERENCES pod_groups ON DELETE CASCADE,
  request jsonb NOT NULL,
  reserve boolean NOT NULL,
  promised boolean NOT NULL DEFAULT false,
  asks integer NOT NULL DEFAULT 1 CHECK (asks >= 1),
  ask_key text UNIQUE
);
COMMENT ON TABLE external_groups IS
'Groups in pod_groups that have no rows in pods: somebody asked by gRPC where so many pods could run, and starts them himself. They are placed like others and hold their nodes until they are cancelled or their time is over; nothing of them is ever bound.';
COMMENT ON COLUMN external_groups.group_id IS 'The group, as in pod_groups.id: the id that the caller has.';
COMMENT ON COLUMN external_groups.request IS 'What each of its pods needs, as in pods.request. In placements they are called external-GROUP-NUMBER.';
COMMENT ON COLUMN external_groups.reserve IS 'Its caller takes a reservation if there is no room now.';
COMMENT ON COLUMN external_groups.promised IS 'It got one and waits for its time. Else it waits only until the match has looked at it: without a place it goes.';
COMMENT ON COLUMN external_groups.asks IS 'How many calls have asked for it, the same one repeated.';
COMMENT ON COLUMN external_groups.ask_key IS 'What was asked for, under which name: who asks for the same again gets this group. Null: without a name, or it is about to end.';
