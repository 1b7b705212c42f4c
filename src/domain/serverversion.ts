import { OLDEST_KUBERNETES } from '../api/names.js';

/** Why an API server of this version (`v1.36.3`, `v1.31.2+k3s1`) is not supported; undefined when it is. */
export function serverProblem(version: string): string | undefined {
  const [oldest, minor] = [OLDEST_KUBERNETES, version].map((text) => {
    const [, first = '0', second = '0'] = /^v?(\d+)\.(\d+)/.exec(text) ?? [];
    return Number(first) * 1000 + Number(second);
  });
  return (minor ?? 0) >= (oldest ?? 0) ? undefined : `Kubernetes ${version} is older than ${OLDEST_KUBERNETES}`;
}
