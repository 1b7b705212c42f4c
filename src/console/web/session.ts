import { NAMESPACE_HEADER, type Answer, type Session } from '../wire/answer.js';
import { cleanToken, tokenFault } from '../wire/token.js';
import { draft, dropDraft, isEmptyDraft } from './draft.js';
import {
  credential,
  faultOf,
  forgetAnswers,
  isSessionOpen,
  lastNamespace,
  send,
  session,
  sessionFault,
  takesToken,
  type Credential,
} from './store.js';
import { clockText } from './time.js';

/**
 * Who the page is for. All tabs of a browser have one session, and nobody sees what another person has read or written. What
 * proves who one is stays in the memory of the tabs and, for a reload, in the storage of each tab alone.
 */

const CHANNEL = 'console-session';
/** In the storage of the tab: the credential, and whose the draft is. */
const CREDENTIAL = 'console-credential';
const OWNER = 'console-owner';
/** Another tab answers at once, if there is one. */
const TABS_MS = 200;

type Message =
  | { readonly kind: 'ask' }
  | { readonly kind: 'in'; readonly credential: Credential }
  | { readonly kind: 'out' };

/** What opens a session: the code of a link, or a token. */
export type SessionKey = { readonly code: string } | { readonly token: string; readonly namespace: string };

/** Opens a session; why that has failed, or undefined. */
export async function logIn(key: SessionKey): Promise<string | undefined> {
  if ('code' in key) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(key) };
    const response = await send('session', init);
    if (response?.ok !== true) return faultOf(response);
    const { key: bearer = '' } = (await response.json()) as Session;
    return begin({ bearer, namespace: '' });
  }
  const bearer = cleanToken(key.token);
  return tokenFault(bearer) ?? begin({ bearer, namespace: key.namespace.trim() });
}

/** Reads another namespace with the same token; why that may not be, or undefined. */
export async function showNamespace(namespace: string): Promise<string | undefined> {
  return credential.value && begin({ ...credential.value, namespace: namespace.trim() });
}

/** Why no Placement of the namespace may be read; undefined where they may be. */
async function unreadable({ bearer, namespace }: Credential): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${bearer}`, [NAMESPACE_HEADER]: namespace };
  const response = await send('placements', { headers });
  if (response?.ok !== true) return faultOf(response);
  const { withheld } = (await response.json()) as Answer<unknown>;
  const isRefused = withheld.some(({ resource, except }) => resource === 'placements' && except === undefined);
  return isRefused ? `Placements of namespace ${namespace} may not be read with this token` : undefined;
}

/** Goes on with what this tab, another tab or a proxy has. */
export async function resume(): Promise<void> {
  await adopt(storedCredential() ?? (await askTabs()));
}

/** A session for all tabs; why it is none. */
async function begin(given: Credential): Promise<string | undefined> {
  const fault = (given.namespace === '' ? undefined : await unreadable(given)) ?? (await adopt(given));
  if (fault === undefined) tell({ kind: 'in', credential: given });
  return fault;
}

/** Opens a session; returns what was wrong. `given`: the credential; undefined: a proxy may send one. */
async function adopt(given: Credential | undefined): Promise<string | undefined> {
  credential.value = given;
  const response = await send('session');
  if (response?.ok !== true) {
    if (session.value === null) drop();
    return faultOf(response);
  }
  const found = (await response.json()) as Session;
  if (given !== undefined) sessionStorage.setItem(CREDENTIAL, JSON.stringify(given));
  // What was read of another namespace is not shown any more.
  if (lastNamespace.value !== (given?.namespace ?? '')) forgetAnswers();
  lastNamespace.value = given?.namespace ?? '';
  noteOwner(found);
  session.value = found;
  return undefined;
}

/** Ends the session in all tabs, and asks before a draft is lost. What was read and written with it is gone from them. */
export async function logOut(): Promise<void> {
  if (!isEmptyDraft(draft.value) && !confirm('To log out removes the draft of What if, too. Log out?')) return;
  await send('session', { method: 'DELETE' });
  end();
  tell({ kind: 'out' });
}

function end(): void {
  const { until, by } = session.value ?? {};
  const left = until === undefined ? 'as long as the hub accepts it' : `until ${clockText(until)}`;
  forget();
  drop();
  sessionStorage.removeItem(OWNER);
  takesToken.value = by === 'token';
  sessionFault.value = by === 'token' ? `you have logged out; the token itself works ${left}` : 'you have logged out';
  session.value = null;
}

function drop(): void {
  credential.value = undefined;
  sessionStorage.removeItem(CREDENTIAL);
}

/** Follows what other tabs do with the session, and tells those that begin of it. */
export function followTabs(): void {
  new BroadcastChannel(CHANNEL).addEventListener('message', ({ data }: MessageEvent<Message>) => {
    // This tab hears itself, too.
    switch (data.kind) {
      case 'out':
        if (isSessionOpen()) end();
        break;
      case 'in':
        if (!isSame(data.credential)) void adopt(data.credential);
        break;
      case 'ask':
        if (credential.value !== undefined && isSessionOpen()) tell({ kind: 'in', credential: credential.value });
    }
  });
}

function isSame({ bearer, namespace }: Credential): boolean {
  return bearer === credential.value?.bearer && namespace === credential.value.namespace;
}

function tell(message: Message): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(message);
  channel.close();
}

/** What another tab has; undefined where none answers. */
function askTabs(): Promise<Credential | undefined> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise<Credential | undefined>((resolve) => {
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.kind === 'in') resolve(data.credential);
    });
    channel.postMessage({ kind: 'ask' } satisfies Message);
    setTimeout(() => resolve(undefined), TABS_MS);
  }).finally(() => channel.close());
}

function storedCredential(): Credential | undefined {
  const text = sessionStorage.getItem(CREDENTIAL);
  // Only this file writes it.
  return text === null ? undefined : (JSON.parse(text) as Credential);
}

/** Another person than before begins anew. */
function noteOwner({ hub, user }: Session): void {
  const owner = `${user} ${hub}`;
  const before = sessionStorage.getItem(OWNER);
  if (before !== null && before !== owner) forget();
  sessionStorage.setItem(OWNER, owner);
}

function forget(): void {
  forgetAnswers();
  dropDraft();
}
