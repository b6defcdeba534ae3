// The messages of fluxnetes.v1 as protobuf writes them in JSON: names in camel
// case, 64-bit numbers as strings, times as RFC 3339, and nothing that is empty.

export interface Group {
  id?: string;
  namespace: string;
  name: string;
  size?: number;
  queue?: string;
  state?: string;
  phase?: string;
  result?: string;
  reason?: string;
  priority?: number;
  position?: string;
  estimatedStart?: string;
  estimate?: string;
  restsOn?: string;
  startAfter?: string;
  startBy?: string;
  reservedNodes?: string[];
  nodes?: string[];
  pods?: { waiting?: number; bound?: number; succeeded?: number; failed?: number };
  durationSeconds?: string;
  deadline?: string;
  submittedAt?: string;
  allocatedAt?: string;
  boundAt?: string;
  endedAt?: string;
  shownState?: string;
}

export interface ListGroupsResponse {
  groups?: Group[];
  nextPageToken?: string;
}

export interface Member {
  name?: string;
  state?: string;
  node?: string;
  needs?: string;
  owner?: string;
  note?: string;
}

export interface GetGroupResponse {
  group: Group;
  members?: Member[];
  earlier?: { id?: string; state?: string; endedAt?: string }[];
}

export interface NodesForPods {
  needs?: string;
  pods?: number;
  verdicts?: { kind?: string; why?: string; count?: number; nodes?: string[] }[];
}

export interface ExplainGroupResponse {
  group: Group;
  summary?: string;
  before?: string;
  firstBefore?: { name: string; size?: number; position?: string; estimatedStart?: string }[];
  holders?: string;
  endlessHolders?: string;
  firstToEnd?: { name: string; endsAt?: string }[];
  nodes?: NodesForPods[];
  changes?: { kind?: string; change?: string; startsAt?: string }[];
  changesUnknown?: string;
  changesComplete?: boolean;
}

export interface TimelineGroup {
  id?: string;
  namespace: string;
  name: string;
  queue?: string;
  size?: number;
  kind?: string;
  startsAt?: string;
  endsAt?: string;
  nodes?: { name: string; cpuMilli?: string }[];
}

export interface GetTimelineResponse {
  now: string;
  groups?: TimelineGroup[];
  maintenance?: { node: string; startsAt: string; endsAt?: string; reason?: string }[];
  nextPageToken?: string;
}

export interface Amount {
  allocatable?: string;
  foreign?: string;
  granted?: string;
}

export interface Node {
  name: string;
  unschedulable?: string;
  maintenanceFrom?: string;
  maintenanceUntil?: string;
  maintenanceReason?: string;
  cpuMilli?: Amount;
  memoryBytes?: Amount;
  pods?: Amount;
  other?: Record<string, Amount>;
  labels?: Record<string, string>;
}

export interface ListNodesResponse {
  nodes?: Node[];
  nextPageToken?: string;
}

export interface Queue {
  name: string;
  paused?: boolean;
  settings?: Record<string, string>;
  provisional?: string;
  pending?: string;
  unsatisfiable?: string;
  allocated?: string;
  bound?: string;
  oldestPending?: string;
}

export interface ListQueuesResponse {
  queues?: Queue[];
}

export interface Caller {
  name: string;
  role?: string;
  namespaces?: string[];
  serverVersion?: string;
}

export interface GroupChanges {
  reset?: boolean;
  groups?: Group[];
  gone?: string[];
  current?: boolean;
}
