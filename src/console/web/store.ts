import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { AS_OF_HEADER, BUILD_HEADER, type Answer, type Session, type Status, type Withheld } from '../wire/answer.js';
import { ALL_TOPICS, topicOf } from '../wire/topics.js';

/** What the page has read of the server: each address once, and again when its topic has changed while it is shown. */

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly asOf: string | undefined;
  readonly stale: string | undefined;
  readonly withheld: readonly Withheld[];
  readonly namespace: string | undefined;
  /** Why the last request failed; the data before stays. */
  readonly error: Status | undefined;
}

const NOTHING: Loaded<never> = {
  data: undefined,
  asOf: undefined,
  stale: undefined,
  withheld: [],
  namespace: undefined,
  error: undefined,
};

interface Entry {
  readonly loaded: Signal<Loaded<unknown>>;
  users: number;
  tag: string;
  request: Promise<void> | undefined;
  /** Asks again, since the last request has failed. */
  retry: number | undefined;
}

/** Where an answer does not say when to ask again, ms. Of what has changed the page is told once. */
const RETRY_MS = 5_000;

/** So many addresses are kept that nobody shows: going back shows them at once. */
const MOST_KEPT = 60;

const entries = new Map<string, Entry>();
/** How often all that was read was forgotten. */
let epoch = 0;
/** Topics that are followed without an address, and how often each was told of. */
const ticks = new Map<string, { readonly count: Signal<number>; users: number }>();
/** The file of this page. */
const OWN_BUILD = new URL(import.meta.url).pathname.slice(1);

/** The time, for spans. */
export const now = signal(Date.now());
/** Undefined: not known yet; null: there is none, or it is over. */
export const session = signal<Session | null | undefined>(undefined);
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
/** When the hub was read last, and why not since. */
export const reading = signal<{ readonly asOf: string; readonly stale: string | undefined } | undefined>(undefined);
/** Whether the server does not answer. */
export const isLost = signal(false);
/** The topics of what is shown, sorted. */
export const wanted = signal<readonly string[]>([]);
/** Whether the server has another page than this one. */
export const isOld = signal(false);

/** Sends a request of the page. Resolves with undefined where the server does not answer, and where it was given up. */
export async function send(path: string, init: RequestInit = {}): Promise<Response | undefined> {
  try {
    const response = await fetch(`/api/v1/${path}`, { ...init, credentials: 'same-origin', cache: 'no-store' });
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
    const message = `HTTP ${response.status}`;
    return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: response.status, reason: '', message };
  }
}

/** What opens a session: the code of a link, or a token. */
export type SessionKey = { readonly code: string } | { readonly token: string; readonly namespace: string };

/** Asks whose session this is, or opens one; why that has failed, or undefined. */
export async function openSession(key: SessionKey | undefined): Promise<string | undefined> {
  const body = JSON.stringify(key);
  const opening: RequestInit = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const response = await send('session', key === undefined ? {} : opening);
  if (response?.ok !== true) return (response === undefined ? lostStatus() : await statusOf(response)).message;
  const found = (await response.json()) as Session;
  session.value = found;
  if (key !== undefined && 'namespace' in key) lastNamespace.value = key.namespace;
  return undefined;
}

