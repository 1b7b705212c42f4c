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

/** `what`: what is therefore not known. */
export function unread(name: string, what: string, { resource, verb, status }: Omit<Unread, 'kind'>): CheckResult {
  return { name, status: 'Unknown', message: `${what} is not known; not readable: ${resource} (${verb}: ${status})` };
}
