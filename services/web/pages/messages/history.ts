// Groups that have ended, and how far estimates were off.
import type { Group } from "./group";

export interface ListHistoryResponse {
  groups?: Group[];
  nextPageToken?: string;
}

export interface Quantiles {
  p50?: number;
  p95?: number;
  max?: number;
}

export interface HistorySpan {
  beginsAt: string;
  groups?: string;
  failed?: string;
  waited?: Quantiles;
  estimatesOff?: Quantiles;
}

export interface SummarizeHistoryResponse {
  results?: { result?: string; groups?: string; pods?: string }[];
  waited?: Quantiles;
  ran?: Quantiles;
  spanSeconds?: string;
  spans?: HistorySpan[];
}

export interface ListEstimateErrorsResponse {
  errors?: {
    queue?: string;
    estimate?: string;
    horizonSeconds?: string;
    groups?: string;
    mean?: number;
    p50?: number;
    p95?: number;
    bias?: number;
  }[];
}
