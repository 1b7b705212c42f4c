import { describe, expect, it } from '@jest/globals';
import {
  addressText,
  addressWarnings,
  checkAddress,
  checkRange,
  contains,
  parseAddress,
  parseRange,
  rangeText,
  rangeWarnings,
} from '../../../src/registry/builtins/validation/ipaddress.js';
import { pullPolicy } from '../../../src/registry/builtins/pod/defaults/image.js';
import { formatSelector, selectorText } from '../../../src/table/labelselector.js';
import {
  canonicalQuantity,
  parseQuantity,
  quantityText,
  roundUpToMilli,
} from '@multicluster-engine/values/schema/struct/quantity';
import { isUsableSelector, matchesSelector } from '../../../src/registry/builtins/validation/labelselector.js';
import { canonicalMicroTime, canonicalTime } from '@multicluster-engine/values/time';

describe('quantities', () => {
  it.each([
    ['0', '0'],
    ['0Gi', '0'],
    ['-0', '0'],
    ['1', '1'],
    ['+1', '1'],
    ['1.', '1'],
    ['.5', '500m'],
    ['0.1', '100m'],
    ['1000m', '1'],
    ['1001m', '1001m'],
    ['1500M', '1500M'],
    ['1000M', '1G'],
    ['1024Mi', '1Gi'],
    ['1536Mi', '1536Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['0.5', '500m'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['1.2e1', '12'],
    ['12e2', '1200'],
    ['1k', '1k'],
    ['-1500', '-1500'],
    ['0.0000000001', '1n'],
    ['1Ei', '1Ei'],
    ['9223372036854775808', '9223372036854775807'],
    ['100n', '100n'],
    ['1u', '1u'],
    ['1e-1', '100e-3'],
  ])('the canonical form of the quantity %s is %s', (text, written) => {
    const quantity = parseQuantity(text);
    expect(quantity === undefined ? undefined : quantityText(quantity)).toBe(written);
  });

  it.each(['', ' 1', '1 ', '1x', 'x', '.', '-', '1KI', '1ki', '1e', '1e1.5', '0x1', '1mm', 'Infinity', '1_000'])(
    'the text %j is no quantity and is kept unchanged',
    (text) => {
      expect(parseQuantity(text)).toBeUndefined();
      expect(canonicalQuantity(text)).toBe(text);
    },
  );

  it.each([
    ['1n', '1m'],
    ['1.0001', '1001m'],
    ['-1n', '-1m'],
    ['100m', '100m'],
    ['1.5Gi', '1536Mi'],
  ])('the quantity %s is rounded up to %s in a resource list', (text, written) => {
    const quantity = parseQuantity(text);
    expect(quantity === undefined ? undefined : quantityText(roundUpToMilli(quantity))).toBe(written);
  });

  it('a quantity may be a number', () =>
    expect([canonicalQuantity(5), canonicalQuantity(0.5), canonicalQuantity(null)]).toEqual(['5', '500m', null]));
});

describe('times', () => {
  it.each([
    ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z'],
    ['2020-01-01T00:00:00.999Z', '2020-01-01T00:00:00Z'],
    ['2020-01-01T02:30:00+02:30', '2020-01-01T00:00:00Z'],
    ['2019-12-31T23:00:00-01:00', '2020-01-01T00:00:00Z'],
    ['2020-01-01', '2020-01-01'],
    ['x', 'x'],
    ['2020-13-01T00:00:00+01:00', '2020-13-01T00:00:00+01:00'],
  ])('the canonical form of the time %s is %s', (text, written) => expect(canonicalTime(text)).toBe(written));

  it.each([
    ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000000Z'],
    ['2020-01-01T00:00:00.1234567Z', '2020-01-01T00:00:00.123456Z'],
    ['2020-01-01T02:00:00.5+02:00', '2020-01-01T00:00:00.500000Z'],
    ['x', 'x'],
  ])('the canonical form of the MicroTime %s is %s', (text, written) => expect(canonicalMicroTime(text)).toBe(written));
});

describe('addresses', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['01.2.3.4', '1.2.3.4'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:0DB8::0:1', '2001:db8::1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
  ])('the canonical form of the address %s is %s', (text, written) => {
    const address = parseAddress(text);
    expect(address === undefined ? undefined : addressText(address)).toBe(written);
  });

  it.each([
    '',
    '1.2.3',
    '1.2.3.256',
    '1.2.3.4.5',
    '1.2.3.a',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    'g::',
    '::1.2.3',
    '1.2.3.4::',
    'fe80::1%eth0',
  ])('the text %j is no address', (text) => {
    expect(parseAddress(text)).toBeUndefined();
    expect(checkAddress(text, 'a')).toMatchObject([
      {
        field: 'a',
        message: `Invalid value: ${JSON.stringify(text)}: must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`,
      },
    ]);
  });

  it('an address in another than the canonical form is an error or gets a warning', () => {
    expect(checkAddress('01.2.3.4', 'a')).toMatchObject([
      { message: 'Invalid value: "01.2.3.4": must not have leading 0s' },
    ]);
    expect(checkAddress('::ffff:1.2.3.4', 'a')).toMatchObject([
      { message: 'Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address' },
    ]);
    expect(checkAddress('01.2.3.4', 'a', new Set(['01.2.3.4']))).toEqual([]);
    expect(addressWarnings('01.2.3.4', 'a')).toEqual([
      'a: non-standard IP address "01.2.3.4" is invalid: use "1.2.3.4"',
    ]);
    expect(addressWarnings('::0', 'a')).toEqual([
      'a: IPv6 address "::0" should be in RFC 5952 canonical format ("::")',
    ]);
    expect(addressWarnings('1.2.3.4', 'a')).toEqual([]);
  });
});

