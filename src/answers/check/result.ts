import { CLI_API_VERSION } from '../output.js';

/** What was read, or what could not be. */
export type Read<T> = { readonly kind: 'Known'; readonly value: T } | Unread;

export interface Unread {
  readonly kind: 'Withheld';
  /** Plural name of the resource. */
  readonly resource: string;
  readonly verb: 'get' | 'list' | 'create';
  /** HTTP code of the response. */
  readonly status: number;
}

/** `Unknown`: it depends on something that could not be read. */
export type CheckStatus = 'Passed' | 'Warning' | 'Failed' | 'Unknown';

export interface CheckResult {
  /** One word for programs, the same in every version. */
  readonly name: string;
  readonly status: CheckStatus;
  readonly message: string;
  /** A command that mends it or shows more, or a page of the docs. */
  readonly remedy?: string | undefined;
}

/** All checks in the order of their output: kind CheckReport (docs/reference/cli/checkreport.schema.json). */
export interface CheckReport {
  readonly apiVersion: string;
  readonly kind: 'CheckReport';
  /** Whether these are the checks before an installation. */
  readonly pre: boolean;
  readonly checks: readonly CheckResult[];
}

export function checkReport(checks: readonly CheckResult[], pre: boolean): CheckReport {
  return { apiVersion: CLI_API_VERSION, kind: 'CheckReport', pre, checks };
}

/** The remedy where all of a kind is missing. Single files, applied before `helm install`, would make that fail. */
export const INSTALL_REMEDY = 'install the product: docs/how-to/install.md';

export function passed(name: string, message: string): CheckResult {
  return { name, status: 'Passed', message };
}

export function warning(name: string, message: string, remedy?: string): CheckResult {
  return { name, status: 'Warning', message, remedy };
}

export function failed(name: string, message: string, remedy?: string): CheckResult {
  return { name, status: 'Failed', message, remedy };
}

const READER_REMEDY = 'ClusterRole multicluster-engine-reader grants it: docs/how-to/roles.md';

/** `what`: what is therefore not known. Of a missing right the remedy is the role that has it. */
export function unread(name: string, what: string, { resource, verb, status }: Omit<Unread, 'kind'>): CheckResult {
  const message = `${what} is not known; not readable: ${resource} (${verb}: ${status})`;
  return { name, status: 'Unknown', message, remedy: status === 403 ? READER_REMEDY : undefined };
}
