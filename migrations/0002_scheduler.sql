-- The scheduler: queues, pod groups, their allocations, and history.

CREATE TABLE queues (
  name text PRIMARY KEY CHECK (name ~ '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$'),
  node_selector jsonb NOT NULL DEFAULT '{}'
  CHECK (jsonb_typeof(node_selector) = 'object')
  CONSTRAINT queues_node_selector_of_text
  CHECK (NOT jsonb_path_exists(node_selector, 'strict $.* ? (@.type() != "string")')),
  queue_policy text NOT NULL DEFAULT 'easy'
  CHECK (queue_policy IN ('fcfs', 'easy', 'conservative', 'hybrid')),
  queue_order text NOT NULL DEFAULT 'arrival'
  CHECK (queue_order IN ('arrival', 'shortest', 'fair_share')),
  ageing double precision NOT NULL DEFAULT 10
  CHECK (ageing BETWEEN 0 AND 1000000),
  half_life interval NOT NULL DEFAULT '7 days'
  CHECK (half_life >= interval '1 minute'),
  match_policy text NOT NULL DEFAULT 'lonode'
  CHECK (
    match_policy IN (
      'first', 'firstnodex', 'low', 'high', 'lonode', 'hinode', 'lonodex',
      'hinodex', 'locality', 'variation'
    )
    OR (
      match_policy ~ '^ *((policy=(low|high)|(node_centric|node_exclusive|stop_on_1_matches)=(true|false))( +|$))+$'
      AND match_policy ~ '(^| )policy='
    )
  ),
  queue_depth integer NOT NULL DEFAULT 100000 CHECK (queue_depth >= 1),
  reservation_depth integer CHECK (reservation_depth BETWEEN 1 AND 100000),
  paused boolean NOT NULL DEFAULT false,
  assumed_duration interval
  CHECK (assumed_duration > interval '0'),
  deadline_action text NOT NULL DEFAULT 'job'
  CHECK (deadline_action IN ('job', 'pods', 'owner')),
  bind_timeout interval NOT NULL DEFAULT '1 minute'
  CHECK (bind_timeout > interval '0'),
  replacement_hold interval NOT NULL DEFAULT '30 seconds'
  CHECK (replacement_hold >= interval '0'),
  preemption text NOT NULL DEFAULT 'never'
  CHECK (preemption IN ('never', 'lower_priority', 'reclaim', 'both')),
  exclusive boolean NOT NULL DEFAULT false,
  topology text [] NOT NULL DEFAULT '{}' CHECK (
    array_position(topology, NULL) IS NULL
    AND array_to_string(topology, ',') ~ '^(((^|,)([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)*)$'
  ),
  CONSTRAINT queues_times_within_reason CHECK (
    bind_timeout <= interval '100 years'
    AND replacement_hold <= interval '100 years'
    AND assumed_duration <= interval '100 years'
    AND half_life <= interval '100 years'
  )
);
COMMENT ON TABLE queues IS
'Scheduling queues: the nodes that they may use, the order of their groups, and how groups are placed. Edit with SQL or `fluxnetes queue set`; takes effect at once.';
COMMENT ON COLUMN queues.name IS 'The name, which pods give in the label fluxnetes.queue.';
COMMENT ON COLUMN queues.node_selector IS 'Labels that a node must have; {} is every node.';
COMMENT ON COLUMN queues.queue_policy IS 'fcfs: strictly in order. easy: the first group that cannot start gets a reservation; later groups may start if they do not delay it. conservative, hybrid: likewise with several reservations, up to reservation_depth.';
COMMENT ON COLUMN queues.queue_order IS 'The order of groups of one priority. arrival: the earliest submitted first. shortest: the shortest duration first (see ageing). fair_share: the group first whose account has used least for its weight (see accounts).';
COMMENT ON COLUMN queues.ageing IS 'For queue_order shortest: no group goes ahead of one that was submitted earlier by more than this many times the earlier group''s duration.';
COMMENT ON COLUMN queues.half_life IS 'For queue_order fair_share: the time after which past usage counts half. Among queues that share nodes the longest applies.';
COMMENT ON COLUMN queues.match_policy IS 'The preferred nodes, by Fluxion''s names: first, firstnodex, low, high, lonode, hinode, lonodex, hinodex, locality, variation; or composed: policy=low or policy=high, with node_centric, node_exclusive, stop_on_1_matches, each =true or =false.';
COMMENT ON COLUMN queues.queue_depth IS 'How many shapes of waiting groups that do not fit a scheduling cycle considers.';
COMMENT ON COLUMN queues.reservation_depth IS 'How many groups get a reservation in a conservative or hybrid queue; null: 1,000 and 64.';
COMMENT ON COLUMN queues.paused IS 'Whether it is paused: no group of it starts.';
COMMENT ON COLUMN queues.assumed_duration IS 'The assumed duration of a group without a deadline, for planning only; null: unlimited.';
COMMENT ON COLUMN queues.deadline_action IS 'What is deleted at a deadline: the Kubernetes Job (or the pods, if there is none), the pods, or the topmost owner.';
COMMENT ON COLUMN queues.bind_timeout IS 'How long a group that was never bound whole may stay bound in part, counted from pod_groups.went_back_at, before it starts anew.';
COMMENT ON COLUMN queues.replacement_hold IS 'How long the placement of a failed pod is held for its replacement.';
COMMENT ON COLUMN queues.preemption IS 'Which groups may be evicted, whole, for the first group that does not fit. never: none. lower_priority: those of a lower priority. reclaim: those that put an account above its quota, for a group within its own quota. both: all of these.';
COMMENT ON COLUMN queues.exclusive IS 'Whether every group of it has its nodes for itself, as with the label fluxnetes.exclusive. Groups that hold nodes already stay as they were placed.';
COMMENT ON COLUMN queues.topology IS 'Keys of node labels, outermost first. The part behind the slash is a level that fluxnetes.topology-required and -preferred may name, such as block for example.com/block. Applies to pods that come later.';
INSERT INTO queues (name) VALUES ('default');

CREATE SEQUENCE group_ids;
COMMENT ON SEQUENCE group_ids IS
'Numbers groups and their generations, and thereby the Fluxion jobs that hold their resources.';

CREATE FUNCTION next_news(
  since timestamptz, told_at timestamptz, size integer, at_once boolean
)
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT greatest(
    CASE
      WHEN at_once THEN since
      ELSE since + least(size * interval '20 ms' + '5 seconds', '1 minute')
    END,
    told_at + least(size * interval '100 ms' + '10 seconds', '2 minutes')
  )
$$;
COMMENT ON FUNCTION next_news IS
'When the pods of a group of this size may be informed why it waits, given since when the reason holds and when they were last informed: a large group costs many writes.';

CREATE FUNCTION hold_reason(
  held_at timestamptz,
  held_reason text,
  hold_label boolean,
  released_at timestamptz
)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT CASE
    WHEN held_at IS NOT NULL THEN 'held' || coalesce(': ' || held_reason, '')
    WHEN hold_label AND released_at IS NULL
      THEN 'held by the label fluxnetes.hold of its pods'
  END
$$;
COMMENT ON FUNCTION hold_reason IS
'Why a group with these columns is held, for people; null: not held.';

CREATE FUNCTION filling_reason(
  hold text, members integer, group_size integer, short text
)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT concat_ws(
    '; ', hold, format('%s of %s pods have arrived', members, group_size), short
  )
$$;
COMMENT ON FUNCTION filling_reason IS
'Why an incomplete group waits, for people: why it is held, if it is, how many of its pods have arrived, and why there may be fewer than its size, if that is known.';

CREATE FUNCTION new_traceparent()
RETURNS text
LANGUAGE sql
VOLATILE
AS $$
  SELECT
    '00-' || replace(gen_random_uuid()::text, '-', '')
    || '-' || lpad(to_hex(1 + (random() * 9e18)::bigint), 16, '0') || '-01'
$$;
COMMENT ON FUNCTION new_traceparent IS
'A new trace in the format of W3C Trace Context: version 00, trace id, span id, and the flag "recorded".';

