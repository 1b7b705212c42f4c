import { describe, expect, it } from '@jest/globals';
import { refusalText } from '../../../src/console/hub/token.js';
import { cleanToken, tokenFault } from '../../../src/console/wire/token.js';

/** What a console on a hub knows of tokens. */

const NOW = Date.parse('2026-01-01T00:00:00Z');

function jwt(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.c2ln`;
}

describe('a token that was copied', () => {
  it.each([
    [' abc.def\n', 'abc.def'],
    ['abc\n  def\r\n', 'abcdef'],
    ['"abc.def"', 'abc.def'],
    ['Authorization: Bearer abc.def', 'abc.def'],
    ['bearer abc', 'abc'],
  ])('%j is sent as %j', (text, token) => {
    expect(cleanToken(text)).toBe(token);
  });

  it.each([
    ['', 'is empty'],
    ['a'.repeat(16_001), 'more than 16000 characters'],
    ['töken', 'characters that tokens do not have'],
  ])('what is no token is refused before it is sent (%#)', (token, why) => {
    expect(tokenFault(token)).toContain(why);
  });

  it.each([
    ['opaque', 'no JSON web token'],
    [Buffer.from(jwt({ exp: NOW / 1000 + 60 })).toString('base64'), 'in base64'],
    [jwt({ exp: NOW / 1000 - 60 }), 'has expired at 2025-12-31T23:59:00Z'],
    [jwt({ nbf: NOW / 1000 + 60 }), 'is not valid before 2026-01-01T00:01:00Z'],
    [jwt({ exp: NOW / 1000 + 60 }), 'of another cluster'],
    [jwt({ exp: 1e300 }), 'of another cluster'],
    [jwt({ aud: ['vault', 7] }), 'for another audience (it is made for vault)'],
    [jwt({ aud: 'vault' }), '(it is made for vault)'],
  ])('the text about a refused token says what is wrong with it (%#)', (token, why) => {
    expect(refusalText(token, NOW)).toContain(why);
  });
});
