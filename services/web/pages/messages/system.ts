// The overview, and the scheduler itself.

export interface GroupTime {
  id?: string;
  namespace: string;
  name: string;
  queue?: string;
  size?: number;
  at: string;
  note?: string;
}

export interface Overview {
  countedAt: string;
  provisional?: string;
  pending?: string;
  unsatisfiable?: string;
  allocated?: string;
  bound?: string;
  succeeded?: string;
  failed?: string;
  nodes?: string;
  closedNodes?: string;
  pausedQueues?: string[];
  failingJobs?: string;
  oldest?: GroupTime[];
  nextStarts?: GroupTime[];
}

export interface Check {
  name: string;
  status?: string;
  what?: string;
  mend?: string;
}

export interface System {
  serverVersion?: string;
  now: string;
  database?: {
    version?: string;
    schema?: string;
    migration?: number;
    sizeBytes?: string;
    connections?: number;
    maxConnections?: number;
  };
  replicas?: { id: string; name: string; startedAt: string; heartbeatAt: string; alive?: boolean; leases?: string }[];
  leaderships?: { name: string; term?: string; replica?: string; acquiredAt: string }[];
  health?: Check[];
  checkup?: Check[];
  loops?: Loop[];
}

export interface Loop {
  replica: string;
  name: string;
  number?: number;
  lastRunAt?: string;
  tookSeconds?: number;
  lagSeconds?: number;
  runs?: string;
  failures?: string;
  runningSeconds?: number;
  failingSeconds?: number;
  reportedAt: string;
}
