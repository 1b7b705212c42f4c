import type { Row } from './row.js';

/**
 * Differences that comparisons of random expressions found: brackets, addresses, versions, durations, formats,
 * optionals, time zones; results are those of kube-apiserver 1.36.3.
 */
export const found: readonly Row[] = [
  ['[self.b ? (self.b ? 1 : 2) : 3][0]', '1'],
  ['[(self.b) ? ((self.b) ? (1) : (2)) : (3)][0]', '1'],
  ['((self.b) ? ((!self.b) ? 1 : 2) : 3) + 0', '2'],
  ['((self.n) == 7) == self.b', 'true'],
  ['((self.n) == 7 == self.b)', 'true'],
  ['(self.b && (self.b) && self.b && !self.b)', 'false'],
  [
    "ip('\\t|').family()",
    '! IP Address "\\t|" parse error during conversion from string: ParseAddr("\\t|"): unable to parse IP',
  ],
  [
    "ip('1.2.3.4.5').family()",
    '! IP Address "1.2.3.4.5" parse error during conversion from string: ParseAddr("1.2.3.4.5"): IPv4 address too long',
  ],
  [
    "ip('1..3.4').family()",
    '! IP Address "1..3.4" parse error during conversion from string: ParseAddr("1..3.4"): IPv4 field must have at least one digit (at ".3.4")',
  ],
  [
    "ip('1.2.3.a').family()",
    '! IP Address "1.2.3.a" parse error during conversion from string: ParseAddr("1.2.3.a"): unexpected character (at "a")',
  ],
  [
    "ip('1.2.03.4').family()",
    '! IP Address "1.2.03.4" parse error during conversion from string: ParseAddr("1.2.03.4"): IPv4 field has octet with leading zero',
  ],
  [
    "ip('1.2.3.256').family()",
    '! IP Address "1.2.3.256" parse error during conversion from string: ParseAddr("1.2.3.256"): IPv4 field has value >255',
  ],
  [
    "ip('12345::').family()",
    '! IP Address "12345::" parse error during conversion from string: ParseAddr("12345::"): each group must have 4 or less digits (at "12345::")',
  ],
  [
    "ip('1:2:3:4:5:6:7').family()",
    '! IP Address "1:2:3:4:5:6:7" parse error during conversion from string: ParseAddr("1:2:3:4:5:6:7"): address string too short',
  ],
  [
    "ip('1:2:3:4:5:6:7:8:9').family()",
    '! IP Address "1:2:3:4:5:6:7:8:9" parse error during conversion from string: ParseAddr("1:2:3:4:5:6:7:8:9"): trailing garbage after address (at "9")',
  ],
  [
    "ip('1:2:3:4:5:6:7:1.2.3.4').family()",
    '! IP Address "1:2:3:4:5:6:7:1.2.3.4" parse error during conversion from string: ParseAddr("1:2:3:4:5:6:7:1.2.3.4"): embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")',
  ],
  [
    "ip('1::2::3').family()",
    '! IP Address "1::2::3" parse error during conversion from string: ParseAddr("1::2::3"): multiple :: in address (at ":3")',
  ],
  [
    "ip('1:2:3:4:5:6:7::8').family()",
    '! IP Address "1:2:3:4:5:6:7::8" parse error during conversion from string: ParseAddr("1:2:3:4:5:6:7::8"): the :: must expand to at least one field of zeros',
  ],
  [
    "ip('fe80::1%').family()",
    '! IP Address "fe80::1%" parse error during conversion from string: ParseAddr("fe80::1%"): zone must be a non-empty string',
  ],
  ["ip('fe80::1%eth0').family()", '! IP address "fe80::1%eth0" with zone value is not allowed'],
  [
    "ip('%eth0').family()",
    '! IP Address "%eth0" parse error during conversion from string: ParseAddr("%eth0"): missing IPv6 address',
  ],
  [
    "ip('1.2.3.4%eth0').family()",
    '! IP Address "1.2.3.4%eth0" parse error during conversion from string: ParseAddr("1.2.3.4%eth0"): unexpected character (at "%eth0")',
  ],
  [
    "ip('1:g::').family()",
    '! IP Address "1:g::" parse error during conversion from string: ParseAddr("1:g::"): each colon-separated field must have at least one digit (at "g::")',
  ],
  [
    "ip(':1').family()",
    '! IP Address ":1" parse error during conversion from string: ParseAddr(":1"): each colon-separated field must have at least one digit (at ":1")',
  ],
  [
    "ip('1:').family()",
    '! IP Address "1:" parse error during conversion from string: ParseAddr("1:"): colon must be followed by more characters (at ":")',
  ],
  [
    "ip('::1.2.3').family()",
    '! IP Address "::1.2.3" parse error during conversion from string: ParseAddr("::1.2.3"): IPv4 address too short',
  ],
  [
    "ip('1:1.2.3.4').family()",
    '! IP Address "1:1.2.3.4" parse error during conversion from string: ParseAddr("1:1.2.3.4"): embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")',
  ],
  ["ip('::ffff:1.2.3.4%a').family()", '! IP address "::ffff:1.2.3.4%a" with zone value is not allowed'],
  [
    "cidr('fe80::1%a/64').prefixLength()",
    '! network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("fe80::1%a/64"): IPv6 zones cannot be present in a prefix',
  ],
  [
    "cidr('1.2.3.4/01').prefixLength()",
    '! network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4/01"): bad bits after slash: "01"',
  ],
  [
    "cidr('1.2.3.4/4000').prefixLength()",
    '! network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4/4000"): prefix length out of range',
  ],
  [
    "cidr('1.2.3.x/8').prefixLength()",
    '! network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.x/8"): ParseAddr("1.2.3.x"): unexpected character (at "x")',
  ],
  [
    "cidr('::1/').prefixLength()",
    '! network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("::1/"): bad bits after slash: ""',
  ],
  ["semver('ü', true).major()", '! Invalid character(s) found in major number "0ü"'],
  ["semver('10.0.0.1', true).major()", '! Invalid character(s) found in patch number "0.1"'],
  ["semver(' 1.2', true).major()", '! Invalid character(s) found in major number "0 1"'],
  ["semver('1.2-rc', true).major()", '! short version cannot contain PreRelease/Build meta data'],
  ["semver('1.02-rc.1', true).major()", '! Invalid character(s) found in minor number "2-rc"'],
  ["semver('1..2').major()", '! strconv.ParseUint: parsing "": invalid syntax'],
  ["semver('1.2.3-a_b').major()", '! Invalid character(s) found in prerelease "a_b"'],
  ["semver('1.2.3+a_b').major()", '! Invalid character(s) found in build meta data "a_b"'],
  ["semver('1.2.3-').major()", '! Prerelease is empty'],
  ["semver('1.2.3+').major()", '! Build meta data is empty'],
  ["semver('1.2.3-01').major()", '! Numeric PreRelease version must not contain leading zeroes "01"'],
  ["semver('1.2.x').major()", '! Invalid character(s) found in patch number "x"'],
  [
    "semver('1.2.3-99999999999999999999').major()",
    '! strconv.ParseUint: parsing "99999999999999999999": value out of range',
  ],
  ["semver('v001.2', true).major()", '1'],
  ["semver('0-1.2.3', true).major()", '! Invalid character(s) found in major number "0-1"'],
  ["duration('14264754.999999997s')", '14264754.999999996s'],
  ["duration('3ns')", '0.000000003s'],
  ["duration('-100ns')", '-0.0000001s'],
  ["duration('-0.5s')", '-0.5s'],
  ["string(duration('9223372036.854775807s'))", '9223372036.854776s'],
  [
    "'%s %q'.format([quantity('1'), 2])",
    'Invalid value: {"Rule":"false","Message":"fallback","MessageExpression":"\'%s\'.format([\'%s %q\'.format([quantity(\'1\'), 2])])","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression compilation failed: ERROR: <input>:1:38: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity\n | \'%s\'.format([\'%s %q\'.format([quantity(\'1\'), 2])])\n | .....................................^\nInvalid value: {"Rule":"[dyn(\'%s %q\'.format([quantity(\'1\'), 2]))].size() == 1","Message":"neq","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:30: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity\n | [dyn(\'%s %q\'.format([quantity(\'1\'), 2]))].size() == 1\n | .............................^',
  ],
  [
    "'%s %q'.format([1])",
    'Invalid value: {"Rule":"false","Message":"fallback","MessageExpression":"\'%s\'.format([\'%s %q\'.format([1])])","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression compilation failed: ERROR: <input>:1:28: index 1 out of range\n | \'%s\'.format([\'%s %q\'.format([1])])\n | ...........................^\nInvalid value: {"Rule":"[dyn(\'%s %q\'.format([1]))].size() == 1","Message":"neq","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:20: index 1 out of range\n | [dyn(\'%s %q\'.format([1]))].size() == 1\n | ...................^',
  ],
  [
    "'%q'.format([])",
    'Invalid value: {"Rule":"false","Message":"fallback","MessageExpression":"\'%s\'.format([\'%q\'.format([])])","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression compilation failed: ERROR: <input>:1:25: index 0 out of range\n | \'%s\'.format([\'%q\'.format([])])\n | ........................^\nInvalid value: {"Rule":"[dyn(\'%q\'.format([]))].size() == 1","Message":"neq","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:17: index 0 out of range\n | [dyn(\'%q\'.format([]))].size() == 1\n | ................^',
  ],
  [
    "'%.f'.format([])",
    'Invalid value: {"Rule":"false","Message":"fallback","MessageExpression":"\'%s\'.format([\'%.f\'.format([])])","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression compilation failed: ERROR: <input>:1:26: index 0 out of range\n | \'%s\'.format([\'%.f\'.format([])])\n | .........................^\nInvalid value: {"Rule":"[dyn(\'%.f\'.format([]))].size() == 1","Message":"neq","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:18: index 0 out of range\n | [dyn(\'%.f\'.format([]))].size() == 1\n | .................^',
  ],
  ["dyn('%q').format([])", '! index 0 out of range'],
  [
    "dyn('%s%q').format([ip('1.1.1.1'), 1])",
    '! error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given net.IP',
  ],
  ["dyn(b'\\377')", 'fallback'],
  ["[b'\\377']", 'fallback'],
  ["{'a': b'\\377'}", 'fallback'],
  ['uint(-self.d)', '! unsigned integer overflow'],
  ['uint(-0.0)', '0'],
  ['int(self.d * -9223372036854775808.0 / 2.5)', '! integer overflow'],
  [
    '[self.ints[7]].sort()',
    '! internal error: interface conversion: *types.Err is not traits.Lister: missing method Add',
  ],
  [
    '[self.ints[7]].distinct()',
    '! internal error: interface conversion: *types.Err is not traits.Lister: missing method Add',
  ],
  ['[self.ints[7]].reverse()', '! index out of bounds: 7'],
  [
    '[1].sortBy(x, self.ints[7])',
    '! internal error: interface conversion: *types.Err is not traits.Lister: missing method Add',
  ],
  [
    '[self.ints[7]].sortBy(x, x)',
    '! internal error: interface conversion: *types.Err is not traits.Lister: missing method Add',
  ],
  ['self.b || [self.ints[7]].sort() == []', 'true'],
  [
    '[self.ints[7]].sort() == [] || self.b',
    '! internal error: interface conversion: *types.Err is not traits.Lister: missing method Add',
  ],
  ['optional.of(1).optMap(y, optional.of(y)).value().value()', '! no such overload: value(int)'],
  [
    "optional.of(quantity('1500m')).optMap(q, q).value().asInteger()",
    '! unsupported conversion to ref.Val: (*resource.Quantity)1500m',
  ],
  ["optional.of(ip('::1')).optMap(q, q).value().family()", '! unsupported conversion to ref.Val: (netip.Addr)::1'],
  [
    "optional.of(cidr('10.0.0.0/8')).optMap(q, q).value().prefixLength()",
    '! unsupported conversion to ref.Val: (netip.Prefix)10.0.0.0/8',
  ],
  [
    "optional.of(url('https://a/b')).optMap(q, q).value().getHost()",
    '! unsupported conversion to ref.Val: (*url.URL)https://a/b',
  ],
  [
    "optional.of(semver('1.2.3-rc.1+b')).optMap(q, q).value().major()",
    '! unsupported conversion to ref.Val: (semver.Version)1.2.3-rc.1+b',
  ],
  ["optional.of(quantity('1')).optMap(q, q.asInteger()).value()", '1'],
  ['self.?o.optMap(o, o).value().x__dash__y', '! no such key: x__dash__y'],
  ['self.?o.optMap(o, o.x__dash__y).value()', 'dash'],
  ['self.?dur.optMap(d, d).value()', '5400s'],
  ['type((self.b ? optional.of(self) : optional.none()).value().dur)', 'string'],
  ['type((self.b ? optional.of(self) : optional.none()).value().d)', 'double'],
  ['(self.b ? optional.of(self) : optional.none()).value() == self', 'false'],
  ['self == (self.b ? optional.of(self) : optional.none()).value()', 'false'],
  ['self.o == (self.b ? optional.of(self.o) : optional.none()).value()', 'false'],
  ['(self.b ? optional.of(self.lm) : optional.none()).value()[0].k', 'one'],
  ["(self.b ? optional.of(self.set) : optional.none()).value() == ['q', 'p']", 'false'],
  ["self.ts.getHours('5:00')", '17'],
  ["self.ts.getHours('-5:30')", '7'],
  ["self.ts.getHours('5:-30')", '17'],
  ["self.ts.getHours('-05:30')", '7'],
  ["self.ts.getMinutes('-05:30')", '4'],
  ["self.ts.getHours('x:30')", '! strconv.Atoi: parsing "x": invalid syntax'],
  ["self.ts.getHours('5:')", '! strconv.Atoi: parsing "": invalid syntax'],
  ["self.ts.getHours('5:3:0')", '! strconv.Atoi: parsing "3:0": invalid syntax'],
  ["self.ts.getHours('100:00')", '16'],
  ["self.ts.getHours('Local')", '12'],
  ["self.ts.getHours('Nope/Zone')", '! unknown time zone Nope/Zone'],
];
