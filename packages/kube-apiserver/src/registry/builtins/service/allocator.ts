import type { KubeObject } from '@multicluster-engine/values/object';
import { addressText, contains, parseAddress, parseRange } from '../validation/ipaddress.js';
import { listAt, numberAt, structAt, textsAt } from '@multicluster-engine/values/fields';

/** Allocates cluster IPs and node ports. What is allocated is derived from the existing Services. */
export interface ServiceAllocator {
  /** A free address; undefined where the range is full. */
  nextAddress(): string | undefined;
  /** Why an address cannot be allocated; undefined where it can. */
  addressProblem(address: string): string | undefined;
  /** The node ports and health check node ports of all Services. */
  takenPorts(): ReadonlySet<number>;
  /** A port that is not in `taken`; undefined where the range is full. */
  nextPort(taken: ReadonlySet<number>): number | undefined;
  /** Why a port cannot be allocated; undefined where it can. */
  portProblem(port: number, taken: ReadonlySet<number>): string | undefined;
}

const FIRST_PORT = 30000;
const LAST_PORT = 32767;
/** The lowest addresses are allocated last, so that they stay free for requests of a specific address. */
const RESERVED = 16;
const ALREADY_ALLOCATED = 'provided IP is already allocated';

/**
 * @param services all stored Services. Allocation proceeds round robin, so that two Services which are created before
 * the first is stored get different values.
 * @param range an IPv4 CIDR. Its first address belongs to the Service `kubernetes`.
 */
export function createServiceAllocator(services: () => readonly KubeObject[], range = '10.0.0.0/24'): ServiceAllocator {
  const parsed = parseRange(range);
  if (parsed === undefined || parsed.address.bits !== 32)
    throw new Error(`service range ${JSON.stringify(range)} is no range of IPv4 addresses`);
  const { first, prefix } = parsed;
  const size = 2 ** (32 - prefix);
  const textAt = (offset: number): string => addressText({ bits: 32, value: first + BigInt(offset) });
  const begin = size > 2 * RESERVED ? RESERVED : 2;
  const nextHigh = createRoundRobin(begin, size - 2);
  const nextLow = createRoundRobin(2, begin - 1);
  const freePort = createRoundRobin(FIRST_PORT, LAST_PORT);
  return {
    nextAddress() {
      const allocated = addressesOf(services());
      const isFree = (offset: number): boolean => !allocated.has(textAt(offset));
      const offset = nextHigh(isFree) ?? nextLow(isFree);
      return offset === undefined ? undefined : textAt(offset);
    },
    addressProblem(address) {
      const given = parseAddress(address);
      const outside =
        given === undefined ||
        !contains(parsed, given) ||
        given.value === first ||
        given.value === first + BigInt(size) - 1n;
      if (outside) return 'the provided network does not match the current range';
      return given.value === first + 1n || addressesOf(services()).has(addressText(given))
        ? ALREADY_ALLOCATED
        : undefined;
    },
    takenPorts: () => portsOf(services()),
    nextPort: (taken) => freePort((port) => !taken.has(port)),
    /** Why a port cannot be allocated; undefined where it can. */
    portProblem(wanted, taken) {
      if (wanted < FIRST_PORT || wanted > LAST_PORT)
        return `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`;
      return taken.has(wanted) ? 'provided port is already allocated' : undefined;
    },
  };
}

/**
 * Returns a function that finds a free number from `first` to `last`, both included. Each search starts after the number
 * that was examined last. The result is undefined where no number is free.
 */
function createRoundRobin(first: number, last: number): (isFree: (one: number) => boolean) => number | undefined {
  let current = first - 1;
  return (isFree) => {
    for (let tried = first; tried <= last; tried += 1) {
      current = current >= last ? first : current + 1;
      if (isFree(current)) return current;
    }
    return undefined;
  };
}

function addressesOf(services: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(services.flatMap((service) => textsAt(structAt(service, 'spec'), 'clusterIPs')));
}

function portsOf(services: readonly KubeObject[]): ReadonlySet<number> {
  return new Set(
    services.flatMap((service) => {
      const spec = structAt(service, 'spec');
      return [
        numberAt(spec, 'healthCheckNodePort'),
        ...listAt(spec, 'ports').map((port) => numberAt(port, 'nodePort')),
      ];
    }),
  );
}
