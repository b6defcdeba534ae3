// Nodes and queues.

export interface Amount {
  allocatable?: string;
  unmanaged?: string;
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
  devices?: Record<string, Amount>; // by driver
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
