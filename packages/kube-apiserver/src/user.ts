/** The authenticated identity of a requester. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  /** Includes system:authenticated or system:unauthenticated. */
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const MASTERS = 'system:masters';
