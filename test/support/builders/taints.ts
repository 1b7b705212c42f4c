import fc from 'fast-check';
import { TAINTS } from '../../../src/api/names.js';
import { TAINT_EFFECTS, type Taint } from '../../../src/domain/placement/spec/taint.js';

/** Taints and tolerations, and arbitrary ones of a few keys. */

/** A taint with effect NoSelect that was added at the epoch. */
export function taint(key: string, over: Partial<Taint> = {}): Taint {
  return { key, value: '', effect: 'NoSelect', since: 0, ...over };
}

/** An item of `spec.taints` of a ManagedCluster. */
export function rawTaint({ key, value, effect, since }: Taint): object {
  const timeAdded = since === undefined ? {} : { timeAdded: new Date(since).toISOString() };
  return { key, effect, ...(value === '' ? {} : { value }), ...timeAdded };
}

const KEYS = ['maintenance', TAINTS.unreachable, TAINTS.unavailable];
const VALUES = ['', 'disks'];
/** Before and after the 300 seconds for which the taints of the hub are tolerated have passed at the epoch. */
const TIMES = [-400_000, -100_000, undefined];

const someTaint: fc.Arbitrary<Taint> = fc.record({
  key: fc.constantFrom(...KEYS),
  value: fc.constantFrom(...VALUES),
  effect: fc.constantFrom(...TAINT_EFFECTS),
  since: fc.constantFrom(...TIMES),
});

/** Often none; at most two of different keys. The epoch is now. */
export const someTaints: fc.Arbitrary<readonly Taint[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.uniqueArray(someTaint, { maxLength: 2, selector: ({ key }) => key }) },
);

/** `spec.tolerations` of a Placement. */
export const someTolerations: fc.Arbitrary<readonly object[]> = fc.array(
  fc.oneof(
    fc.record(
      {
        key: fc.constantFrom(...KEYS),
        operator: fc.constant('Exists'),
        effect: fc.constantFrom(...TAINT_EFFECTS, ''),
        tolerationSeconds: fc.constantFrom(0, 200, 500),
      },
      { requiredKeys: ['key', 'operator'] },
    ),
    fc.record({ key: fc.constantFrom(...KEYS), value: fc.constantFrom(...VALUES) }),
    fc.record(
      { operator: fc.constant('Exists'), tolerationSeconds: fc.constantFrom(0, 500) },
      { requiredKeys: ['operator'] },
    ),
  ),
  { maxLength: 2 },
);
