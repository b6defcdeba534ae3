// What runs where and when, in columns (GetTimelineChart).

export interface TimelineColumns {
  ids?: string[];
  names?: string[];
  namespacePlaces?: number[];
  queuePlaces?: number[];
  sizes?: number[];
  kinds?: number[];
  starts?: number[]; // seconds from now; kNoTime: none
  ends?: number[];
  nodeCounts?: number[];
  nodePlaces?: number[];
  namespaces?: string[];
  queues?: string[];
}

export interface TimelineMaintenance {
  node: string;
  startsAt: string;
  endsAt?: string;
  reason?: string;
}

// Of GetTimeline.
export interface GetTimelineResponse {
  groups?: { nodes?: { devices?: string[] }[] }[]; // driver/pool/device
}

export interface GetTimelineChartResponse {
  now: string;
  nodes?: string[];
  nodeLevels?: number[]; // places in levelValues; -1: none
  levelValues?: string[];
  groups?: TimelineColumns;
  maintenance?: TimelineMaintenance[];
  cut?: boolean;
}
