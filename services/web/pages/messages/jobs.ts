// Jobs of the work queue.

export interface Job {
  id: string;
  kind?: string;
  queue?: string;
  state?: string;
  attempt?: number;
  maxAttempts?: number;
  client?: string;
  createdAt?: string;
  scheduledAt?: string;
  attemptedAt?: string;
  endedAt?: string;
  cancelRequestedAt?: string;
  args?: string;
  errors?: { attempt?: number; at?: string; message?: string }[];
}

export interface ListJobsResponse {
  jobs?: Job[];
  nextPageToken?: string;
}

export interface CountJobsResponse {
  counts?: { kind?: string; state?: string; jobs?: string; oldestAvailableAt?: string }[];
  countedAt?: string;
}

export interface ChangeJobsResponse {
  jobs?: { id: string; outcome?: string }[];
}
