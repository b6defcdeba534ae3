// Accounts, and changes of settings.

export interface Account {
  name: string;
  parent?: string;
  depth?: number;
  settings?: Record<string, string>;
  quota?: Record<string, string>;
  borrows?: boolean;
  weight?: number;
  holds?: { cpuMilli?: string; memoryBytes?: string; pods?: string; other?: Record<string, string> };
  pending?: string;
}

export interface ListAccountsResponse {
  accounts?: Account[];
}

export interface SettingChange {
  name: string;
  before?: string;
  after?: string;
}

export interface ChangesResponse {
  changes?: SettingChange[];
}
