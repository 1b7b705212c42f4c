interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Reverses {@link apiVersionOf}. */
export function readApiVersion(apiVersion: string): GroupVersion {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version };
}
