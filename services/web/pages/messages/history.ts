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

export interface SummarizeHistoryResponse {
  results?: { result?: string; groups?: string; pods?: string }[];
  waited?: Quantiles;
  ran?: Quantiles;
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