describe('CIDRs', () => {
  it.each([
    ['10.0.0.0/24', '10.0.0.0/24'],
    ['10.0.0.7/24', '10.0.0.0/24'],
    ['fd00::1/64', 'fd00::/64'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::ffff:1.2.3.4/120', '1.2.3.0/24'],
    ['1.2.3.4/32', '1.2.3.4/32'],
  ])('the canonical form of the CIDR %s is %s', (text, written) => {
    const range = parseRange(text);
    expect(range === undefined ? undefined : rangeText(range)).toBe(written);
  });

  it.each([
    '10.0.0.0',
    '10.0.0.0/33',
    'fd00::/129',
    '/24',
    '10.0.0.0/-1',
    '10.0.0.0/a',
    '10.0.0.0/',
    '::ffff:1.2.3.4/90',
  ])('the text %s is no CIDR', (text) => {
    expect(parseRange(text)).toBeUndefined();
    expect(checkRange(text, 'a')).toHaveLength(1);
  });

  it.each([
    ['10.0.0.255', true],
    ['10.0.1.0', false],
    ['9.255.255.255', false],
    ['fd00::1', false],
  ])('the CIDR 10.0.0.0/24 contains %s: %s', (text, held) => {
    const [range, address] = [parseRange('10.0.0.0/24'), parseAddress(text)];
    expect(range !== undefined && address !== undefined && contains(range, address)).toBe(held);
  });

  it('a CIDR with bits beyond the prefix or leading zeros is an error', () => {
    expect(checkRange('10.0.0.7/24', 'a')).toMatchObject([
      { message: 'Invalid value: "10.0.0.7/24": must not have bits set beyond the prefix length' },
    ]);
    expect(checkRange('10.0.0.0/024', 'a')).toMatchObject([
      { message: 'Invalid value: "10.0.0.0/024": must not have leading 0s in IP or prefix length' },
    ]);
    expect(rangeWarnings('10.0.0.7/24', 'a')).toEqual([
      'a: CIDR value "10.0.0.7/24" is ambiguous in this context (should be "10.0.0.0/24" or "10.0.0.7/32"?)',
    ]);
    expect(rangeWarnings('FD00::/64', 'a')).toEqual([
      'a: IPv6 CIDR value "FD00::/64" should be in RFC 5952 canonical format ("fd00::/64")',
    ]);
    expect(rangeWarnings('10.0.0.0/24', 'a')).toEqual([]);
  });
});

describe('images', () => {
  it.each([
    ['x', 'Always'],
    ['x:latest', 'Always'],
    ['host:5000/x', 'Always'],
    ['x:1', 'IfNotPresent'],
    ['host:5000/x/y:1.2', 'IfNotPresent'],
    [`x@sha256:${'a'.repeat(64)}`, 'IfNotPresent'],
    [`x:latest@sha256:${'a'.repeat(64)}`, 'Always'],
    ['A b', 'IfNotPresent'],
    ['', 'IfNotPresent'],
    ['a'.repeat(64), 'IfNotPresent'],
    ['x:', 'IfNotPresent'],
    ['x'.repeat(2000), 'IfNotPresent'],
  ])('the default pull policy of the image %j is %s', (image, policy) => expect(pullPolicy(image)).toBe(policy));
});

describe('label selectors', () => {
  const many = {
    matchLabels: { b: '1', a: '2' },
    matchExpressions: [
      { key: 'c', operator: 'In', values: ['y', 'x'] },
      { key: 'd', operator: 'Exists' },
      { key: 'e', operator: 'DoesNotExist' },
      { key: 'f', operator: 'NotIn', values: ['z'] },
    ],
  };

  it('label selectors are formatted as in queries and in tables', () => {
    expect([undefined, {}, many].map((selector) => formatSelector(selector))).toEqual([
      '<none>',
      '<none>',
      'a=2,b=1,c in (x,y),d,!e,f notin (z)',
    ]);
    expect([undefined, {}, many].map((selector) => selectorText(selector))).toEqual([
      '',
      '',
      'a=2,b=1,c in (x,y),d,!e,f notin (z)',
    ]);
  });

  it.each([
    [{}, true],
    [{ a: '2', b: '1', c: 'x', d: '' }, true],
    [{ a: '2', b: '1', c: 'z', d: '' }, false],
    [{ a: '2', b: '1', c: 'x' }, false],
    [{ a: '2', b: '1', c: 'x', d: '', e: '' }, false],
    [{ a: '2', b: '1', c: 'x', d: '', f: 'z' }, false],
  ])('a label selector matches the labels %j: %s', (labels, selected) =>
    expect(matchesSelector(Object.keys(labels).length === 0 ? {} : many, labels)).toBe(selected),
  );

  it('a label selector with invalid keys or operators is not usable', () => {
    expect(
      [{}, many, { matchLabels: { 'a b': 'c' } }, { matchExpressions: [{ key: 'a', operator: 'X' }] }].map((selector) =>
        isUsableSelector(selector),
      ),
    ).toEqual([true, true, false, false]);
  });
});
