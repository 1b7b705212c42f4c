import { describe, expect, it } from '@jest/globals';
import { TooManySteps } from '../src/re2/pike.js';
import { Regexp, regexp } from '../src/re2/re2.js';

/** The tables were recorded with Go's regexp package. */
describe('matching of regular expressions', () => {
  it.each<[string, string, readonly [number, number] | undefined]>([
    ['^a+$', 'aaa', [0, 3]],
    ['^a+$', 'ab', undefined],
    ['^a+$', '', undefined],
    ['(?i)straße|K', 'STRASSE', undefined],
    ['(?i)straße|K', 'straßE', [0, 6]],
    ['(?i)straße|K', 'K', [0, 1]],
    ['(?i)straße|K', 'k', [0, 1]],
    ['a.b', 'a\nb', undefined],
    ['a.b', 'axb', [0, 3]],
    ['(?s)a.b', 'a\nb', [0, 3]],
    ['(?m)^b$', 'a\nb\nc', [2, 3]],
    ['(?m)^b$', 'ab', undefined],
    ['^b$', 'a\nb', undefined],
    ['\\bfoo\\b', 'a foo b', [2, 5]],
    ['\\bfoo\\b', 'afoo', undefined],
    ['\\bfoo\\b', 'foo', [0, 3]],
    ['a{2,3}?', 'aaaa', [0, 2]],
    ['a{2,3}?', 'a', undefined],
    ['(a|ab)(c|bcd)', 'abcd', [0, 4]],
    ['(a|ab)(c|bcd)', 'abc', [0, 3]],
    ['x*', '', [0, 0]],
    ['x*', 'aaxx', [0, 0]],
    ['[^\\d\\s]+', '12 ab', [3, 5]],
    ['[^\\d\\s]+', '1 2', undefined],
    ['[[:alpha:]-]+', '1a-b2', [1, 4]],
    ['\\p{Greek}+', 'abγδ', [2, 4]],
    ['\\p{Greek}+', 'abc', undefined],
    ['[\\pL\\pN]+$', '-é1', [1, 3]],
    ['[\\pL\\pN]+$', '-', undefined],
    ['\\Qa.b\\E', 'a.b', [0, 3]],
    ['\\Qa.b\\E', 'axb', undefined],
    ['\\x41\\x{1F600}\\101', 'A😀A', [0, 4]],
    ['(?:)', '', [0, 0]],
    ['|a', 'a', [0, 0]],
    ['a|b|', 'c', [0, 0]],
    ['(?U)a+', 'aaa', [0, 1]],
    ['{,2}', '{,2}', [0, 4]],
    ['a{,2}', 'a{,2}', [0, 5]],
    ['^(([a-z0-9]|[a-z0-9][a-z0-9\\-]*[a-z0-9])\\.)*([a-z0-9]|[a-z0-9][a-z0-9\\-]*[a-z0-9])$', 'a-b.c', [0, 5]],
    ['^(([a-z0-9]|[a-z0-9][a-z0-9\\-]*[a-z0-9])\\.)*([a-z0-9]|[a-z0-9][a-z0-9\\-]*[a-z0-9])$', 'a_b', undefined],
    ['^(([a-z0-9]|[a-z0-9][a-z0-9\\-]*[a-z0-9])\\.)*([a-z0-9]|[a-z0-9][a-z0-9\\-]*[a-z0-9])$', '-a', undefined],
    ['[]a]', ']', [0, 1]],
    ['\\d{3}', '1234', [0, 3]],
    ['(a+)+$', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab', undefined],
  ])('the regular expression %j on the text %j matches as in Go: %j', (pattern, text, found) => {
    expect(new Regexp(pattern).find(text)).toEqual(found);
    expect(new Regexp(pattern).test(text)).toBe(found !== undefined);
  });
});

describe('errors of regular expressions', () => {
  it.each([
    ['(', 'missing closing ): `(`'],
    [')', 'unexpected ): `)`'],
    ['[', 'missing closing ]: `[`'],
    ['[a', 'missing closing ]: `[a`'],
    ['a)', 'unexpected ): `a)`'],
    ['*', 'missing argument to repetition operator: `*`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['a{2,1}', 'invalid repeat count: `{2,1}`'],
    ['(a{100}){100}', 'invalid repeat count: `{100}`'],
    ['\\', 'trailing backslash at end of expression: ``'],
    ['\\y', 'invalid escape sequence: `\\y`'],
    ['\\8', 'invalid escape sequence: `\\8`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?<n', 'invalid named capture: `(?<n`'],
    ['(?P<n>a)(?P<n>b)', ''],
    ['(?i', 'invalid or unsupported Perl syntax: `(?i`'],
    ['(?z)', 'invalid or unsupported Perl syntax: `(?z`'],
    ['[z-a]', 'invalid character class range: `z-a`'],
    ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
    ['\\p{Foo}', 'invalid character class range: `\\p{Foo}`'],
    ['\\x{110000}', 'invalid escape sequence: `\\x{110000`'],
    ['\\xZ', 'invalid escape sequence: `\\xZ`'],
    ['(?', 'invalid or unsupported Perl syntax: `(?`'],
    ['+a', 'missing argument to repetition operator: `+`'],
    ['\\C', 'invalid escape sequence: `\\C`'],
  ])('the regular expression %j is rejected with the message of Go: %s', (pattern, why) => {
    expect(() => new Regexp(pattern)).toThrow(`error parsing regexp: ${why}`);
  });
});

describe('limits of regular expressions', () => {
  const long = 'a'.repeat(1_000_000);

  it.each(['(a+)+$', '(a|a)*b', '^(a*)*$', '(?:a|aa)+c', '(x+x+)+y', 'a{500}b', '(.*)(.*)(.*)(.*)(.*)[0-9]'])(
    'the regular expression %s ends on a million characters',
    (pattern) => {
      expect(typeof new Regexp(pattern).test(`${long}!`)).toBe('boolean');
    },
  );

  it('matching with too many automaton states is stopped', () => {
    let seed = 1;
    const letters = Array.from({ length: 200_000 }, () => ((seed = (seed * 48271) % 2147483647) % 2 === 0 ? 'a' : 'b'));
    const text = letters.join('');

    expect(() => new Regexp('(a|b)*a(a|b){200}c').test(text)).toThrow(TooManySteps);
    expect(() => new Regexp('\\B(a|b)*a(a|b){200}c').test(text)).toThrow(TooManySteps);
  });

  it('all matches that share a budget are limited together', () => {
    const budget = { left: 100 };

    expect(() => {
      for (let count = 0; count < 100; count++) regexp('^[a-z]+$').test('abc', budget);
    }).toThrow(TooManySteps);
  });

  it('an expression that compiles to too many instructions is rejected', () => {
    expect(() => new Regexp('((a{100}){10}b){1000}')).toThrow('invalid repeat count');
    expect(() => new Regexp(`(${'(a|b)c?'.repeat(100)}){999}`)).toThrow('expression too large');
    expect(() => new Regexp('('.repeat(2000) + ')'.repeat(2000))).toThrow('expression nests too deeply');
  });
});
