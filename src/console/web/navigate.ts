import { signal } from '@preact/signals';
import { formatRoute, parseRoute, type Route } from './route.js';

/** The page that is shown, in step with the address of the browser. */

export const route = signal<Route>(parseRoute(addressNow()));

function addressNow(): string {
  return `${location.pathname}${location.search}`;
}

export function navigate(to: Route): void {
  history.pushState(null, '', formatRoute(to));
  route.value = to;
  scrollTo(0, 0);
}

/** Without an entry in the history: for what changes while somebody types. */
export function amend(to: Route): void {
  history.replaceState(null, '', formatRoute(to));
  route.value = to;
}

export function startNavigation(): void {
  addEventListener('popstate', () => (route.value = parseRoute(addressNow())));
  // Links of the page change the route; the browser keeps new tabs and other hosts.
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="/"]') : null;
    if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || link.target !== '') return;
    event.preventDefault();
    navigate(parseRoute(`${link.pathname}${link.search}`));
  });
}
