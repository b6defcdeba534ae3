// Who has changed what.

export interface AuditRow {
  id: string;
  at?: string;
  caller?: string;
  role?: string;
  via?: string;
  verb?: string;
  object?: string;
  detail?: string;
  outcome?: string;
}

export interface ListAuditResponse {
  rows?: AuditRow[];
  nextPageToken?: string;
}
