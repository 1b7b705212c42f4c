import { effect, signal, untracked } from '@preact/signals';
import { Live, type TabMessage } from './live.js';
import { isSessionOpen, now, reading, refresh, refreshTopics, send, wanted } from './store.js';

/** How this tab learns of changes, with what its browser has for it. */

const TICK_MS = 5_000;
const NAME = 'console-stream';

/** Whether this tab asks again and again, since there is no stream. */
export const isPolling = signal(false);

/** Hidden tabs read nothing. */
export function startLive(): void {
  const channel = new BroadcastChannel(NAME);
  const live = new Live(crypto.randomUUID(), {
    read: readStream,
    post: (message) => channel.postMessage(message),
    hold: (held, abort) => navigator.locks.request(NAME, { signal: abort }, held),
    later: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    onTopics: refreshTopics,
    onBeat: (asOf) => (reading.value = { asOf, stale: reading.value?.stale }),
    onPoll: refresh,
    onPolling: (is) => (isPolling.value = is),
  });
  // Only tabs of this page post there.
  channel.addEventListener('message', (event: MessageEvent<TabMessage>) => live.hear(event.data));
  const isShown = (): boolean => document.visibilityState === 'visible' && isSessionOpen();
  setInterval(() => (now.value = Date.now()), TICK_MS);
  document.addEventListener('visibilitychange', () => {
    now.value = Date.now();
    live.show(isShown());
    // What has changed meanwhile was not told.
    if (isShown()) refresh();
  });
  addEventListener('pagehide', () => live.show(false));
  addEventListener('pageshow', () => live.show(isShown()));
  effect(() => {
    const { value } = wanted;
    untracked(() => live.want(value));
  });
  effect(() => {
    const isOpen = isSessionOpen();
    // What follows changes signals that it reads, which ends an effect of them.
    untracked(() => {
      live.show(isShown());
      if (isOpen) refresh();
    });
  });
}

async function readStream(address: string, onText: (text: string) => void, abort: AbortSignal): Promise<boolean> {
  const response = await send(address, { signal: abort });
  const reader = response?.ok === true ? response.body?.getReader() : undefined;
  if (reader === undefined) return false;
  const decoder = new TextDecoder();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      onText(decoder.decode(chunk.value, { stream: true }));
  } catch {
    // The connection has ended, or this tab has ended it.
  }
  return true;
}
