import { attemptedText, type Attempted } from './failure.js';
import { certificatesIn, certificateText, isOutOfDate, timeText } from './certificatetext.js';

/** The credentials that a server has rejected with 401. */
export interface Rejected {
  readonly attempted: Attempted;
  /** What they are and where they come from; undefined: unknown. */
  readonly presented: string | undefined;
  /** Read for its expiry alone. */
  readonly token: string | undefined;
}

/** One line: what was rejected, until when it is valid, the time here, and what to do. It never has a secret. */
export function rejectionText({ attempted, presented, token }: Rejected, now: number): string {
  const [certificate] = certificatesIn(attempted.clientCertificate ?? '');
  const expiry = token === undefined ? undefined : expiryOf(token);
  const facts = [
    ...(expiry === undefined ? [] : [`it expires at ${timeText(expiry)}`]),
    ...(certificate === undefined ? [] : [`certificate ${certificateText(certificate)}`]),
  ];
  const hasExpired =
    (expiry !== undefined && expiry < now) || (certificate !== undefined && isOutOfDate(certificate, now));
  const dates = facts.length === 0 ? '' : `: ${facts.join('; ')}, it is ${timeText(now)} here`;
  const remedy = hasExpired
    ? 'renew the credentials or log in again, unless the clock of this machine is wrong'
    : 'log in again, or correct the user: it may be of another cluster, revoked or deleted';
  return `${attemptedText(attempted)} rejects ${presented ?? 'the credentials'} (401 Unauthorized)${dates}; ${remedy}`;
}

/** When a JSON web token expires, in ms since the epoch; undefined for others. */
function expiryOf(token: string): number | undefined {
  const [, claims, signature] = token.split('.');
  if (claims === undefined || signature === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
