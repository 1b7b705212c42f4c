import { signal } from '@preact/signals';
import { formatRoute, parseRoute, type Route } from './route.js';
import { BASE } from './store.js';

/** The page that is shown, in step with the address of the browser. */

export const route = signal<Route>(routeNow(location));

/** What the address holds below the path that the page came from. */
function routeNow({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Route {
  return parseRoute(`${pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : ''}${search}`);
}

export function hrefOf(to: Route): string {
  return BASE + formatRoute(to);
}

/** On the page that is shown, with an entry in the history: for what somebody presses. Nothing moves but what changes. */
export function turn(to: Route): void {
  history[hrefOf(to) === hrefOf(route.value) ? 'replaceState' : 'pushState'](null, '', hrefOf(to));
  route.value = to;
}

/** To another page, from its top. */
export function navigate(to: Route): void {
  turn(to);
  scrollTo(0, 0);
}

/** Without an entry in the history: for what changes while somebody types. */
export function amend(to: Route): void {
  history.replaceState(null, '', hrefOf(to));
  route.value = to;
}

export function startNavigation(): void {
  addEventListener('popstate', () => (route.value = routeNow(location)));
  // Links of the page change the route; the browser keeps new tabs and other hosts.
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="/"]') : null;
    if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || link.target !== '') return;
    event.preventDefault();
    navigate(routeNow(link));
  });
}
