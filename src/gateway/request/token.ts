import type { HeaderMap } from './headers.js';
import { StatusError } from '../statuserror.js';

const MAX_TOKEN = 8 * 1024;
/** As the interface writes it: the whole value of the header COOKIE. */
const COOKIE = /^Authorization: Bearer ([A-Za-z0-9._~+/-]+=*)$/;
/** The ordinary header; the scheme's name is case-blind (RFC 9110, 11.1). */
const AUTHORIZATION = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * The caller's access token, of the one place where it stands: `COOKIE: Authorization: Bearer TOKEN`, or the ordinary
 * `Authorization: Bearer TOKEN`. Both at once, either of them twice, and anything beside the token are refused.
 * @throws Refusal `forbidden`, without a hint at what was wrong
 */
export function tokenOf(headers: HeaderMap): string {
  const cookies = headers.get('cookie') ?? [];
  const authorizations = headers.get('authorization') ?? [];
  const [value = ''] = [...cookies, ...authorizations];
  const pattern = cookies.length > 0 ? COOKIE : AUTHORIZATION;
  const short = value.length <= MAX_TOKEN + 'Authorization: Bearer '.length;
  const token = cookies.length + authorizations.length === 1 && short ? pattern.exec(value)?.[1] : undefined;
  if (token === undefined || token.length > MAX_TOKEN)
    throw new StatusError('forbidden', { message: 'one access token is needed' });
  return token;
}
