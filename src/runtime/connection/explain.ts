import { getSystemErrorMap } from 'node:util';
import { CERTIFICATE_CODES, OTHER_CERTIFICATE_CODES, TLS_CODES } from './tlscodes.js';
import type { Explanation, Phase } from './explanation.js';
import { HTTP_CODES, NETWORK_CODES, OTHER_SYSTEM_CODES } from './networkcodes.js';

/** Words for the codes of Node, OpenSSL and undici that users meet, and for each family of all others. */
export const EXPLANATIONS: readonly Explanation[] = [
  ...NETWORK_CODES,
  ...CERTIFICATE_CODES,
  ...TLS_CODES,
  ...HTTP_CODES,
  ...OTHER_CERTIFICATE_CODES,
  ...OTHER_SYSTEM_CODES,
];

const UNKNOWN: Explanation = {
  area: 'network',
  code: '*',
  what: 'the connection has failed',
  remedy: 'report it with this line: it is a fault of this program',
};

const EXACT = EXPLANATIONS.filter(({ code }) => !code.includes('*'));
const FAMILIES = EXPLANATIONS.filter(({ code }) => code.includes('*')).map((row) => ({
  row,
  pattern: new RegExp(`^${row.code.replaceAll('*', '[A-Z0-9_/]*')}$`),
}));

/** The words for a code; undefined where the table has none. */
export function knownExplanation(code: string, phase?: Phase): Explanation | undefined {
  const exact = EXACT.filter((row) => row.code === code);
  const phases = phase === 'plain' ? [phase, 'exchange', undefined] : [phase, undefined];
  const row = phases.map((one) => exact.find(({ during }) => during === one)).find((found) => found !== undefined);
  return row ?? exact[0] ?? FAMILIES.find(({ pattern }) => pattern.test(code))?.row;
}

export function explanationOf(code: string, phase?: Phase): Explanation {
  return knownExplanation(code, phase) ?? UNKNOWN;
}

/** `{words}` for a code of which the error itself says nothing: the text of the system, else the code in words. */
export function wordsOf(code: string): string {
  const system = SYSTEM_TEXTS.get(code);
  if (system !== undefined) return system;
  return code
    .replace(/^(ERR_SSL|ERR_OSSL|ERR_TLS|ERR_SOCKET|ERR_HTTP|ERR_CRYPTO|HPE|UND_ERR|ERR)_/, '')
    .toLowerCase()
    .replaceAll('_', ' ');
}

const SYSTEM_TEXTS: ReadonlyMap<string, string> = new Map(getSystemErrorMap().values());
