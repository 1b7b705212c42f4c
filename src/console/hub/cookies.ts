import { cookieIn } from '../server/session.js';

/** The cookies of a session: browsers drop a cookie that is too large without a word, so a long session is split. */

const MOST_CHARS = 3_800;
const MOST_PARTS = 5;
/** `__Host-`: of this host alone, over HTTPS alone. */
const NAME = '__Host-console';
const ATTRIBUTES = 'HttpOnly; Secure; SameSite=Strict; Path=/';

/**
 * The name for an origin. Cookies are shared by all ports of a host: two hubs that are forwarded to ports of one machine
 * must not end each other's sessions.
 */
export function sessionCookie(origin: string): string {
  const { port } = new URL(origin);
  return port === '' ? NAME : `${NAME}-port-${port}`;
}

/** Headers that store the value; parts of a longer one that was there before are removed. */
export function setCookies(name: string, value: string, seconds: number): readonly string[] {
  return partNames(name).map((part, index) => {
    const text = value.slice(index * MOST_CHARS, (index + 1) * MOST_CHARS);
    return `${part}=${text}; Max-Age=${text === '' ? 0 : seconds}; ${ATTRIBUTES}`;
  });
}

/** The value that {@link setCookies} has stored; empty without one. */
export function cookieValue(header: string | undefined, name: string): string {
  return partNames(name)
    .map((part) => cookieIn(header, part))
    .join('');
}

function partNames(name: string): readonly string[] {
  return Array.from({ length: MOST_PARTS }, (_, index) => (index === 0 ? name : `${name}-${index}`));
}
