import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { generateKeyPairSync } from 'node:crypto';
import { cookieValue, sessionCookie, setCookies } from '../../../src/console/hub/cookies.js';
import { KeyRing } from '../../../src/console/hub/keyring.js';
import { Limits } from '../../../src/console/hub/limits.js';
import { cleanToken, refusalText, tokenFault } from '../../../src/console/hub/token.js';

/** The parts of a session on a hub: token, seal, cookies, limits. */

const NOW = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function jwt(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.c2ln`;
}

function servingKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
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
    ['a'.repeat(12_001), 'more than 12000 characters'],
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
  ])('a refused token is told what is wrong with it (%#)', (token, why) => {
    expect(refusalText(token, NOW)).toContain(why);
  });
});

describe('a sealed session', () => {
  it('no byte of it can be changed, and it opens for its own host and name alone', () => {
    const ring = new KeyRing(new ManualClock());
    ring.use(servingKey(), 'hub');
    const sealed = ring.seal('token', 'host');
    expect(ring.open(sealed, 'host')).toBe('token');
    expect(ring.open(sealed, 'other')).toBeUndefined();
    const characters = Array.from(sealed);
    for (const [index, one] of characters.entries()) {
      const changed = characters.with(index, one === 'A' ? 'B' : 'A').join('');
      expect(ring.open(changed, 'host')).toBeUndefined();
    }
    for (const bad of ['', 'A', `${sealed}=`, `${sealed}A`, sealed.slice(1)])
      expect(ring.open(bad, 'host')).toBeUndefined();
  });

  it('every replica opens it, another hub with the same serving key does not', () => {
    const [key, clock] = [servingKey(), new ManualClock()];
    const [a, b, other] = [new KeyRing(clock), new KeyRing(clock), new KeyRing(clock)];
    a.use(key, 'hub');
    b.use(key, 'hub');
    other.use(key, 'other');
    const sealed = a.seal('token', 'host');
    expect([b.open(sealed, 'host'), other.open(sealed, 'host')]).toEqual(['token', undefined]);
  });

  it('a new key opens at once and seals after five minutes; the old one opens for eight hours', async () => {
    const [first, second, clock] = [servingKey(), servingKey(), new ManualClock()];
    const [late, early] = [new KeyRing(clock), new KeyRing(clock)];
    for (const ring of [late, early]) ring.use(first, 'hub');
    early.use(second, 'hub');
    // The other replica does not have the new key yet.
    expect(late.open(early.seal('a', 'host'), 'host')).toBe('a');
    const old = late.seal('old', 'host');
    await clock.advance(6 * MINUTE);
    const sealed = early.seal('b', 'host');
    expect(late.open(sealed, 'host')).toBeUndefined();
    late.use(second, 'hub');
    expect(late.open(sealed, 'host')).toBe('b');
    expect(early.open(old, 'host')).toBe('old');
    await clock.advance(8 * HOUR);
    expect(early.open(old, 'host')).toBeUndefined();
  });
});

describe('cookies', () => {
  it('a long value is split, and a shorter one removes what is left of it', () => {
    const name = sessionCookie('https://console.example');
    const long = 'x'.repeat(9_000);
    const pairs = (headers: readonly string[]): string => headers.map((one) => one.split(';', 1).join()).join('; ');
    const stored = setCookies(name, long, 60);
    expect(name).toBe('__Host-console');
    expect(stored.every((one) => one.length < 4_096 && one.endsWith('HttpOnly; Secure; SameSite=Strict; Path=/'))).toBe(
      true,
    );
    expect(cookieValue(pairs(stored), name)).toBe(long);
    expect(cookieValue(pairs(setCookies(name, 'short', 60)), name)).toBe('short');
    expect(setCookies(name, 'short', 60).filter((one) => one.includes('Max-Age=0'))).toHaveLength(4);
  });

  it('two hubs on ports of one host have cookies of their own', () => {
    expect(sessionCookie('https://localhost:8443')).not.toBe(sessionCookie('https://localhost:9443'));
  });
});

describe('limits', () => {
  it('a person has 60 requests at once and 20 a second, and one plan at a time', async () => {
    const clock = new ManualClock();
    const limits = new Limits(clock);
    const ask = (path = 'fleet'): Promise<string> => limits.within('anna', path, async () => 'answered');
    for (let index = 0; index < 60; index++) await ask();
    await expect(ask()).rejects.toMatchObject({ code: 429, headers: { 'retry-after': '1' } });
    await expect(limits.within('ben', 'fleet', async () => 'answered')).resolves.toBe('answered');
    await clock.advance(1_000);
    await limits.within('anna', 'plan', async () => {
      await expect(ask('plan')).rejects.toMatchObject({ code: 429 });
    });
    await expect(ask('plan')).resolves.toBe('answered');
  });

  it('30 plans, then one every two seconds', async () => {
    const clock = new ManualClock();
    const limits = new Limits(clock);
    for (let index = 0; index < 30; index++) await limits.within('anna', 'plan', async () => undefined);
    await expect(limits.within('anna', 'plan', async () => undefined)).rejects.toMatchObject({ code: 429 });
    await clock.advance(2_000);
    await expect(limits.within('anna', 'plan', async () => 'planned')).resolves.toBe('planned');
  });
});
