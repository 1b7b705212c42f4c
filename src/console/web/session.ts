import { dropDraft } from './draft.js';
import {
  forgetAnswers,
  isLost,
  openSession,
  send,
  session,
  sessionFault,
  takesToken,
  type SessionKey,
} from './store.js';

/** Who the page is for: all tabs of a browser have one session, and nobody sees what another person has read or written. */

const CHANNEL = 'console-session';
/** In the storage of the tab: whose the draft is. */
const OWNER = 'console-owner';

type Message = 'in' | 'out';

/** Asks whose session this is, or opens one; why that has failed, or undefined. */
export async function logIn(key: SessionKey | undefined): Promise<string | undefined> {
  const fault = await openSession(key);
  if (fault === undefined) noteOwner();
  if (fault === undefined && key !== undefined) tell('in');
  return fault;
}

/** Ends the session for all tabs. What was read and written with it is gone from them. */
export async function logOut(): Promise<void> {
  await send('session', { method: 'DELETE' });
  // Nobody has ended it.
  if (isLost.value) return;
  end();
  tell('out');
}

function end(): void {
  forget();
  sessionStorage.removeItem(OWNER);
  takesToken.value = true;
  sessionFault.value = 'you have logged out';
  session.value = null;
}

/** Follows what other tabs do with the session. */
export function followTabs(): void {
  new BroadcastChannel(CHANNEL).addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data === 'out') end();
    else void logIn(undefined);
  });
}

function tell(message: Message): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(message);
  channel.close();
}

/** Another person than before begins anew. */
function noteOwner(): void {
  const { hub = '', user = '' } = session.value ?? {};
  const owner = `${user} ${hub}`;
  const before = sessionStorage.getItem(OWNER);
  if (before !== null && before !== owner) forget();
  sessionStorage.setItem(OWNER, owner);
}

function forget(): void {
  forgetAnswers();
  dropDraft();
}
