// Why a group waits, and what would help.
import type { Group } from "./group";

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
