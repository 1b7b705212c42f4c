interface GroupVersion {
  /** Empty for the core. */
  readonly group: string;
  readonly version: string;
}

/** `apps/v1`; `v1` of the core. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** {@link apiVersionOf} the other way round. */
export function readApiVersion(apiVersion: string): GroupVersion {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version };
}