CREATE TABLE groups_provisional (
  namespace text NOT NULL,
  group_name text NOT NULL,
  group_id bigint NOT NULL DEFAULT nextval('group_ids'),
  group_size integer NOT NULL CHECK (group_size >= 1),
  queue text NOT NULL REFERENCES queues,
  members integer NOT NULL DEFAULT 0 CHECK (members >= 0),
  first_seen_at timestamptz NOT NULL,
  told text,
  told_at timestamptz,
  news_due timestamptz,
  start_after timestamptz,
  start_by timestamptz,
  hold_label boolean NOT NULL DEFAULT false,
  held_at timestamptz,
  held_reason text,
  released_at timestamptz,
  traceparent text NOT NULL DEFAULT new_traceparent(),
  changed_at timestamptz,
  makers_due timestamptz,
  makers text [],
  rest_size integer,
  short_reason text,
  pods_priority integer NOT NULL DEFAULT 0,
  set_priority integer,
  PRIMARY KEY (namespace, group_name),
  CONSTRAINT groups_provisional_rest
  CHECK (rest_size >= 1 AND rest_size < group_size),
  CONSTRAINT groups_provisional_finite CHECK (
    isfinite(start_after)
    AND isfinite(start_by)
    AND isfinite(held_at)
    AND isfinite(released_at)
  )
);
CREATE UNIQUE INDEX groups_provisional_id ON groups_provisional (group_id);
CREATE INDEX groups_provisional_start_by ON groups_provisional (start_by)
WHERE start_by IS NOT NULL;
CREATE INDEX groups_provisional_news ON groups_provisional (news_due)
WHERE news_due IS NOT NULL;
CREATE INDEX groups_provisional_makers ON groups_provisional (makers_due)
WHERE makers_due IS NOT NULL;
CREATE INDEX groups_complete ON groups_provisional (first_seen_at)
WHERE members >= coalesce(rest_size, group_size);
COMMENT ON TABLE groups_provisional IS
'An incomplete group: some of its pods have arrived, but not all. It has no allocation.';
COMMENT ON COLUMN groups_provisional.namespace IS 'Kubernetes namespace; group names are unique per namespace.';
COMMENT ON COLUMN groups_provisional.group_name IS 'The value of the label fluxnetes.group-name, or fluxnetes-group-NAMESPACE-POD.';
COMMENT ON COLUMN groups_provisional.group_id IS 'Its id from now on, and its generation: a later group of this name has a higher id.';
COMMENT ON COLUMN groups_provisional.group_size IS 'The number of pods that complete it.';
COMMENT ON COLUMN groups_provisional.queue IS 'Its scheduling queue.';
COMMENT ON COLUMN groups_provisional.members IS 'The number of its pods that count: not refused, not gated. Recounted, never incremented.';
COMMENT ON COLUMN groups_provisional.first_seen_at IS 'When its first pod was created, which sets its place in the pending order.';
COMMENT ON COLUMN groups_provisional.told IS 'The kind of reason that its last event gave; another kind causes a new event; null: no event yet.';
COMMENT ON COLUMN groups_provisional.told_at IS 'When its pods were last informed why it waits.';
COMMENT ON COLUMN groups_provisional.news_due IS 'When its pods are to be informed why it waits; null: they are up to date.';
COMMENT ON COLUMN groups_provisional.start_after IS 'The latest fluxnetes.start-after of its pods.';
COMMENT ON COLUMN groups_provisional.start_by IS 'The earliest fluxnetes.start-by of its pods: without a placement by then the group is given up. Null also if other pods of their controller have started.';
COMMENT ON COLUMN groups_provisional.hold_label IS 'Whether one of its pods has the label fluxnetes.hold.';
COMMENT ON COLUMN groups_provisional.held_at IS 'Since when it is held: it will not be placed even when complete; null: not held. Set and cleared by `fluxnetes hold` and `release`, or with SQL.';
COMMENT ON COLUMN groups_provisional.held_reason IS 'The reason of the hold, for people.';
COMMENT ON COLUMN groups_provisional.released_at IS 'When it was released from its label, which no longer holds it; null: not released, or without the label.';

COMMENT ON COLUMN groups_provisional.traceparent IS 'The trace of the group if none of its pods has one (W3C Trace Context).';
COMMENT ON COLUMN groups_provisional.changed_at IS 'When its pods last changed.';
COMMENT ON COLUMN groups_provisional.makers_due IS 'When its makers are to be asked how many pods they still make; null: it is complete.';
COMMENT ON COLUMN groups_provisional.makers IS 'The controllers of all pods that it had when it was complete before, each as KIND/NAME/UID; null: it was not, or a pod had none.';
COMMENT ON COLUMN groups_provisional.rest_size IS 'The number of pods that complete it because its makers can make no more; null: group_size.';
COMMENT ON COLUMN groups_provisional.pods_priority IS 'The highest priority of its pods that are not refused; 0 before the first of them is counted.';
COMMENT ON COLUMN groups_provisional.set_priority IS 'The priority that somebody has set, which replaces that of its pods; null: none.';
COMMENT ON COLUMN groups_provisional.short_reason IS 'Why it can have fewer pods than its size, or may never be complete; null: it is not known that it cannot.';

CREATE TABLE pods_provisional (
  uid text PRIMARY KEY,
  namespace text NOT NULL,
  pod_name text NOT NULL,
  group_name text NOT NULL,
  group_size integer,
  queue text NOT NULL,
  priority integer NOT NULL DEFAULT 0,
  request jsonb NOT NULL,
  duration_seconds bigint CHECK (duration_seconds >= 1),
  completion_index integer,
  owner_kind text,
  owner_name text,
  owner_uid text,
  resource_version text NOT NULL,
  gated boolean NOT NULL DEFAULT false,
  refused text,
  told text,
  created_at timestamptz NOT NULL,
  start_after timestamptz,
  start_by timestamptz,
  hold boolean NOT NULL DEFAULT false,
  account text NOT NULL DEFAULT '',
  grace_seconds integer NOT NULL DEFAULT 30 CHECK (grace_seconds >= 0),
  preempts boolean NOT NULL DEFAULT true,
  max_size integer CHECK (max_size >= group_size),
  traceparent text,
  user_name text,
  CONSTRAINT pods_provisional_size
  CHECK (refused IS NOT NULL OR group_size >= 1)
);
CREATE INDEX pods_provisional_group
ON pods_provisional (namespace, group_name);
COMMENT ON TABLE pods_provisional IS
'A pod that waits for the rest of its group.';
COMMENT ON COLUMN pods_provisional.uid IS 'The pod''s UID in Kubernetes; recording it twice changes nothing.';
COMMENT ON COLUMN pods_provisional.namespace IS 'Its namespace.';
COMMENT ON COLUMN pods_provisional.pod_name IS 'Its name.';
COMMENT ON COLUMN pods_provisional.group_name IS 'Its group.';
COMMENT ON COLUMN pods_provisional.group_size IS 'The group size in its label; null only if the pod is refused.';
COMMENT ON COLUMN pods_provisional.queue IS 'The scheduling queue that it names.';
COMMENT ON COLUMN pods_provisional.priority IS 'spec.priority; a higher priority goes first.';
COMMENT ON COLUMN pods_provisional.request IS 'Its request: resources, node selector, tolerations. Pods with equal requests have the same shape.';
COMMENT ON COLUMN pods_provisional.duration_seconds IS 'activeDeadlineSeconds; null: unlimited.';
COMMENT ON COLUMN pods_provisional.completion_index IS 'Its index in an Indexed Job.';
COMMENT ON COLUMN pods_provisional.owner_kind IS 'The kind of its controller.';
COMMENT ON COLUMN pods_provisional.owner_name IS 'The name of its controller.';
COMMENT ON COLUMN pods_provisional.owner_uid IS 'The UID of its controller; null: a bare pod.';
COMMENT ON COLUMN pods_provisional.resource_version IS 'The version that was read; a binding names it as a precondition.';
COMMENT ON COLUMN pods_provisional.gated IS 'Whether it has Kubernetes scheduling gates; a gated pod does not count yet.';
COMMENT ON COLUMN pods_provisional.refused IS 'Why it cannot join its group, as an event reports; a refused pod does not count. Null: accepted.';
COMMENT ON COLUMN pods_provisional.told IS 'A short form of the waiting reason in its condition PodScheduled; null: none set.';
COMMENT ON COLUMN pods_provisional.created_at IS 'When it was created.';
COMMENT ON COLUMN pods_provisional.start_after IS 'fluxnetes.start-after: its group does not start before this time.';
COMMENT ON COLUMN pods_provisional.start_by IS 'fluxnetes.start-by: its group starts by this time or is given up.';
COMMENT ON COLUMN pods_provisional.hold IS 'Whether it has the label fluxnetes.hold: its group waits until it is released.';
COMMENT ON COLUMN pods_provisional.account IS 'The label fluxnetes.account: the account that its group is charged to; empty: none named.';
COMMENT ON COLUMN pods_provisional.grace_seconds IS 'terminationGracePeriodSeconds: how long it may run on after its deletion.';
COMMENT ON COLUMN pods_provisional.max_size IS 'fluxnetes.group-max-size: the number of pods that its group may grow to; null: the group is not elastic.';
COMMENT ON COLUMN pods_provisional.traceparent IS 'Its annotation traceparent, the trace that it is part of (W3C Trace Context); null: none.';
COMMENT ON COLUMN pods_provisional.user_name IS 'The label fluxnetes.user; null: none.';
COMMENT ON COLUMN pods_provisional.preempts IS 'Whether it may preempt others: its preemptionPolicy is not Never.';

