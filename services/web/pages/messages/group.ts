// The messages of fluxnetes.v1 as protobuf writes them in JSON: names in camel
// case, 64-bit numbers as strings, times as RFC 3339, and nothing that is empty.
//
// Here: groups, one group, and their changes.

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
  reservation?: string;
  reservedNodes?: string[];
  nodes?: string[];
  pods?: { waiting?: number; bound?: number; succeeded?: number; failed?: number };
  durationSeconds?: string;
  deadline?: string;
  submittedAt?: string;
  promotedAt?: string;
  allocatedAt?: string;
  boundAt?: string;
  endedAt?: string;
  shownState?: string;
  account?: string;
  priorityIsSet?: boolean;
  matchJob?: string;
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
  inside?: string;
  devices?: { claim: string; request: string; driver: string; pool: string; device: string }[];
}

export interface GetGroupResponse {
  group: Group;
  members?: Member[];
  earlier?: { id?: string; state?: string; endedAt?: string }[];
  told?: { at: string; kind?: string };
}

export interface GroupChanges {
  reset?: boolean;
  groups?: Group[];
  gone?: string[];
  current?: boolean;
  others?: string;
}

export interface CountGroupsResponse {
  counts?: { state?: string; shownState?: string; groups?: string }[];
  asOf?: string;
}

export interface ChangeGroupsResponse {
  groups?: { id: string; done?: boolean; why?: string }[];
}
