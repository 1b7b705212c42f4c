interface KubeVersion {
  /** 2 for a stable version, 1 for beta, 0 for alpha. */
  readonly stage: number;
  readonly major: number;
  readonly minor: number;
}

/**
 * Orders API versions by priority, the highest first, as `version.CompareKubeAwareVersionStrings` of apimachinery:
 * v2, v1, v1beta2, v1alpha1. Other names follow in alphabetical order.
 */
export function compareKubeVersions(a: string, b: string): number {
  const [first, second] = [parseVersion(a), parseVersion(b)];
  if (first !== undefined && second !== undefined)
    return second.stage - first.stage || second.major - first.major || second.minor - first.minor;
  if (first !== undefined || second !== undefined) return first === undefined ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function parseVersion(text: string): KubeVersion | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const stage = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return { stage, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
