/** What the gateway counts. Labels hold words of the gateway's own tables, never a client's. Times in seconds. */
export interface GatewayMetrics {
  /** A request was answered. `route` is a template of the table or `none`; `method` one of the table or `other`. */
  answered(route: string, method: string, code: number, seconds: number): void;
  /** A call to the API server has ended: `code` of the answer, or `<error>` where there was none. */
  upstream(method: string, code: string, seconds: number): void;
  /** A client left before it was answered. */
  abandoned(route: string): void;
  /** A connection could not be served: `tls`, `protocol`, `timeout` or `capacity`. */
  dropped(cause: string): void;
  /** A file was read anew: `certificate` or `upstream-ca`; whether it could be used. */
  reloaded(file: string, usable: boolean): void;
  /** When the certificate ends, in seconds since the epoch. */
  certificateExpiry(seconds: number): void;
  /** Says how to ask for the open connections. */
  connections(read: () => number): void;
}
