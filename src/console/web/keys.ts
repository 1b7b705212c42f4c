import { navigate } from './navigate.js';
import { parseRoute } from './route.js';

/** Keys of the whole page: `/` and Ctrl-K to the box, `g` and a letter to a page. */

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
    const isBox = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
    if (isBox || (event.key === '/' && !event.ctrlKey && !isTyping(event.target))) {
      event.preventDefault();
      document.querySelector<HTMLElement>('.box input')?.focus();
      return;
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const to = event.timeStamp - goingSince < WAIT_MS ? PAGES[event.key] : undefined;
    goingSince = event.key === 'g' ? event.timeStamp : -Infinity;
    if (to !== undefined) navigate(parseRoute(to));
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}
