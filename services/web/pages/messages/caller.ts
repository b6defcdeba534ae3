// Who looks.

export interface Caller {
  name: string;
  role?: string;
  namespaces?: string[];
  serverVersion?: string;
}