CREATE TABLE pod_groups (
  id bigint PRIMARY KEY,
  namespace text NOT NULL,
  group_name text NOT NULL,
  group_size integer NOT NULL CHECK (group_size >= 1),
  queue text NOT NULL REFERENCES queues,
  priority integer NOT NULL,
  pods_priority integer,
  state text NOT NULL DEFAULT 'pending'
  CHECK (state IN ('pending', 'unsatisfiable', 'allocated', 'bound')),
  phase text DEFAULT 'queued'
  CHECK (phase IN ('queued', 'reserved', 'deferred', 'held', 'recalled')),
  reason text,
  revision integer NOT NULL DEFAULT 1 CHECK (revision >= 1),
  first_in_line boolean NOT NULL DEFAULT false,
  shape bigint NOT NULL,
  owners text [] NOT NULL DEFAULT '{}',
  duration_seconds bigint CHECK (duration_seconds >= 1),
  match_job bigint,
  cancel_reason text,
  submitted_at timestamptz NOT NULL,
  promoted_at timestamptz NOT NULL,
  allocated_at timestamptz,
  went_back_at timestamptz,
  bound_at timestamptz,
  told text,
  told_at timestamptz,
  news_due timestamptz,
  start_after timestamptz,
  start_by timestamptz,
  hold_label boolean NOT NULL DEFAULT false,
  held_at timestamptz,
  held_reason text,
  released_at timestamptz,
  account text NOT NULL DEFAULT '',
  grace_seconds integer NOT NULL DEFAULT 30 CHECK (grace_seconds >= 0),
  preempts boolean NOT NULL DEFAULT true,
  preempted_for bigint,
  max_size integer CHECK (max_size >= group_size),
  extends bigint,
  asked_size integer,
  traceparent text NOT NULL DEFAULT new_traceparent(),
  user_name text,
  CONSTRAINT pod_groups_asked_size CHECK (asked_size > group_size),
  CONSTRAINT pod_groups_preempted
  CHECK (preempted_for IS NULL OR cancel_reason IS NOT NULL),
  comes_again boolean NOT NULL DEFAULT false
  CONSTRAINT pod_groups_comes_again
  CHECK (NOT comes_again OR preempted_for IS NOT NULL),
  CONSTRAINT pod_groups_finite CHECK (
    isfinite(start_after)
    AND isfinite(start_by)
    AND isfinite(held_at)
    AND isfinite(released_at)
  ),
  CONSTRAINT pod_groups_phase CHECK ((state = 'pending') = (phase IS NOT NULL)),
  CONSTRAINT pod_groups_bound CHECK (state <> 'bound' OR bound_at IS NOT NULL)
);
CREATE INDEX pod_groups_name ON pod_groups (namespace, group_name);
CREATE INDEX pod_groups_waiting
ON pod_groups (queue, first_in_line DESC, priority DESC, submitted_at, id)
WHERE state IN ('pending', 'unsatisfiable');
CREATE INDEX pod_groups_unsatisfiable ON pod_groups (queue, id)
WHERE state = 'unsatisfiable';
CREATE INDEX pod_groups_news ON pod_groups (news_due)
WHERE news_due IS NOT NULL;
CREATE INDEX pod_groups_start_by ON pod_groups (start_by)
WHERE start_by IS NOT NULL AND state IN ('pending', 'unsatisfiable');
CREATE INDEX pod_groups_extends ON pod_groups (extends)
WHERE extends IS NOT NULL;
CREATE INDEX pod_groups_recalled ON pod_groups (id) WHERE phase = 'recalled';
COMMENT ON TABLE pod_groups IS
'An active group: complete, in state pending, unsatisfiable, allocated or bound. When it ends, it moves to group_history.';
COMMENT ON COLUMN pod_groups.id IS 'Its id and generation (groups_provisional.group_id), and the number of its Fluxion job.';
COMMENT ON COLUMN pod_groups.namespace IS 'Kubernetes namespace.';
COMMENT ON COLUMN pod_groups.group_name IS 'Its name.';
COMMENT ON COLUMN pod_groups.group_size IS 'The number of its pods.';
COMMENT ON COLUMN pod_groups.queue IS 'Its scheduling queue.';
COMMENT ON COLUMN pod_groups.account IS 'The label fluxnetes.account of its pods; empty: none. account_of() finds the account itself.';
COMMENT ON COLUMN pod_groups.grace_seconds IS 'The longest terminationGracePeriodSeconds of its pods: how long it may run on after its deletion.';
COMMENT ON COLUMN pod_groups.preempts IS 'Whether it may preempt others: none of its pods has the preemptionPolicy Never, and the cluster has refused none of its bindings.';
COMMENT ON COLUMN pod_groups.priority IS 'The highest priority of its pods, or the one that somebody has set; a higher priority goes first.';
COMMENT ON COLUMN pod_groups.pods_priority IS 'The priority of its pods, if somebody has set another (`fluxnetes priority`); null: priority is that of its pods.';
COMMENT ON COLUMN pod_groups.state IS 'pending: waits for resources. unsatisfiable: can never fit the cluster as it is. allocated: its pods have nodes. bound: its pods are bound to them.';
COMMENT ON COLUMN pod_groups.phase IS 'The phase of a pending group. queued. reserved: for a start time (see reservations). deferred: until start_after. held: see held_at. recalled: it lost a member while its bindings may have been in flight; its allocation is being revoked.';
COMMENT ON COLUMN pod_groups.reason IS 'Why this group waits, if it has a reason of its own; else its shape''s reason in wait_reasons applies. In state allocated: what its pods wait for before they are bound, such as a condition of a device, and until when.';
COMMENT ON COLUMN pod_groups.revision IS 'Raised by every change of its members or labels; a placement for an older revision is dropped.';
COMMENT ON COLUMN pod_groups.first_in_line IS 'Whether it had started and must be placed again: it is ahead of all other groups in the pending order.';
COMMENT ON COLUMN pod_groups.shape IS 'A hash of the requests of its pods, or of those that must be placed again, and its duration; groups of one shape either all fit or none fits.';
COMMENT ON COLUMN pod_groups.owners IS 'The UIDs of its members'' controllers, fixed once it is complete.';
COMMENT ON COLUMN pod_groups.duration_seconds IS 'The longest activeDeadlineSeconds of its pods; null: unlimited.';
COMMENT ON COLUMN pod_groups.match_job IS 'The match job in the work queue that is to place it.';
COMMENT ON COLUMN pod_groups.cancel_reason IS 'Why it is being cancelled, while its pods are being deleted; null: it is not.';
COMMENT ON COLUMN pod_groups.max_size IS 'The number of pods that it may grow to, including those beyond its size, which are groups of one (see extends); null: not elastic.';
COMMENT ON COLUMN pod_groups.extends IS 'The elastic group that this pod extends beyond its size: it is behind all other groups in the pending order and is evicted for them; null: none.';
COMMENT ON COLUMN pod_groups.asked_size IS 'The size that its pods ask for, if its makers could make only group_size of them; null: group_size.';
COMMENT ON COLUMN pod_groups.traceparent IS 'The trace that it is part of (W3C Trace Context): that of its first pod that has one, else one made when its first pod was recorded. Log lines about the group have its trace_id.';
COMMENT ON COLUMN pod_groups.user_name IS 'The label fluxnetes.user of its first pod that has one, to whom its usage is accounted; null: none.';
COMMENT ON COLUMN pod_groups.preempted_for IS 'The group for which it is being evicted; null: it is not.';
COMMENT ON COLUMN pod_groups.comes_again IS 'Whether it is evicted and was not cancelled since: its pods are deleted, but not their controllers.';
COMMENT ON COLUMN pod_groups.submitted_at IS 'When its first pod was created, which sets its place in the pending order.';
COMMENT ON COLUMN pod_groups.promoted_at IS 'When it was complete.';
COMMENT ON COLUMN pod_groups.allocated_at IS 'When it got its allocation.';
COMMENT ON COLUMN pod_groups.went_back_at IS 'Since when some of its pods must be placed again; queues.bind_timeout counts from here.';
COMMENT ON COLUMN pod_groups.bound_at IS 'When its last pod was bound.';
COMMENT ON COLUMN pod_groups.told IS 'The kind of reason that its last event gave; another kind causes a new event; null: no event yet.';
COMMENT ON COLUMN pod_groups.told_at IS 'When its pods were last informed why it waits.';
COMMENT ON COLUMN pod_groups.news_due IS 'When its pods are to be informed why it waits; null: they are up to date.';
COMMENT ON COLUMN pod_groups.start_after IS 'It is not placed before this (scheduling time): the latest fluxnetes.start-after of its pods.';
COMMENT ON COLUMN pod_groups.start_by IS 'It is given up without a placement by then (scheduling time): the earliest fluxnetes.start-by of its pods; null also if other pods of their controller have started.';
COMMENT ON COLUMN pod_groups.hold_label IS 'Whether one of its pods has the label fluxnetes.hold.';
COMMENT ON COLUMN pod_groups.held_at IS 'Since when it is held: it keeps its age in the pending order and is not placed; null: not held. Set and cleared by `fluxnetes hold` and `release`, or with SQL; takes effect at once.';
COMMENT ON COLUMN pod_groups.held_reason IS 'The reason of the hold, for people.';
COMMENT ON COLUMN pod_groups.released_at IS 'When it was released from its label, which no longer holds it; null: not released, or without the label.';

