import type { HeaderMap } from './headers.js';
import { StatusError } from '../statuserror.js';

const MAX_TOKEN = 8 * 1024;
const TOKEN_NEEDED =
  'exactly one access token is needed, as `COOKIE: Authorization: Bearer TOKEN` or as `Authorization: Bearer TOKEN`';
/** As the interface writes it: the whole value of the header COOKIE. */
const COOKIE = /^Authorization: Bearer ([A-Za-z0-9._~+/-]+=*)$/;
/** The ordinary header; the scheme's case does not matter (RFC 9110, section 11.1). */
const AUTHORIZATION = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * The caller's access token, from `COOKIE: Authorization: Bearer TOKEN` or from `Authorization: Bearer TOKEN`. Both
 * headers at once, a repeated one, and anything beside the token are rejected.
 * @throws StatusError `forbidden`, which says what is needed and never repeats what was sent
 */
export function tokenOf(headers: HeaderMap): string {
  const cookies = headers.get('cookie') ?? [];
  const authorizations = headers.get('authorization') ?? [];
  const [value = ''] = [...cookies, ...authorizations];
  const pattern = cookies.length > 0 ? COOKIE : AUTHORIZATION;
  const short = value.length <= MAX_TOKEN + 'Authorization: Bearer '.length;
  const token = cookies.length + authorizations.length === 1 && short ? pattern.exec(value)?.[1] : undefined;
  if (token === undefined || token.length > MAX_TOKEN) throw new StatusError('forbidden', { message: TOKEN_NEEDED });
  return token;
}
