import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import {
  AS_OF_HEADER,
  BUILD_HEADER,
  NAMESPACE_HEADER,
  type Answer,
  type Session,
  type Status,
  type Withheld,
} from '../wire/answer.js';

/** What the page has read of the server: each address once, and again and again while it is shown. */

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly withheld: readonly Withheld[];
  readonly namespace: string | undefined;
  /** Why the last request failed; the data before stays. */
  readonly error: Status | undefined;
}

const NOTHING: Loaded<never> = {
  data: undefined,
  withheld: [],
  namespace: undefined,
  error: undefined,
};

interface Entry {
  readonly loaded: Signal<Loaded<unknown>>;
  /** What the answer says of the hub. */
  of: Pick<Answer<unknown>, 'stale' | 'undecided'>;
  users: number;
  tag: string;
  /** Whether it brings something else. */
  request: Promise<boolean> | undefined;
  /** The server wants to be asked again then, not before; by `performance.now`. */
  notBefore: number;
}

/** So many addresses are kept that nobody shows: going back shows them at once. */
const MOST_KEPT = 60;

const entries = new Map<string, Entry>();
/** How often all that was read was forgotten. */
let epoch = 0;
/** The file of this page, and the path below which its server is: empty, or such as `/mce` behind a proxy. */
const [, folder = '', OWN_BUILD = ''] = /^(.*)\/(.*)$/.exec(new URL(import.meta.url).pathname) ?? [];
export const BASE = folder;

/** The time, for spans. */
export const now = signal(Date.now());
/** Undefined: not known yet; null: there is none, or it is over. */
export const session = signal<Session | null | undefined>(undefined);
/** What proves who one is; undefined where nothing does, or a proxy does. */
export interface Credential {
  /** A token of the hub, or the key that the code of a link was traded for. */
  readonly bearer: string;
  /** The only namespace to read where all of them may not be read; empty: that of the token. */
  readonly namespace: string;
}

export const credential = signal<Credential | undefined>(undefined);

function credentialHeaders(): Record<string, string> {
  const { bearer, namespace } = credential.value ?? { bearer: '', namespace: '' };
  return {
    ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }),
    ...(namespace === '' ? {} : { [NAMESPACE_HEADER]: namespace }),
  };
}

/** Whether there is a session. */
export function isSessionOpen(): boolean {
  return session.value !== null && session.value !== undefined;
}

/** What the server said when there was no session. */
export const sessionFault = signal('');
/** Whether a token opens a session here: no link does. */
export const takesToken = signal(false);
/** What was named at the last login of this tab. */
export const lastNamespace = signal('');
/** When the hub was read last, why not since, and whether it decides. */
export const reading = signal<Pick<Answer<unknown>, 'asOf' | 'stale' | 'undecided'> | undefined>(undefined);
/** Whether nothing is decided: what a status says is of before. */
export function isUndecided(): boolean {
  const { undecided } = reading.value ?? {};
  return undecided !== undefined && undecided.isOfSome !== true;
}

/** Whether the server does not answer. */
export const isLost = signal(false);
/** Whether the server has another page than this one. */
export const isOld = signal(false);

/** After which a reading counts as not answered: the largest fleet takes a tenth of it. */
const SILENT_MS = 15_000;

/** Sends a request of the page. Resolves with undefined where the server does not answer, and where it was given up. */
export async function send(path: string, init: RequestInit = {}): Promise<Response | undefined> {
  try {
    const headers = { ...credentialHeaders(), ...Object.fromEntries(new Headers(init.headers)) };
    const response = await fetch(`${BASE}/api/v1/${path}`, {
      // A server that hangs counts as one that does not answer; what a request changes is waited for.
      ...(init.method === undefined && { signal: AbortSignal.timeout(SILENT_MS) }),
      ...init,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
    });
    isLost.value = false;
    const build = response.headers.get(BUILD_HEADER);
    if (build !== null) isOld.value = build !== OWN_BUILD;
    if (response.status === 401) {
      takesToken.value = response.headers.has('www-authenticate');
      endSession(await statusOf(response.clone()));
    }
    return response;
  } catch {
    if (init.signal?.aborted !== true) isLost.value = true;
    return undefined;
  }
}

function endSession(status: Status): void {
  // The first answer says why: those after it only that there is none.
  if (session.value === null) return;
  sessionFault.value = status.message;
  session.value = null;
}

async function statusOf(response: Response): Promise<Status> {
  try {
    return (await response.json()) as Status;
  } catch {
    return statusWith(response.status, `HTTP ${response.status}`);
  }
}

/** Why there is no good answer. */
export async function faultOf(response: Response | undefined): Promise<string> {
  return (response === undefined ? lostStatus() : await statusOf(response)).message;
}

