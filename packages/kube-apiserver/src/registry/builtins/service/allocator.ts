import type { KubeObject } from '../../../object.js';
import { addressText, contains, parseAddress, parseRange } from '../validation/ipaddress.js';
import { listAt, numberAt, structAt, textsAt } from '../../../fields.js';

/** Gives Services their addresses and the ports of nodes. Decides from the Services that there are. */
export interface ServiceAllocator {
  /** An address that nobody has; undefined when there is none left. */
  nextAddress(): string | undefined;
  /** Why an address cannot be taken; undefined when it can. */
  addressProblem(address: string): string | undefined;
  /** The ports that Services have. */
  takenPorts(): ReadonlySet<number>;
  /** @param taken ports that somebody has. */
  nextPort(taken: ReadonlySet<number>): number | undefined;
  portProblem(port: number, taken: ReadonlySet<number>): string | undefined;
}

const FIRST_PORT = 30000;
const LAST_PORT = 32767;
/** Low addresses are left to those who ask for one, as long as there are others. */
const RESERVED = 16;
const ALREADY_ALLOCATED = 'provided IP is already allocated';

/**
 * @param services all Services that are stored. What is given out is remembered by going round: two Services that are
 * made before the first one is stored do not get the same.
 * @param range of addresses, IPv4; its first one belongs to the API itself.
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
      const used = addressesOf(services());
      const isFree = (offset: number): boolean => !used.has(textAt(offset));
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
    portProblem(wanted, taken) {
      if (wanted < FIRST_PORT || wanted > LAST_PORT)
        return `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`;
      return taken.has(wanted) ? 'provided port is already allocated' : undefined;
    },
  };
}

/**
 * Goes round the numbers from `first` to `last`, both included, each time from the one after the number that it gave
 * or looked at last. Gives undefined when none of them is free.
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
