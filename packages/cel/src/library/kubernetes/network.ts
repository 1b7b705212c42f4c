import { Library } from '../../language/signature.js';
import { goQuote } from '@multicluster-engine/values/text/go';
import { EvaluationError, noSuchOverload } from '../../language/error.js';
import { Opaque, type Value } from '../../language/value.js';
import { addressText, isMapped, masked, parseAddress, sameAddress, type Address } from './address.js';
import { textOf } from '../operators.js';

class IpValue extends Opaque {
  readonly typeName = 'net.IP';
  readonly address: Address;

  constructor(address: Address) {
    super();
    this.address = address;
  }

  override get goText(): string {
    return `(netip.Addr)${addressText(this.address)}`;
  }

  override get costSize(): number {
    return this.address.bytes.length;
  }

  equals(other: Opaque): boolean {
    return other instanceof IpValue && sameAddress(this.address, other.address);
  }
}

class CidrValue extends Opaque {
  readonly typeName = 'net.CIDR';
  readonly address: Address;
  readonly bits: number;

  constructor(address: Address, bits: number) {
    super();
    this.address = address;
    this.bits = bits;
  }

  override get goText(): string {
    return `(netip.Prefix)${addressText(this.address)}/${this.bits}`;
  }

  override get costSize(): number {
    return Math.ceil(this.bits / 8);
  }

  equals(other: Opaque): boolean {
    return other instanceof CidrValue && this.bits === other.bits && sameAddress(this.address, other.address);
  }

  contains(address: Address): boolean {
    return (
      address.bytes.length === this.address.bytes.length &&
      sameAddress(masked(address, this.bits), masked(this.address, this.bits))
    );
  }
}

/** The Kubernetes library of IP addresses and networks. */
export function network(): Library {
  const library = new Library();
  addAddresses(library);
  library.add('string_to_cidr', 'cidr(string): net.CIDR', ([text]) => toCidr(textOf(text)));
  library.add('is_cidr', 'isCIDR(string): bool', ([text]) => !('problem' in readCidr(textOf(text))));
  library.add('cidr_contains_ip_string', 'net.CIDR.containsIP(string): bool', ([cidr, text]) => {
    const ip = readIp(textOf(text));
    // The API server reports no details for an invalid address.
    if ('problem' in ip) throw noSuchOverload();
    return cidrOf(cidr).contains(ip);
  });
  library.add('cidr_contains_ip_ip', 'net.CIDR.containsIP(net.IP): bool', ([cidr, ip]) =>
    cidrOf(cidr).contains(ipOf(ip)),
  );
  library.add('cidr_contains_cidr_string', 'net.CIDR.containsCIDR(string): bool', ([cidr, text]) =>
    containsCidr(cidrOf(cidr), toCidr(textOf(text))),
  );
  library.add('cidr_contains_cidr', 'net.CIDR.containsCIDR(net.CIDR): bool', ([cidr, other]) =>
    containsCidr(cidrOf(cidr), cidrOf(other)),
  );
  library.add('cidr_ip', 'net.CIDR.ip(): net.IP', ([cidr]) => new IpValue(cidrOf(cidr).address));
  library.add('cidr_prefix_length', 'net.CIDR.prefixLength(): int', ([cidr]) => BigInt(cidrOf(cidr).bits));
  library.add(
    'cidr_masked',
    'net.CIDR.masked(): net.CIDR',
    ([cidr]) => new CidrValue(masked(cidrOf(cidr).address, cidrOf(cidr).bits), cidrOf(cidr).bits),
  );
  library.add(
    'cidr_to_string',
    'string(net.CIDR): string',
    ([cidr]) => `${addressText(cidrOf(cidr).address)}/${cidrOf(cidr).bits}`,
  );
  return library;
}