export function placementPath(namespace: string, name: string): string {
  return `placements/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

/** Sends a change or a draft; the answer, or the error. */
export async function post<T>(path: string, body: unknown, given?: AbortSignal): Promise<Answer<T> | Status> {
  const headers = { 'content-type': 'application/json' };
  return answerOf(await send(path, { method: 'POST', headers, body: JSON.stringify(body), signal: given ?? null }));
}

/** Reads an address once, whatever is known of it already; the answer, or the error. */
export async function readNow<T>(path: string): Promise<Answer<T> | Status> {
  return answerOf(await send(path));
}

async function answerOf<T>(response: Response | undefined): Promise<Answer<T> | Status> {
  if (response === undefined) return lostStatus();
  return response.ok ? ((await response.json()) as Answer<T>) : statusOf(response);
}

export const LOST = 'the console does not answer: is its command still running?';

function lostStatus(): Status {
  return statusWith(0, LOST);
}

function statusWith(code: number, message: string): Status {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason: '', message };
}

export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
}

/** Nothing that was read before is shown any more. */
export function forgetAnswers(): void {
  epoch += 1;
  lastNamespace.value = '';
  reading.value = undefined;
  for (const [path, entry] of entries) {
    entry.notBefore = 0;
    // What is under way was asked for by the session before.
    entry.request = undefined;
    entry.tag = '';
    entry.loaded.value = NOTHING;
    if (entry.users === 0) entries.delete(path);
  }
}

/** Reads every address that is shown again; whether something is another than before. */
export async function refresh(): Promise<boolean> {
  const shown = [...entries].filter(([, { users }]) => users > 0);
  const changed = await Promise.all(shown.map(([path, entry]) => load(path, entry)));
  return changed.includes(true);
}

function entryOf(path: string): Entry {
  const known = entries.get(path);
  if (known !== undefined) return known;
  for (const [old, { users }] of entries) if (entries.size > MOST_KEPT && users === 0) entries.delete(old);
  const entry: Entry = {
    loaded: signal<Loaded<unknown>>(NOTHING),
    of: {},
    users: 0,
    tag: '',
    request: undefined,
    notBefore: 0,
  };
  entries.set(path, entry);
  return entry;
}

function load(path: string, entry: Entry): Promise<boolean> {
  if (session.value === null || performance.now() < entry.notBefore) return Promise.resolve(false);
  entry.request ??= loadNow(path, entry).finally(() => (entry.request = undefined));
  return entry.request;
}

async function loadNow(path: string, entry: Entry): Promise<boolean> {
  const asked = epoch;
  const response = await send(path, entry.tag === '' ? {} : { headers: { 'if-none-match': entry.tag } });
  // It is about what another person may read.
  if (asked !== epoch) return false;
  const before = entry.loaded.value;
  if (response === undefined) {
    if (before.data === undefined) entry.loaded.value = { ...before, error: lostStatus() };
    return false;
  }
  entry.notBefore = performance.now() + 1_000 * Number(response.headers.get('retry-after') ?? 0);
  const asOf = response.headers.get(AS_OF_HEADER) ?? undefined;
  const isSame = response.status === 304;
  if (isSame && before.error !== undefined) entry.loaded.value = { ...before, error: undefined };
  else if (response.ok) {
    const { data, withheld, namespace, ...of } = (await response.json()) as Answer<unknown>;
    if (asked !== epoch) return false;
    entry.tag = response.headers.get('etag') ?? '';
    entry.of = of;
    entry.loaded.value = { data, withheld, namespace, error: undefined };
  } else if (!isSame && response.status !== 401) entry.loaded.value = { ...before, error: await statusOf(response) };
  if (asOf !== undefined) reading.value = { ...entry.of, asOf };
  return response.ok;
}

/** What the address holds, read again while the component is shown; undefined: nothing is read. */
export function useLoaded<T>(path: string | undefined): Loaded<T> {
  const entry = useMemo(() => (path === undefined ? undefined : entryOf(path)), [path]);
  useEffect(() => {
    if (entry === undefined || path === undefined) return undefined;
    entry.users += 1;
    void load(path, entry);
    return () => void (entry.users -= 1);
  }, [entry, path]);
  // The server computes what the path stands for: its type is that of the route.
  return (entry?.loaded ?? NO_ENTRY).value as Loaded<T>;
}

const NO_ENTRY: ReadonlySignal<Loaded<unknown>> = signal<Loaded<unknown>>(NOTHING);

/** As {@link useLoaded}; while another address is read, the data before stays. */
export function useLatest<T>(path: string | undefined): Loaded<T> & { readonly isOther: boolean } {
  const loaded = useLoaded<T>(path);
  const last = useRef<T | undefined>(undefined);
  if (loaded.data !== undefined) last.current = loaded.data;
  const isOther = loaded.data === undefined && loaded.error === undefined;
  return { ...loaded, data: isOther ? last.current : loaded.data, isOther };
}
