import { useEffect, useRef, type MutableRef } from 'preact/hooks';
import { navigate } from './navigate.js';
import { parseRoute } from './route.js';

/** Keys of the whole page: `/` and Ctrl-K to the box, `g` and a letter to a page, `?` to the list of them. */

const PAGES: Readonly<Record<string, string>> = {
  f: '/fleet',
  p: '/placements',
  w: '/what-if',
  e: '/engine',
  v: '/events',
};
/** As the list has them. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['/ or Ctrl-K', 'find or ask'],
  ...Object.entries(PAGES).map(([key, address]) => [`g ${key}`, address.slice(1).replace('-', ' ')] as const),
  ['↑ ↓ Enter', 'in lists: move, open'],
  ['Esc', 'clear, close, leave'],
  ['?', 'these keys'],
];
export const KEYS_DIALOG = 'keys';
const WAIT_MS = 1_200;

export function startKeys(): void {
  let goingSince = -Infinity;
  document.addEventListener('keydown', (event) => {
    const isBox = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
    if (isBox || (event.key === '/' && !event.ctrlKey && !isTyping(event.target))) {
      event.preventDefault();
      document.querySelector<HTMLElement>('.box input')?.focus();
      return;
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === '?') document.querySelector<HTMLDialogElement>(`#${KEYS_DIALOG}`)?.showModal();
    const to = event.timeStamp - goingSince < WAIT_MS ? PAGES[event.key] : undefined;
    goingSince = event.key === 'g' ? event.timeStamp : -Infinity;
    if (to !== undefined) navigate(parseRoute(to));
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

/** The part of a page that the address asks for comes into sight, with the focus on it. */
export function useArrival(isAsked: boolean): MutableRef<HTMLElement | null> {
  const part = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isAsked) return;
    part.current?.focus({ preventScroll: true });
    part.current?.scrollIntoView();
  }, [isAsked]);
  return part;
}
