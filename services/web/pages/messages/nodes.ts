// All nodes in columns, one node in full, and maintenance.
import type { Node } from "./cluster";

export interface GetNodeMapResponse {
  nodes?: string[];
  zonePlaces?: number[];
  rackPlaces?: number[];
  closures?: number[]; // 1: maintenance, 2: another reason
  zones?: string[];
  racks?: string[];
  resources?: { name: string; used?: number[] }[]; // thousandths; -1: none
}

export interface NodeGroup {
  id?: string;
  namespace: string;
  name: string;
  queue?: string;
  size?: number;
  kind?: string;
  startsAt?: string;
  endsAt?: string;
  podsHere?: number;
  cpuMilli?: string;
  memoryBytes?: string;
  inside?: string[];
  devices?: string[]; // driver/pool/device
}

export interface Maintenance {
  id?: string;
  nodes?: string[];
  labels?: Record<string, string>;
  startsAt: string;
  endsAt?: string;
  reason?: string;
  madeAt?: string;
  knownNodes?: string;
  groupsInTheWay?: string;
}

export interface GetNodeResponse {
  node: Node;
  groups?: NodeGroup[];
  maintenance?: Maintenance[];
  structure?: string;
  unmanagedDevices?: { device: string; namespace: string; pod: string }[];
}

export interface ListMaintenanceResponse {
  maintenance?: Maintenance[];
}

export interface DrainNodesResponse {
  maintenance: Maintenance;
  groups?: string[];
  groupCount?: string;
}