-- Topologies are the JSON in the column request of pods: see the page on
-- workloads.
CREATE FUNCTION asks_for_no_topology(topology jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$
  SELECT coalesce(topology, '{}') - 'pools' = '{}'
$$;
COMMENT ON FUNCTION asks_for_no_topology(jsonb) IS
'Whether a pod asks for no topology, but maybe for pools: it adopts that of the other pods of its group.';

CREATE FUNCTION topology_divides(topology jsonb, pods integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$
  SELECT coalesce(bool_and(pods % n.pods_together = 0), true)
  FROM (
    SELECT (level ->> 'pods')::integer AS pods_together
    FROM jsonb_array_elements(
      coalesce(topology -> 'requiredParts', '[]')
      || coalesce(topology -> 'preferredParts', '[]')
    ) AS level
    UNION ALL
    SELECT (topology ->> 'podsPerNode')::integer
    WHERE topology ? 'podsPerNode'
  ) AS n
$$;
COMMENT ON FUNCTION topology_divides(jsonb, integer) IS
'Whether all numbers of pods of a topology divide this number of pods.';

CREATE FUNCTION adopt_topology(request jsonb, theirs jsonb, size integer)
RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$
  SELECT CASE
    WHEN NOT asks_for_no_topology(request -> 'topology')
      OR asks_for_no_topology(theirs)
      THEN request
    ELSE jsonb_set(
      request, '{topology}',
      theirs - '{pools,adopted,uncounted}'::text []
      || coalesce(request -> 'topology', '{}')
      || '{"adopted": true}'
      || CASE
        WHEN topology_divides(theirs, size) THEN '{}'::jsonb
        ELSE '{"uncounted": true}'
      END
    )
  END
$$;
COMMENT ON FUNCTION adopt_topology(jsonb, jsonb, integer) IS
'The request of a pod in a group of this size whose other pods have this topology: a pod that asks for none has theirs. It does not count for the numbers of pods if these do not divide the size.';

CREATE TABLE pods (
  uid text PRIMARY KEY,
  group_id bigint NOT NULL REFERENCES pod_groups ON DELETE CASCADE,
  namespace text NOT NULL,
  pod_name text NOT NULL,
  asked_name text NOT NULL,
  state text NOT NULL DEFAULT 'waiting'
  CHECK (state IN ('waiting', 'bound', 'succeeded', 'failed', 'deleted')),
  node_name text,
  request jsonb NOT NULL,
  completion_index integer,
  owner_kind text,
  owner_name text,
  owner_uid text,
  resource_version text NOT NULL,
  duration_seconds bigint,
  created_at timestamptz NOT NULL,
  bound_at timestamptz,
  ended_at timestamptz,
  replaced_by text,
  turned_away text,
  told text,
  start_after timestamptz,
  start_by timestamptz,
  hold boolean NOT NULL DEFAULT false,
  parts text,
  devices text,
  CONSTRAINT pods_bound_has_node CHECK (state <> 'bound' OR node_name IS NOT NULL)
);
CREATE INDEX pods_group ON pods (group_id);
CREATE INDEX pods_owner ON pods (owner_uid) WHERE owner_uid IS NOT NULL;
COMMENT ON TABLE pods IS 'The members of the groups in pod_groups.';
COMMENT ON COLUMN pods.uid IS 'The pod''s UID in Kubernetes.';
COMMENT ON COLUMN pods.group_id IS 'Its group.';
COMMENT ON COLUMN pods.namespace IS 'Its namespace.';
COMMENT ON COLUMN pods.pod_name IS 'Its name.';
COMMENT ON COLUMN pods.asked_name IS 'The group that its labels name. A surplus pod is nevertheless in a group of its own.';
COMMENT ON COLUMN pods.state IS 'waiting (without a node in Kubernetes), bound, succeeded, failed, deleted.';
COMMENT ON COLUMN pods.node_name IS 'The node that Kubernetes has bound it to; placements has the node chosen for it.';
COMMENT ON COLUMN pods.request IS 'Its request; see pods_provisional.';
COMMENT ON COLUMN pods.completion_index IS 'Its index in an Indexed Job.';
COMMENT ON COLUMN pods.owner_kind IS 'The kind of its controller.';
COMMENT ON COLUMN pods.owner_name IS 'The name of its controller.';
COMMENT ON COLUMN pods.owner_uid IS 'The UID of its controller; null: a bare pod.';
COMMENT ON COLUMN pods.resource_version IS 'The last version read.';
COMMENT ON COLUMN pods.duration_seconds IS 'activeDeadlineSeconds; null: unlimited.';
COMMENT ON COLUMN pods.created_at IS 'When it was created.';
COMMENT ON COLUMN pods.bound_at IS 'When it was bound.';
COMMENT ON COLUMN pods.ended_at IS 'When its end was observed.';
COMMENT ON COLUMN pods.replaced_by IS 'The pod that replaced this one, which failed, was deleted, or is being deleted (then it is bound until it is gone).';
COMMENT ON COLUMN pods.turned_away IS 'Why the kubelet of its node rejected it (OutOfcpu, NodeAffinity, ...): its placement is not held, and its replacement is placed anew. Null: not rejected.';
COMMENT ON COLUMN pods.told IS 'As in pods_provisional.';
COMMENT ON COLUMN pods.start_after IS 'As in pods_provisional.';
COMMENT ON COLUMN pods.start_by IS 'As in pods_provisional.';
COMMENT ON COLUMN pods.hold IS 'As in pods_provisional.';
COMMENT ON COLUMN pods.parts IS 'What it had inside of its node until its placement was released, as in placements.parts; null: amounts alone.';
COMMENT ON COLUMN pods.devices IS 'The devices that it had until its placement was released, as in placements.devices; null: none.';

CREATE TABLE allocations (
  fluxion_job bigint PRIMARY KEY,
  group_id bigint UNIQUE REFERENCES pod_groups ON DELETE CASCADE,
  queue text NOT NULL,
  nodes text [] NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz,
  term bigint NOT NULL,
  whole_nodes boolean NOT NULL DEFAULT false,
  aside boolean NOT NULL DEFAULT false,
  pools jsonb NOT NULL DEFAULT '{}'
  CONSTRAINT allocations_pools_object CHECK (jsonb_typeof(pools) = 'object'),
  CONSTRAINT allocations_ends_after_start CHECK (ends_at > starts_at)
);
CREATE INDEX allocations_deadline ON allocations (ends_at)
WHERE ends_at IS NOT NULL;
COMMENT ON TABLE allocations IS
'Allocations of resources to groups. The resource graph in memory consists of the nodes, the usage by pods of other schedulers, and this table with its placements.';
COMMENT ON COLUMN allocations.fluxion_job IS 'Its number in the resource graph, equal to the group''s id.';
COMMENT ON COLUMN allocations.group_id IS 'The group that has the allocation.';
COMMENT ON COLUMN allocations.queue IS 'The scheduling queue of the allocation.';
COMMENT ON COLUMN allocations.nodes IS 'Its nodes, each once, in order of name.';
COMMENT ON COLUMN allocations.starts_at IS 'The start (scheduling time).';
COMMENT ON COLUMN allocations.ends_at IS 'The deadline, or the time by which an evicted group must have ended; null: unlimited.';
COMMENT ON COLUMN allocations.term IS 'The term of the leadership match:QUEUE (see leaders) in which it was made.';
COMMENT ON COLUMN allocations.whole_nodes IS 'Whether the group has its nodes for itself: nothing else is placed there.';
COMMENT ON COLUMN allocations.aside IS 'Whether the group is a pod of a DaemonSet, which may be on nodes that others have for themselves.';
COMMENT ON COLUMN allocations.pools IS 'The amounts of pools that the group holds, by name, as long as any of its pods holds a place.';

CREATE TABLE placements (
  fluxion_job bigint NOT NULL REFERENCES allocations ON DELETE CASCADE,
  pod_uid text NOT NULL,
  node_name text NOT NULL,
  cpu_milli bigint NOT NULL CHECK (cpu_milli >= 0),
  memory_bytes bigint NOT NULL CHECK (memory_bytes >= 0),
  other jsonb,
  held_until timestamptz,
  parts text,
  resource_set jsonb,
  devices text,
  own_devices jsonb,
  PRIMARY KEY (fluxion_job, pod_uid)
);
CREATE INDEX placements_held ON placements (held_until)
WHERE held_until IS NOT NULL;
COMMENT ON TABLE placements IS
'The amounts that one pod of an allocation holds on its node. The row is deleted when they are released.';
COMMENT ON COLUMN placements.fluxion_job IS 'The allocation.';
COMMENT ON COLUMN placements.pod_uid IS 'The pod.';
COMMENT ON COLUMN placements.node_name IS 'The node.';
COMMENT ON COLUMN placements.cpu_milli IS 'CPU in thousandths of a core.';
COMMENT ON COLUMN placements.memory_bytes IS 'Memory in bytes.';
COMMENT ON COLUMN placements.other IS 'Other resources by name, including ephemeral-storage and GPUs, and devices by class as CLASS.deviceclass.resource.k8s.io/devices.';
COMMENT ON COLUMN placements.held_until IS 'Set after its pod failed: the placement is held for the replacement until then.';
COMMENT ON COLUMN placements.parts IS 'What the pod has inside of its node, as paths: socket0/numa1/core[0-7]; null: amounts alone.';
COMMENT ON COLUMN placements.devices IS 'The devices of the pod''s claims, as a JSON array of objects with claim, request, driver, pool and device; null: none.';
COMMENT ON COLUMN placements.own_devices IS 'How many of these no other pod can have, by driver, so that nodes are listed without a look at each device; null: some are shared, or the pod has none.';
COMMENT ON COLUMN placements.resource_set IS 'The same as R version 1 (Flux RFC 20), with the start and end of the placement.';

CREATE FUNCTION waiting_shape(of_group bigint, whole_shape bigint)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(
    (
      SELECT
        hashtextextended(
          string_agg(m.request_hash::text, ',' ORDER BY m.request_hash)
          || '/' || coalesce(max(m.duration_seconds)::text, ''), 0
        )
      FROM (
        SELECT
          jsonb_hash_extended(p.request, 0) AS request_hash,
          g.duration_seconds
        FROM pods AS p
        INNER JOIN pod_groups AS g ON g.id = p.group_id
        WHERE p.group_id = of_group AND p.state = 'waiting'
      ) AS m
    ),
    whole_shape
  )
$$;
COMMENT ON FUNCTION waiting_shape IS
'The shape of a group of which some pods must be placed again: that of a group of these pods alone, so that it shares no reason with whole groups. Without such pods: the given one.';

CREATE TABLE reservations (
  group_id bigint PRIMARY KEY REFERENCES pod_groups ON DELETE CASCADE,
  queue text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('reservation', 'drain')),
  starts_at timestamptz,
  nodes text [] NOT NULL,
  made_at timestamptz NOT NULL,
  places integer [] NOT NULL DEFAULT '{}',
  parts text [] NOT NULL DEFAULT '{}',
  devices text [] NOT NULL DEFAULT '{}',
  CONSTRAINT reservations_time
  CHECK ((kind = 'reservation') = (starts_at IS NOT NULL))
);
COMMENT ON TABLE reservations IS
'When and where a pending group will start, as planned now.';
COMMENT ON COLUMN reservations.group_id IS 'The group.';
COMMENT ON COLUMN reservations.queue IS 'Its scheduling queue.';
COMMENT ON COLUMN reservations.kind IS 'reservation: for a start time. drain: no start time is known, because running groups have no deadline; no other group may enter its nodes.';
COMMENT ON COLUMN reservations.starts_at IS 'The latest start, provided that running groups keep to their deadlines.';
COMMENT ON COLUMN reservations.nodes IS 'The nodes, each once, in order of name.';
COMMENT ON COLUMN reservations.made_at IS 'When it was planned.';
COMMENT ON COLUMN reservations.places IS 'For kind reservation: the node of each pod as an index into nodes, from 0, with the pods in the order of the plan.';
COMMENT ON COLUMN reservations.parts IS 'What each pod is to have inside of its node, as in placements.parts, in the same order; none: amounts alone.';
COMMENT ON COLUMN reservations.devices IS 'The devices of each pod, as in placements.devices, in the same order; none: no pod has any.';

CREATE TABLE estimates (
  group_id bigint PRIMARY KEY REFERENCES pod_groups ON DELETE CASCADE,
  starts_at timestamptz,
  approximate boolean NOT NULL,
  rests_on text NOT NULL,
  made_at timestamptz NOT NULL,
  first_starts_at timestamptz,
  first_made_at timestamptz,
  position integer CHECK (position >= 1),
  CONSTRAINT estimates_first
  CHECK ((first_starts_at IS NULL) = (first_made_at IS NULL)),
  CONSTRAINT estimates_approximate_time
  CHECK (NOT approximate OR starts_at IS NOT NULL)
) WITH (fillfactor = 50);
COMMENT ON TABLE estimates IS
'Estimated start times of groups, for people, updated seconds after a change. A group that has started keeps its last estimate.';
COMMENT ON COLUMN estimates.group_id IS 'The group.';
COMMENT ON COLUMN estimates.starts_at IS 'The estimated start; null: unknown.';
COMMENT ON COLUMN estimates.approximate IS 'false: running and waiting groups were simulated until then by the scheduler''s rules. true: extrapolated.';
COMMENT ON COLUMN estimates.rests_on IS 'What the estimate is based on, or why there is none, for people; empty: see the group''s reason.';
COMMENT ON COLUMN estimates.made_at IS 'When this estimate was made.';
COMMENT ON COLUMN estimates.first_starts_at IS 'The first estimated start; null: none yet.';
COMMENT ON COLUMN estimates.first_made_at IS 'When the first estimate was made.';
COMMENT ON COLUMN estimates.position IS 'Its position in the pending order of its queue at that time, among the first 1,000, if the queue_order is not arrival; null: see pending.position.';

CREATE TABLE wait_reasons (
  queue text NOT NULL,
  shape bigint NOT NULL,
  reason text NOT NULL,
  since timestamptz NOT NULL,
  kind text NOT NULL
  CHECK (kind IN ('room', 'order', 'depth', 'paused', 'no queue', 'quota')),
  spread boolean NOT NULL DEFAULT true,
  namespace text NOT NULL DEFAULT '',
  account text NOT NULL DEFAULT '',
  PRIMARY KEY (queue, shape, namespace, account)
);
CREATE INDEX wait_reasons_changed ON wait_reasons (queue, shape)
WHERE NOT spread;
COMMENT ON TABLE wait_reasons IS
'Why the groups of a shape wait: one row for all of them, written when the reason changes.';
COMMENT ON COLUMN wait_reasons.queue IS 'The scheduling queue.';
COMMENT ON COLUMN wait_reasons.shape IS 'As in pod_groups.shape.';
COMMENT ON COLUMN wait_reasons.namespace IS 'If there are accounts: the namespace of its groups; empty: all namespaces.';
COMMENT ON COLUMN wait_reasons.account IS 'With the namespace: the label fluxnetes.account of its groups.';
COMMENT ON COLUMN wait_reasons.reason IS 'The reason, for people.';
COMMENT ON COLUMN wait_reasons.since IS 'Since when the reason holds (scheduling time).';
COMMENT ON COLUMN wait_reasons.kind IS 'room: it was considered and does not fit. order: other groups are ahead of it (queue_policy fcfs). depth: it is beyond queue_depth. paused: its queue is paused. no queue: its queue does not exist. quota: its account''s quota is used up. Pods are informed when the kind changes, not when only numbers in the reason change.';
COMMENT ON COLUMN wait_reasons.spread IS 'Whether its groups are marked for informing their pods; false: the kind has changed and they are not marked yet.';

CREATE TABLE match_inbox (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  queue text NOT NULL,
  news text NOT NULL CHECK (
    news IN ('released', 'changed', 'queue', 'maintenance', 'accounts')
  ),
  group_id bigint,
  pod_uid text
);
COMMENT ON TABLE match_inbox IS
'Messages to the process that owns the match of a queue, which deletes the rows as it reads them.';
COMMENT ON COLUMN match_inbox.id IS 'In order of insertion.';
COMMENT ON COLUMN match_inbox.queue IS 'The scheduling queue concerned.';
COMMENT ON COLUMN match_inbox.news IS 'released: a pod''s placement was released (all placements if pod_uid is null). changed: the group must be read again. queue: the queue''s row in queues was edited. maintenance, accounts: that table was edited.';
COMMENT ON COLUMN match_inbox.group_id IS 'The group, or the Fluxion job.';
COMMENT ON COLUMN match_inbox.pod_uid IS 'The pod.';

CREATE TABLE growth_inbox (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  group_id bigint NOT NULL
);
CREATE INDEX growth_inbox_group ON growth_inbox (group_id);
COMMENT ON TABLE growth_inbox IS
'Elastic groups that may be able to grow: they have started, or pods of theirs have ended or arrived. The promoter deletes the rows as it checks the groups.';
COMMENT ON COLUMN growth_inbox.id IS 'In order of insertion.';
COMMENT ON COLUMN growth_inbox.group_id IS 'The group, as in pod_groups.id; may occur several times.';

CREATE FUNCTION tell_growth() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF tg_table_name = 'pods' THEN
    INSERT INTO growth_inbox (group_id)
    SELECT g.id FROM pod_groups AS g
    WHERE g.id = NEW.group_id AND g.max_size IS NOT NULL;
  ELSIF tg_op = 'DELETE' THEN
    IF OLD.extends IS NOT NULL THEN
      INSERT INTO growth_inbox (group_id)
      SELECT g.id FROM pod_groups AS g WHERE g.id = OLD.extends;
    ELSE
      DELETE FROM growth_inbox AS i WHERE i.group_id = OLD.id;
    END IF;
  ELSE
    INSERT INTO growth_inbox (group_id) VALUES (coalesce(NEW.extends, NEW.id));
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION tell_growth IS
'Notifies the promoter that an elastic group may be able to grow.';
CREATE TRIGGER tell_growth_new AFTER INSERT ON pod_groups
FOR EACH ROW WHEN (NEW.extends IS NOT NULL)
EXECUTE FUNCTION tell_growth();
-- A pod that extends the group is held again, or is being cancelled.
CREATE TRIGGER tell_growth_held AFTER UPDATE ON pod_groups
FOR EACH ROW WHEN (
  NEW.extends IS NOT NULL
  AND (
    (OLD.phase IS DISTINCT FROM 'held' AND NEW.phase = 'held')
    OR (OLD.cancel_reason IS NULL AND NEW.cancel_reason IS NOT NULL)
    OR OLD.extends IS DISTINCT FROM NEW.extends
  )
)
EXECUTE FUNCTION tell_growth();
CREATE TRIGGER tell_growth_started AFTER UPDATE ON pod_groups
FOR EACH ROW WHEN (
  NEW.max_size IS NOT NULL
  AND NEW.state IN ('allocated', 'bound')
  AND (
    OLD.state NOT IN ('allocated', 'bound')
    OR OLD.max_size IS DISTINCT FROM NEW.max_size
  )
)
EXECUTE FUNCTION tell_growth();
CREATE TRIGGER tell_growth_gone AFTER DELETE ON pod_groups
FOR EACH ROW WHEN (OLD.extends IS NOT NULL OR OLD.max_size IS NOT NULL)
EXECUTE FUNCTION tell_growth();
CREATE TRIGGER tell_growth_pod AFTER UPDATE OF state ON pods
FOR EACH ROW WHEN (
  OLD.state IN ('waiting', 'bound') AND NEW.state NOT IN ('waiting', 'bound')
)
EXECUTE FUNCTION tell_growth();

CREATE FUNCTION hold_or_release() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  why text := hold_reason(
    NEW.held_at, NEW.held_reason, NEW.hold_label, NEW.released_at
  );
  since timestamptz := coalesce(NEW.held_at, NEW.released_at, OLD.held_at);
BEGIN
  IF NEW.cancel_reason IS NOT NULL OR NEW.phase = 'recalled' THEN
    RETURN NEW;
  END IF;
  IF why IS NULL AND OLD.phase IS DISTINCT FROM 'held' THEN
    RETURN NEW;
  END IF;
  IF NEW.state NOT IN ('pending', 'unsatisfiable') OR EXISTS (
    SELECT FROM pods AS p WHERE p.group_id = NEW.id AND p.node_name IS NOT NULL
  ) THEN
    RAISE EXCEPTION 'group %/% cannot be held: it has its nodes',
      NEW.namespace, NEW.group_name
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  NEW.state := 'pending';
  NEW.phase := CASE WHEN why IS NULL THEN 'queued' ELSE 'held' END;
  NEW.reason := why;
  NEW.revision := OLD.revision + 1;
  NEW.news_due := least(
    NEW.news_due, next_news(since, NEW.told_at, NEW.group_size, false)
  );
  DELETE FROM reservations AS r WHERE r.group_id = NEW.id;
  INSERT INTO match_inbox (queue, news, group_id)
  VALUES (NEW.queue, 'changed', NEW.id);
  PERFORM pg_notify(TG_TABLE_SCHEMA || '.match', 'hold');
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION hold_or_release IS
'Makes an edit of held_at take effect at once: a placement being decided is refused, a reservation is dropped.';
CREATE TRIGGER hold_or_release
BEFORE UPDATE OF held_at, held_reason, hold_label, released_at ON pod_groups
FOR EACH ROW EXECUTE FUNCTION hold_or_release();

CREATE TABLE match_replicas (
  client_id bigint PRIMARY KEY REFERENCES clients ON DELETE CASCADE
);
COMMENT ON TABLE match_replicas IS
'The clients that can own the match of queues. Queues that share nodes form a component; components are spread evenly over the living clients. leaders has the current owners.';
COMMENT ON COLUMN match_replicas.client_id IS 'The client.';

CREATE TABLE component_nodes (
  node_name text PRIMARY KEY,
  queue text NOT NULL
);
COMMENT ON TABLE component_nodes IS
'The component of queues that has a node: only the owner of that component''s match may place pods there. When labels or node selectors change, the former owner gives up the node before another takes it.';
COMMENT ON COLUMN component_nodes.node_name IS 'The node.';
COMMENT ON COLUMN component_nodes.queue IS 'A queue of the component; its term in leaders covers the node.';

CREATE FUNCTION tell_queue_change() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND (TG_OP = 'DELETE' OR NEW.name <> OLD.name) THEN
    -- Fences the owner, which may not know of the change yet.
    UPDATE leaders SET term = term + 1, client_id = NULL
    WHERE name = 'match:' || OLD.name;
    DELETE FROM component_nodes WHERE queue = OLD.name;
    DELETE FROM match_inbox WHERE queue = OLD.name;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO match_inbox (news, queue) VALUES ('queue', NEW.name);
  END IF;
  PERFORM pg_notify(TG_TABLE_SCHEMA || '.match', 'queues');
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION tell_queue_change IS
'Makes an edit of queues take effect at once.';
CREATE TRIGGER tell_queue_change
AFTER INSERT OR UPDATE OR DELETE ON queues
FOR EACH ROW EXECUTE FUNCTION tell_queue_change();

CREATE TABLE maintenance (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  nodes text [] CHECK (cardinality(nodes) >= 1)
  CONSTRAINT maintenance_nodes_in_a_row
  CHECK (array_ndims(nodes) = 1 AND array_position(nodes, NULL) IS NULL),
  node_selector jsonb
  CHECK (jsonb_typeof(node_selector) = 'object')
  CONSTRAINT maintenance_node_selector_of_text
  CHECK (NOT jsonb_path_exists(node_selector, 'strict $.* ? (@.type() != "string")')),
  starts_at timestamptz NOT NULL,
  ends_at timestamptz,
  reason text,
  made_at timestamptz NOT NULL,
  CONSTRAINT maintenance_of_nodes CHECK (num_nonnulls(nodes, node_selector) = 1),
  CONSTRAINT maintenance_ends_after_start CHECK (ends_at > starts_at),
  CONSTRAINT maintenance_finite
  CHECK (isfinite(starts_at) AND isfinite(ends_at) AND isfinite(made_at))
);
COMMENT ON TABLE maintenance IS
'Node maintenance: a group starts on these nodes only if it ends before the maintenance begins, and none starts until it ends. Running groups are not evicted. Edit with SQL or `fluxnetes drain` and `undrain`; takes effect at once.';
COMMENT ON COLUMN maintenance.id IS 'Its id.';
COMMENT ON COLUMN maintenance.nodes IS 'The nodes, by name; null: see node_selector.';
COMMENT ON COLUMN maintenance.node_selector IS 'Labels that a node must have at present; {} is every node; null: see nodes.';
COMMENT ON COLUMN maintenance.starts_at IS 'When it begins (scheduling time): from then on no group may run there.';
COMMENT ON COLUMN maintenance.ends_at IS 'When it ends; null: when the row is deleted.';
COMMENT ON COLUMN maintenance.reason IS 'The reason, for people.';
COMMENT ON COLUMN maintenance.made_at IS 'When it was announced.';

CREATE FUNCTION tell_queues() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO match_inbox (news, queue)
  SELECT TG_TABLE_NAME, q.name FROM queues AS q;
  PERFORM pg_notify(TG_TABLE_SCHEMA || '.match', TG_TABLE_NAME);
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION tell_queues IS
'Makes an edit of a table that concerns all queues take effect at once.';
CREATE TRIGGER tell_maintenance
AFTER INSERT OR UPDATE OR DELETE ON maintenance
FOR EACH STATEMENT EXECUTE FUNCTION tell_queues();

CREATE TABLE accounts (
  name text PRIMARY KEY
  CHECK (name ~ '^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'),
  parent text CONSTRAINT accounts_parent_there REFERENCES accounts,
  label text CONSTRAINT accounts_label_of_pods
  CHECK (label ~ '^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'),
  namespace text,
  queue text,
  weight double precision NOT NULL DEFAULT 1
  CONSTRAINT accounts_weight_above_0 CHECK (weight > 0 AND weight <= 1e9),
  quota jsonb NOT NULL DEFAULT '{}'
  CONSTRAINT accounts_quota_of_quantities CHECK (
    jsonb_typeof(quota) = 'object'
    AND NOT jsonb_path_exists(
      quota,
      'strict $.* ? (!(@.type() == "string" && @ like_regex "^[0-9]{1,15}([.][0-9]{1,9})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$"))'
    )
  ),
  borrows boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX accounts_selector ON accounts (
  coalesce(label, ''), coalesce(namespace, ''), coalesce(queue, '')
) WHERE num_nonnulls(label, namespace, queue) > 0;
COMMENT ON TABLE accounts IS
'A tree of accounts to which the usage of groups is charged: weights for queues of queue_order fair_share, and quotas. Edit with SQL or `fluxnetes account`; takes effect at once. A group belongs to the account that selects it most specifically: by label, then namespace, then queue. Under an account that selects by neither label nor namespace each namespace counts as an account of its own.';
COMMENT ON COLUMN accounts.name IS 'Its name.';
COMMENT ON COLUMN accounts.parent IS 'The parent account; null: none.';
COMMENT ON COLUMN accounts.label IS 'Selects groups whose pods have this value of the label fluxnetes.account; null: any.';
COMMENT ON COLUMN accounts.namespace IS 'Selects groups of this namespace; null: any.';
COMMENT ON COLUMN accounts.queue IS 'Selects groups of this scheduling queue; null: any.';
COMMENT ON COLUMN accounts.weight IS 'Its share relative to accounts with the same parent.';
COMMENT ON COLUMN accounts.quota IS 'The amounts that its groups may hold at one time, by resource as in pods: {"cpu": "40", "nvidia.com/gpu": "8"}; a resource not named is unlimited. Counts over all queues.';
COMMENT ON COLUMN accounts.borrows IS 'Whether it may exceed its quota while the accounts above it have quota left.';

CREATE FUNCTION check_account() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  up text := NEW.parent;
BEGIN
  -- Two concurrent edits could form a cycle.
  PERFORM pg_advisory_xact_lock(hashtext('check_account'), hashtext(TG_TABLE_SCHEMA));
  WHILE up IS NOT NULL LOOP
    IF up = NEW.name THEN
      RAISE EXCEPTION 'account % cannot be below itself', NEW.name
        USING ERRCODE = 'check_violation', CONSTRAINT = 'accounts_not_below_itself';
    END IF;
    SELECT a.parent INTO up FROM accounts AS a WHERE a.name = up;
  END LOOP;
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION check_account IS
'Keeps the accounts a tree.';
CREATE TRIGGER check_account
BEFORE INSERT OR UPDATE ON accounts
FOR EACH ROW EXECUTE FUNCTION check_account();

CREATE TRIGGER tell_accounts
AFTER INSERT OR UPDATE OR DELETE ON accounts
FOR EACH STATEMENT EXECUTE FUNCTION tell_queues();

CREATE FUNCTION account_of(of_queue text, of_namespace text, of_label text)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT a.name FROM accounts AS a
  WHERE
    num_nonnulls(a.label, a.namespace, a.queue) > 0
    AND coalesce(a.label = of_label, true)
    AND coalesce(a.namespace = of_namespace, true)
    AND coalesce(a.queue = of_queue, true)
  ORDER BY a.label IS NULL, a.namespace IS NULL, a.queue IS NULL
  LIMIT 1
$$;
COMMENT ON FUNCTION account_of IS
'The account of a group with this queue, namespace and label; null: none.';

CREATE TABLE account_use (
  queue text NOT NULL,
  namespace text NOT NULL,
  account text NOT NULL,
  used double precision NOT NULL,
  as_of timestamptz NOT NULL,
  PRIMARY KEY (queue, namespace, account)
);
COMMENT ON TABLE account_use IS
'The past usage of their queue''s nodes by groups, for fair shares; written once a minute.';
COMMENT ON COLUMN account_use.queue IS 'The scheduling queue.';
COMMENT ON COLUMN account_use.namespace IS 'The namespace of the groups.';
COMMENT ON COLUMN account_use.account IS 'The label fluxnetes.account of the groups; empty: none.';
COMMENT ON COLUMN account_use.used IS 'Seconds of all nodes, by the resource of which the groups used the largest part; decayed by the half-life.';
COMMENT ON COLUMN account_use.as_of IS 'The time of this value (scheduling time).';

CREATE TABLE account_holds (
  queue text NOT NULL REFERENCES queues ON UPDATE CASCADE ON DELETE CASCADE,
  namespace text NOT NULL,
  account text NOT NULL,
  resource text NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (queue, namespace, account, resource)
);
COMMENT ON TABLE account_holds IS
'The amounts that groups hold, in sum, written if quotas count over queues with different owners. The owner of a queue''s match writes the queue''s rows together with its placements.';
COMMENT ON COLUMN account_holds.queue IS 'The scheduling queue.';
COMMENT ON COLUMN account_holds.namespace IS 'The namespace of the groups.';
COMMENT ON COLUMN account_holds.account IS 'The label fluxnetes.account of the groups; empty: none.';
COMMENT ON COLUMN account_holds.resource IS 'As in accounts.quota.';
COMMENT ON COLUMN account_holds.amount IS 'In thousandths (cpu), bytes (memory) or units.';

CREATE TABLE node_structures (
  id text PRIMARY KEY,
  structure text NOT NULL
);
COMMENT ON TABLE node_structures IS
'What nodes have inside. Nodes often have the same, so each structure is here once, as long as a node has it. The scheduler itself does not read it.';
COMMENT ON COLUMN node_structures.id IS 'The MD5 of the text.';
COMMENT ON COLUMN node_structures.structure IS 'In one of the forms of docs/structures.md.';

CREATE TABLE nodes (
  node_name text PRIMARY KEY,
  cpu_milli bigint NOT NULL,
  memory_bytes bigint NOT NULL,
  pods bigint NOT NULL,
  other jsonb NOT NULL DEFAULT '{}',
  unmanaged_cpu_milli bigint NOT NULL DEFAULT 0,
  unmanaged_memory_bytes bigint NOT NULL DEFAULT 0,
  unmanaged_pods bigint NOT NULL DEFAULT 0,
  unschedulable text,
  labels jsonb NOT NULL DEFAULT '{}',
  seen_at timestamptz NOT NULL,
  unmanaged_other jsonb NOT NULL DEFAULT '{}',
  occupants integer NOT NULL DEFAULT 0 CHECK (occupants >= 0),
  taints jsonb NOT NULL DEFAULT '[]',
  structure text REFERENCES node_structures,
  topology_policy text
  CHECK (topology_policy IN ('restricted', 'single-numa-node')),
  devices jsonb NOT NULL DEFAULT '{}',
  unmanaged_devices jsonb NOT NULL DEFAULT '[]'
);
COMMENT ON TABLE nodes IS
'The nodes as the scheduler sees them: a copy for people, written when a node changes. The scheduler itself does not read it.';
COMMENT ON COLUMN nodes.node_name IS 'Its name.';
COMMENT ON COLUMN nodes.cpu_milli IS 'Allocatable CPU in thousandths of a core.';
COMMENT ON COLUMN nodes.memory_bytes IS 'Allocatable memory in bytes.';
COMMENT ON COLUMN nodes.pods IS 'The number of pods that it takes.';
COMMENT ON COLUMN nodes.other IS 'Other allocatable resources by name.';
COMMENT ON COLUMN nodes.unmanaged_cpu_milli IS 'CPU used by pods of other schedulers.';
COMMENT ON COLUMN nodes.unmanaged_memory_bytes IS 'Memory used by pods of other schedulers.';
COMMENT ON COLUMN nodes.unmanaged_pods IS 'The number of pods of other schedulers.';
COMMENT ON COLUMN nodes.occupants IS 'The number of pods of other schedulers that keep groups from having the node for themselves: those that belong to no DaemonSet and are not static.';
COMMENT ON COLUMN nodes.unmanaged_other IS 'Other resources used by pods of other schedulers, by name.';
COMMENT ON COLUMN nodes.unschedulable IS 'Why it takes no new pods: cordoned, not ready, gone; null: it takes pods.';
COMMENT ON COLUMN nodes.labels IS 'Its labels.';
COMMENT ON COLUMN nodes.taints IS 'Its taints: key, value, effect.';
COMMENT ON COLUMN nodes.structure IS 'What it has inside: the id of a row of node_structures; null: not known.';
COMMENT ON COLUMN nodes.topology_policy IS 'What the topology manager of its kubelet refuses: pods in more NUMA domains than they need, or in more than one; null: none.';
COMMENT ON COLUMN nodes.devices IS 'The number of devices that drivers publish for this node alone (ResourceSlices with nodeName), by driver.';
COMMENT ON COLUMN nodes.unmanaged_devices IS 'The devices that pods of other schedulers have here by their claims, as a JSON array of objects with namespace, pod, uid, claim, request, class, driver, pool and device; also shared and admin, as in placements.devices.';
COMMENT ON COLUMN nodes.seen_at IS 'When the row was written.';

CREATE TABLE resync_differences (
  kind text PRIMARY KEY,
  found bigint NOT NULL CHECK (found >= 1),
  names text [] NOT NULL,
  last_found_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE resync_differences IS
'Differences that the full comparison of cluster, records and memory has found and repaired: empty in a healthy system.';
COMMENT ON COLUMN resync_differences.kind IS 'What differed: pod event, node event (the watch had missed a change), pod, group, job, place (a record was wrong), graph node, graph places (the resource graph in memory was wrong).';
COMMENT ON COLUMN resync_differences.found IS 'The number found so far.';
COMMENT ON COLUMN resync_differences.names IS 'The first few names of the latest comparison that found any.';
COMMENT ON COLUMN resync_differences.last_found_at IS 'When one was last found, by the database''s clock.';

CREATE TABLE group_history (
  group_id bigint NOT NULL,
  namespace text NOT NULL,
  group_name text NOT NULL,
  group_size integer NOT NULL,
  queue text NOT NULL,
  priority integer NOT NULL,
  result text NOT NULL
  CHECK (result IN ('succeeded', 'failed', 'timed out', 'preempted', 'cancelled')),
  reason text,
  nodes text [] NOT NULL DEFAULT '{}',
  pods jsonb NOT NULL DEFAULT '[]',
  submitted_at timestamptz NOT NULL,
  promoted_at timestamptz,
  allocated_at timestamptz,
  bound_at timestamptz,
  ended_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT now(),
  first_estimate timestamptz,
  first_estimated_at timestamptz,
  last_estimate timestamptz,
  last_estimated_at timestamptz,
  traceparent text,
  makers text [],
  account text NOT NULL DEFAULT '',
  user_name text
) PARTITION BY RANGE (recorded_at);
CREATE INDEX group_history_name ON group_history (namespace, group_name);
CREATE INDEX group_history_time ON group_history (recorded_at, group_id);
COMMENT ON TABLE group_history IS
'Finished groups, in daily partitions that retention drops.';
COMMENT ON COLUMN group_history.group_id IS 'As in pod_groups.id.';
COMMENT ON COLUMN group_history.namespace IS 'Kubernetes namespace.';
COMMENT ON COLUMN group_history.group_name IS 'Its name.';
COMMENT ON COLUMN group_history.group_size IS 'The number of its pods.';
COMMENT ON COLUMN group_history.queue IS 'Its scheduling queue.';
COMMENT ON COLUMN group_history.priority IS 'Its priority.';
COMMENT ON COLUMN group_history.result IS 'succeeded (every pod), failed (at least one pod), timed out, preempted (evicted for another group), cancelled.';
COMMENT ON COLUMN group_history.reason IS 'Details, for people.';
COMMENT ON COLUMN group_history.nodes IS 'The nodes where it ran, each once.';
COMMENT ON COLUMN group_history.pods IS 'Its pods: name, node, state, bound_at, ended_at, inside (as in pods.parts), devices (as in pods.devices), and, if it was bound, the resources that it asked for. Of a group that a caller started: its tasks, with what they held.';
COMMENT ON COLUMN group_history.submitted_at IS 'When its first pod was created.';
COMMENT ON COLUMN group_history.promoted_at IS 'When it was complete; null: never.';
COMMENT ON COLUMN group_history.allocated_at IS 'When it got its allocation.';
COMMENT ON COLUMN group_history.bound_at IS 'When its last pod was bound.';
COMMENT ON COLUMN group_history.ended_at IS 'When it ended (scheduling time).';
COMMENT ON COLUMN group_history.recorded_at IS 'When this row was written, by the database''s clock.';
COMMENT ON COLUMN group_history.first_estimate IS 'The first estimated start (see estimates); null: never estimated.';
COMMENT ON COLUMN group_history.first_estimated_at IS 'When the first estimate was made.';
COMMENT ON COLUMN group_history.last_estimate IS 'The last estimated start; null: unknown at the end, or never estimated.';
COMMENT ON COLUMN group_history.last_estimated_at IS 'When the last estimate was made.';
COMMENT ON COLUMN group_history.traceparent IS 'As in pod_groups, or groups_provisional.';
COMMENT ON COLUMN group_history.makers IS 'The controllers of its pods, each as KIND/NAME/UID; null: it was never complete, a pod had none, or it is a group of one.';
COMMENT ON COLUMN group_history.account IS 'As in pod_groups.account.';
COMMENT ON COLUMN group_history.user_name IS 'As in pod_groups.user_name.';
SELECT make_partitions('group_history', 7);
