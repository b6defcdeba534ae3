// What runs where and when.

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
