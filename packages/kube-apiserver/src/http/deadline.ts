import type { RequestInfo } from './requestinfo.js';
import { goQuote } from '@multicluster-engine/values/text';
import { badRequest } from '../status.js';

/** Requests without a time limit. */
const LONG = ['watch', 'proxy'];

/**
 * Validates the parameter `timeout`. Its value has no effect: no request here takes that long.
 * @throws StatusError 400 where it is not a duration
 */
export function checkTimeout(info: RequestInfo, timeout: string | undefined): void {
  if (timeout === undefined || timeout === '' || (info.isResource && LONG.includes(info.verb))) return;
  const problem = durationProblem(timeout);
  if (problem !== undefined) throw badRequest(`invalid timeout specified in the request URL - time: ${problem}`);
}

const UNITS = ['ns', 'us', '\u00b5s', '\u03bcs', 'ms', 's', 'm', 'h'];
const PART = /^(?:\d+\.?\d*|\.\d+)([^\d.]*)/;

/** The error of Go's ParseDuration; undefined for a valid duration. */
function durationProblem(text: string): string | undefined {
  const invalid = `invalid duration ${goQuote(text)}`;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return undefined;
  if (rest === '') return invalid;
  while (rest !== '') {
    const [part, unit] = PART.exec(rest) ?? [];
    if (part === undefined || unit === undefined) return invalid;
    if (unit === '') return `missing unit in duration ${goQuote(text)}`;
    if (!UNITS.includes(unit)) return `unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`;
    rest = rest.slice(part.length);
  }
  return undefined;
}