function addAddresses(library: Library): void {
  library.add('string_to_ip', 'ip(string): net.IP', ([text]) => toIp(textOf(text)));
  library.add('is_ip', 'isIP(string): bool', ([text]) => !('problem' in readIp(textOf(text))));
  library.add(
    'ip_is_canonical',
    '^ip.isCanonical(string): bool',
    ([text]) => addressText(toIp(textOf(text)).address) === text,
  );
  library.add('ip_to_string', 'string(net.IP): string', ([ip]) => addressText(ipOf(ip)));
  library.add('ip_family', 'net.IP.family(): int', ([ip]) => (ipOf(ip).bytes.length === 4 ? 4n : 6n));
  const test = (name: string, id: string, holds: (bytes: readonly number[]) => boolean): void => {
    library.add(id, `net.IP.${name}(): bool`, ([ip]) => holds(ipOf(ip).bytes));
  };
  test('isUnspecified', 'ip_is_unspecified', isUnspecified);
  test('isLoopback', 'ip_is_loopback', isLoopback);
  test('isLinkLocalMulticast', 'ip_is_link_local_multicast', ([a, b, c = 0, ...rest]) =>
    rest.length === 1 ? a === 224 && b === 0 && c === 0 : a === 0xff && ((b ?? 0) & 0x0f) === 2,
  );
  test('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocal);
  test('isGlobalUnicast', 'ip_is_global_unicast', isGlobal);
}

function isUnspecified(bytes: readonly number[]): boolean {
  return bytes.every((byte) => byte === 0);
}

function isLoopback(bytes: readonly number[]): boolean {
  return bytes.length === 4 ? bytes[0] === 127 : bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1;
}

function isLinkLocal([a = 0, b = 0, ...rest]: readonly number[]): boolean {
  return rest.length === 2 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80;
}

function isGlobal(bytes: readonly number[]): boolean {
  const [first = 0] = bytes;
  const multicast = bytes.length === 4 ? first >= 224 && first < 240 : first === 0xff;
  const broadcast = bytes.length === 4 && bytes.every((byte) => byte === 255);
  return !broadcast && !multicast && !isUnspecified(bytes) && !isLoopback(bytes) && !isLinkLocal(bytes);
}

function containsCidr(outer: CidrValue, inner: CidrValue): boolean {
  return outer.bits <= inner.bits && outer.contains(inner.address);
}

function readIp(text: string): Address | { problem: string } {
  const quoted = goQuote(text);
  const address = parseAddress(text);
  if ('problem' in address)
    return { problem: `IP Address ${quoted} parse error during conversion from string: ${address.problem}` };
  if (address.zone !== undefined) return { problem: `IP address ${quoted} with zone value is not allowed` };
  return isMapped(address) ? { problem: `IPv4-mapped IPv6 address ${quoted} is not allowed` } : address;
}

function toIp(text: string): IpValue {
  const read = readIp(text);
  if ('problem' in read) throw new EvaluationError(read.problem);
  return new IpValue(read);
}

const CIDR_PROBLEM = 'network address parse error during conversion from string';

function readCidr(text: string): CidrValue | { problem: string } {
  const slash = text.lastIndexOf('/');
  const fail = (problem: string): { problem: string } => ({
    problem: `${CIDR_PROBLEM}: netip.ParsePrefix(${goQuote(text)}): ${problem}`,
  });
  if (slash < 0) return fail("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if ('problem' in address) return fail(address.problem);
  if (address.zone !== undefined) return fail('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,18})$/.test(bits)) return fail(`bad bits after slash: ${goQuote(bits)}`);
  if (Number(bits) > address.bytes.length * 8) return fail('prefix length out of range');
  if (isMapped(address)) return { problem: `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed` };
  return new CidrValue(address, Number(bits));
}

function toCidr(text: string): CidrValue {
  const read = readCidr(text);
  if (read instanceof CidrValue) return read;
  throw new EvaluationError(`${CIDR_PROBLEM}: ${read.problem}`);
}

function ipOf(value: Value | undefined): Address {
  if (value instanceof IpValue) return value.address;
  throw noSuchOverload();
}

function cidrOf(value: Value | undefined): CidrValue {
  if (value instanceof CidrValue) return value;
  throw noSuchOverload();
}
