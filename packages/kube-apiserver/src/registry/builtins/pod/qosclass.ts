import { own, type JsonObject } from '@multicluster-engine/values/json';
import { listAt, structAt } from '@multicluster-engine/values/fields';
import { parseQuantity } from '@multicluster-engine/values/schema/struct/quantity';

const COMPUTE = ['cpu', 'memory'];

/**
 * The quality of service class of a Pod: BestEffort without requests and limits of cpu and memory; Guaranteed where
 * every container has limits of both, and its requests equal them; Burstable otherwise.
 */
export function qosClass(pod: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const spec = structAt(pod, 'spec');
  const containers = [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')].map(amounts);
  if (containers.every(({ limits, requests }) => limits.size === 0 && requests.size === 0)) return 'BestEffort';
  const isGuaranteed = containers.every(({ limits, requests }) =>
    COMPUTE.every((name) => {
      const limit = limits.get(name);
      return limit !== undefined && (requests.get(name) ?? limit) === limit;
    }),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

interface Amounts {
  readonly limits: ReadonlyMap<string, bigint>;
  readonly requests: ReadonlyMap<string, bigint>;
}

function amounts(container: JsonObject): Amounts {
  const resources = structAt(container, 'resources');
  return { limits: positive(structAt(resources, 'limits')), requests: positive(structAt(resources, 'requests')) };
}

/** The amounts of cpu and memory that are not zero, in nano units. */
function positive(list: JsonObject): ReadonlyMap<string, bigint> {
  const found = new Map<string, bigint>();
  for (const name of COMPUTE) {
    const value = own(list, name);
    const quantity = typeof value === 'string' ? parseQuantity(value) : undefined;
    if (quantity !== undefined && quantity.nanos > 0n) found.set(name, quantity.nanos);
  }
  return found;
}