/** The address of one Placement. */
export function placementPath(namespace: string, name: string): string {
  return `placements/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

/** Sends a change or a draft; the answer, or the error. */
export async function post<T>(path: string, body: unknown): Promise<Answer<T> | Status> {
  const headers = { 'content-type': 'application/json' };
  return answerOf(await send(path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

/** Reads an address once, whatever is known of it already; the answer, or the error. */
export async function readNow<T>(path: string): Promise<Answer<T> | Status> {
  return answerOf(await send(path));
}

async function answerOf<T>(response: Response | undefined): Promise<Answer<T> | Status> {
  if (response === undefined) return lostStatus();
  return response.ok ? ((await response.json()) as Answer<T>) : statusOf(response);
}

function lostStatus(): Status {
  const message = 'the console does not answer: is its command still running?';
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 0, reason: 'Lost', message };
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
    clearTimeout(entry.retry);
    // What is under way was asked for by the session before.
    entry.request = undefined;
    entry.tag = '';
    entry.loaded.value = NOTHING;
    if (entry.users === 0) entries.delete(path);
  }
}

/** Reads every address that is shown again, now. */
export function refresh(): void {
  refreshTopics([ALL_TOPICS]);
}

/** Reads what is shown of these topics again. */
export function refreshTopics(topics: readonly string[]): void {
  const isTold = (topic: string | undefined): boolean =>
    topics.includes(ALL_TOPICS) || (topic !== undefined && topics.includes(topic));
  for (const [path, entry] of entries) if (entry.users > 0 && isTold(topicOf(path))) void load(path, entry);
  for (const [topic, { count, users }] of ticks) if (users > 0 && isTold(topic)) count.value += 1;
}

function noteWanted(): void {
  const shown = [...entries].filter(([, { users }]) => users > 0).map(([path]) => topicOf(path));
  const followed = [...ticks].filter(([, { users }]) => users > 0).map(([topic]) => topic);
  const topics = [...new Set([...shown, ...followed])].filter((one) => one !== undefined).sort();
  if (topics.join() !== wanted.value.join()) wanted.value = topics;
}

/** Counts how often the topic was told of while the component is shown. */
export function useTopic(topic: string): number {
  const tick = useMemo(() => {
    const known = ticks.get(topic) ?? { count: signal(0), users: 0 };
    ticks.set(topic, known);
    return known;
  }, [topic]);
  useEffect(() => {
    tick.users += 1;
    noteWanted();
    return () => {
      tick.users -= 1;
      noteWanted();
    };
  }, [tick]);
  return tick.count.value;
}

function entryOf(path: string): Entry {
  const known = entries.get(path);
  if (known !== undefined) return known;
  for (const [old, { users }] of entries) if (entries.size > MOST_KEPT && users === 0) entries.delete(old);
  const entry: Entry = {
    loaded: signal<Loaded<unknown>>(NOTHING),
    users: 0,
    tag: '',
    request: undefined,
    retry: undefined,
  };
  entries.set(path, entry);
  return entry;
}

function load(path: string, entry: Entry): Promise<void> {
  if (session.value === null) return Promise.resolve();
  entry.request ??= loadNow(path, entry).finally(() => (entry.request = undefined));
  return entry.request;
}

async function loadNow(path: string, entry: Entry): Promise<void> {
  clearTimeout(entry.retry);
  const asked = epoch;
  const response = await send(path, entry.tag === '' ? {} : { headers: { 'if-none-match': entry.tag } });
  // It is about what another person may read.
  if (asked !== epoch) return;
  const before = entry.loaded.value;
  if (response === undefined || response.status === 429 || response.status >= 500) retryLater(path, entry, response);
  if (response === undefined) {
    if (before.data === undefined) entry.loaded.value = { ...before, error: lostStatus() };
    return;
  }
  const asOf = response.headers.get(AS_OF_HEADER) ?? before.asOf;
  if (response.status === 304) entry.loaded.value = { ...before, asOf, error: undefined };
  else if (response.ok) {
    const { data, stale, withheld, namespace } = (await response.json()) as Answer<unknown>;
    if (asked !== epoch) return;
    entry.tag = response.headers.get('etag') ?? '';
    entry.loaded.value = { data, asOf, stale, withheld, namespace, error: undefined };
  } else if (response.status !== 401) entry.loaded.value = { ...before, error: await statusOf(response) };
  if (asOf !== undefined) reading.value = { asOf, stale: entry.loaded.value.stale };
}

function retryLater(path: string, entry: Entry, response: Response | undefined): void {
  const seconds = Number(response?.headers.get('retry-after') ?? 0);
  const isShown = (): boolean => entry.users > 0 && document.visibilityState === 'visible';
  entry.retry = window.setTimeout(() => isShown() && void load(path, entry), Math.max(seconds * 1_000, RETRY_MS));
}

/** What the address holds, read again while the component is shown; undefined: nothing is read. */
export function useLoaded<T>(path: string | undefined): Loaded<T> {
  const entry = useMemo(() => (path === undefined ? undefined : entryOf(path)), [path]);
  useEffect(() => {
    if (entry === undefined || path === undefined) return undefined;
    entry.users += 1;
    noteWanted();
    void load(path, entry);
    return () => {
      entry.users -= 1;
      noteWanted();
    };
  }, [entry, path]);
  // The server computes what the path stands for: its type is that of the route.
  return (entry?.loaded ?? NO_ENTRY).value as Loaded<T>;
}

const NO_ENTRY: ReadonlySignal<Loaded<unknown>> = signal<Loaded<unknown>>(NOTHING);

/** As {@link useLoaded}; while another address is read, the data before stays. */
export function useLatest<T>(path: string): Loaded<T> & { readonly isOther: boolean } {
  const loaded = useLoaded<T>(path);
  const last = useRef<T | undefined>(undefined);
  if (loaded.data !== undefined) last.current = loaded.data;
  const isOther = loaded.data === undefined && loaded.error === undefined;
  return { ...loaded, data: isOther ? last.current : loaded.data, isOther };
}
