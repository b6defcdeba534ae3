// The course of groups in a simulation, and what was submitted.

export interface SimulatedGroup {
  name: string; // "a/train"
  startsAt?: string; // none: it does not start
  endsAt?: string;
  nodes?: string[];
}

export interface SimulateResponse {
  summaryJson?: string;
  groups?: SimulatedGroup[];
  notes?: string[];
  unchanged?: SimulatedGroup[];
  beginsAt?: string;
}

export interface SubmittedObject {
  place?: string;
  name?: string;
  namespace?: string;
  created?: boolean;
  error?: string;
  warning?: string;
}

export interface SubmitResponse {
  objects?: SubmittedObject[];
}
