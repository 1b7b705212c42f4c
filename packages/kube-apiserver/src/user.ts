/** Who asks, as authentication found out. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  /** With system:authenticated (or system:unauthenticated) in it. */
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const MASTERS = 'system:masters';
