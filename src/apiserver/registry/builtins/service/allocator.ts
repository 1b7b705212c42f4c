import type { KubeObject } from '../../../object.js';
import { addressText, contains, parseAddress, parseRange } from '../address.js';
import { listAt, numberAt, structAt, textsAt } from '../fields.js';

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
const RESERVED = 16n;
const TAKEN = 'provided IP is already allocated';

/**
 * @param services all Services that are stored. What is given out is remembered by going round: two Services that are
 * made before the first one is stored do not get the same.
 * @param range of addresses, IPv4; its first one belongs to the API itself.
 */
export function createServiceAllocator(services: () => readonly KubeObject[], range = '10.0.0.0/24'): ServiceAllocator {
  const parsed = parseRange(range);
  if (parsed === undefined || parsed.address.bits !== 32) throw new Error(`service range ${JSON.stringify(range)} is no range of IPv4 addresses`);
  const { first, prefix } = parsed;
  const size = 1n << BigInt(32 - prefix);
  const textAt = (offset: bigint): string => addressText({ bits: 32, value: first + offset });
  const begin = size > 2n * RESERVED ? RESERVED : 2n;
  let offset = begin - 1n;
  let low = 1n;
  let port = FIRST_PORT - 1;
  return {
    nextAddress() {
      const used = addressesOf(services());
      for (let tried = begin; tried < size - 1n; tried += 1n) {
        offset = offset + 1n >= size - 1n ? begin : offset + 1n;
        if (!used.has(textAt(offset))) return textAt(offset);
      }
      for (let tried = 2n; tried < begin; tried += 1n) {
        low = low + 1n >= begin ? 2n : low + 1n;
        if (!used.has(textAt(low))) return textAt(low);
      }
      return undefined;
    },
    addressProblem(address) {
      const given = parseAddress(address);
      const outside = given === undefined || !contains(parsed, given) || given.value === first || given.value === first + size - 1n;
      if (outside) return 'the provided network does not match the current range';
      return given.value === first + 1n || addressesOf(services()).has(addressText(given)) ? TAKEN : undefined;
    },
    takenPorts: () => portsOf(services()),
    nextPort(taken) {
      for (let tried = FIRST_PORT; tried <= LAST_PORT; tried += 1) {
        port = port >= LAST_PORT ? FIRST_PORT : port + 1;
        if (!taken.has(port)) return port;
      }
      return undefined;
    },
    portProblem(wanted, taken) {
      if (wanted < FIRST_PORT || wanted > LAST_PORT) return `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`;
      return taken.has(wanted) ? 'provided port is already allocated' : undefined;
    },
  };
}

function addressesOf(services: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(services.flatMap((service) => textsAt(structAt(service, 'spec'), 'clusterIPs')));
}

function portsOf(services: readonly KubeObject[]): ReadonlySet<number> {
  return new Set(services.flatMap((service) => {
    const spec = structAt(service, 'spec');
    return [numberAt(spec, 'healthCheckNodePort'), ...listAt(spec, 'ports').map((port) => numberAt(port, 'nodePort'))];
  }));
}
