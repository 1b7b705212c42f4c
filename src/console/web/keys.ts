import { navigate } from './navigate.js';
import { parseRoute } from './route.js';

/** Keys of the whole page: `/` to the filter, `g` and a letter to a page. */

const PAGES: Readonly<Record<string, string>> = {
  f: '/fleet',
  p: '/placements',
  w: '/what-if',
  e: '/engine',
  v: '/events',
};
const WAIT_MS = 1_200;

export function startKeys(): void {
  let goingSince = -Infinity;
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const to = event.timeStamp - goingSince < WAIT_MS ? PAGES[event.key] : undefined;
    goingSince = event.key === 'g' ? event.timeStamp : -Infinity;
    if (to !== undefined) navigate(parseRoute(to));
    if (event.key !== '/') return;
    event.preventDefault();
    document.querySelector<HTMLElement>('[data-search]')?.focus();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}
