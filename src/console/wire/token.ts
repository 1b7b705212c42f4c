/** What a text needs to be sent as a token. Only the API server decides whether it is one of the hub. */

/** The longest token that fits into the head of a request, together with what browsers and proxies add. */
const MOST_TOKEN_CHARS = 16_000;
/** As RFC 6750 writes it. */
const SYNTAX = /^[A-Za-z0-9._~+/-]+=*$/;

/** The token in a text that was copied: without blanks, the line ends of a terminal, quotes, and the name of its header. */
export function cleanToken(text: string): string {
  return text
    .trim()
    .replace(/^(?:authorization:\s*)?bearer\s+/i, '')
    .replaceAll(/[\s"']/g, '');
}

/** Why a text cannot be sent as a token; undefined where it can. The text itself is never in it. */
export function tokenFault(token: string): string | undefined {
  if (token === '') return 'the token is empty';
  if (token.length > MOST_TOKEN_CHARS) return `the token has more than ${MOST_TOKEN_CHARS} characters`;
  return SYNTAX.test(token) ? undefined : 'this is no token: it has characters that tokens do not have';
}
