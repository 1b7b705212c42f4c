import { isSessionOpen, now, refresh, session } from './store.js';
import { effect } from '@preact/signals';

/** Asks again for what is shown: often while something happens, never while the page is hidden. */

const SHORTEST_MS = 2_000;
/** The page says that it is live: what it shows may not be older. */
const LONGEST_MS = 4_000;
/** After a change, or after the person has done something, it is asked often for half a minute. */
const BUSY_MS = 30_000;
/** What a person does to a page. */
const ACTIONS = ['pointerdown', 'keydown'] as const;

/** Ms until what is shown is asked for again, `quiet` ms after the last change or action. */
export function waitAfter(quiet: number): number {
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, (SHORTEST_MS * quiet) / BUSY_MS));
}

export function startPolling(): void {
  let timer = 0;
  let lastChange = performance.now();
  const isShown = (): boolean => document.visibilityState === 'visible' && isSessionOpen();
  const later = (): void => {
    clearTimeout(timer);
    if (isShown()) timer = window.setTimeout(() => void ask(), waitAfter(performance.now() - lastChange));
  };
  const ask = async (): Promise<void> => {
    clearTimeout(timer);
    now.value = Date.now();
    if (isShown() && (await refresh())) lastChange = performance.now();
    later();
  };
  for (const action of ACTIONS)
    addEventListener(action, () => {
      const wasQuiet = performance.now() - lastChange > BUSY_MS;
      lastChange = performance.now();
      if (wasQuiet) later();
    });
  document.addEventListener('visibilitychange', () => void ask());
  addEventListener('pageshow', () => void ask());
  effect(() => {
    // Another person, or nobody any more.
    if (session.value !== undefined) setTimeout(() => void ask());
  });
}
