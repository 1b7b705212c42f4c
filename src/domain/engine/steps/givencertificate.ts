import { nameList } from '../../conditions.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { inspectKeyPair, validityProblem, type KeyPairFinding } from '../../../runtime/vocabulary/keypair.js';
import { isTree, type Tree } from '../manifest/manifest.js';

/** A Secret with a serving certificate that somebody else made: whether a component can serve with it. */

export type GivenCertificate = { readonly kind: 'usable' | 'doubtful' | 'unusable'; readonly message: string } & {
  /** When the state changes although the Secret does not, ms since the epoch; undefined: never. */
  readonly changesAt?: number;
};

/**
 * - usable: nothing wrong was found.
 * - doubtful: it is used, and may soon be of no use, or is of none to some.
 * - unusable: no server can use it, or no client accepts it.
 */
const CERTIFICATE = 'tls.crt';
const KEY = 'tls.key';
const TAKEN = 'was created by somebody else and is used unchanged';
/** As in the alert. A certificate that lives for a shorter time is renewed later. */
const EXPIRES_SOON_MS = 14 * 24 * 3600 * 1000;
const EXPIRES_SOON_SHARE = 1 / 6;

/** `data` of a Secret, base64. The finding has no part of the key. */
export function inspectSecretData(data: unknown): KeyPairFinding {
  const fields = isTree(data) ? data : {};
  const present = Object.keys(fields);
  if (present.length === 0) return { kind: 'unusable', problem: 'is empty: it has no data' };
  const missing = [CERTIFICATE, KEY].filter((name) => !present.includes(name));
  if (missing.length > 0) {
    const others = present.filter((name) => name !== CERTIFICATE && name !== KEY);
    const has = others.length === 0 ? '' : `; it has ${nameList(others)}, which nothing reads`;
    return { kind: 'unusable', problem: `has no ${missing.join(' and no ')} in its data${has}` };
  }
  const titles = { certificate: CERTIFICATE, key: KEY };
  return inspectKeyPair({ certificate: decoded(fields, CERTIFICATE), key: decoded(fields, KEY) }, titles);
}

/** The state of such a Secret of a component at that time, ms since the epoch. */
export function givenCertificate(finding: KeyPairFinding, component: string, now: number): GivenCertificate {
  if (finding.kind === 'unusable')
    return {
      kind: 'unusable',
      message: `${finding.problem}; a running ${component} keeps the pair that it has loaded, and a new one cannot start`,
    };
  const { notBefore, notAfter, names } = finding;
  const problem = validityProblem(finding, now);
  if (problem !== undefined) {
    const state = { kind: 'unusable', message: `${problem}: no client accepts it` } as const;
    return now < notBefore ? { ...state, changesAt: notBefore } : state;
  }
  const soonAt = notAfter - Math.min(EXPIRES_SOON_MS, (notAfter - notBefore) * EXPIRES_SOON_SHARE);
  const validity = `valid until ${timestamp(notAfter)}`;
  if (names.length === 0) {
    const message = `${TAKEN}; ${validity}; it has no subjectAltName, without which clients accept it for no name`;
    return { kind: 'doubtful', message, changesAt: notAfter };
  }
  if (now >= soonAt)
    return { kind: 'doubtful', message: `${TAKEN}; it expires soon: ${validity}`, changesAt: notAfter };
  return { kind: 'usable', message: `${TAKEN}; ${validity}, for ${nameList(names)}`, changesAt: soonAt };
}

/** The state of such a Secret that could not be read. */
export function unreadCertificate(why: string): GivenCertificate {
  return { kind: 'doubtful', message: `${TAKEN}; its content could not be read and is not checked: ${why}` };
}

/** Text of a value in base64; of a value that is none, nothing. */
function decoded(fields: Tree, name: string): string {
  const value = fields[name];
  try {
    return typeof value === 'string' ? atob(value) : '';
  } catch {
    return '';
  }
}
