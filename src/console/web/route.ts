import { COLORING, GROUPING, isSort } from '../wire/fleet.js';

/** The addresses of the pages: parsed and written in one place. */

/** In the place of an action: the history is what is looked for. */
export const HISTORY = 'history';

/**
 * Of each page its path, with the field that a segment holds behind a colon, and the fields behind the path, each as it is where the
 * address does not name it.
 */
const ADDRESSES = {
  /** `view`: `map` or `table`; `group`, `color`: of the map; `sort`: `name`, `name-desc`, … */
  fleet: { path: 'fleet', query: { q: '', view: 'map', group: 'set', color: 'health', sort: 'name' } },
  /** `phase`: empty for all. */
  placements: { path: 'placements', query: { q: '', phase: '' } },
  /** `q`: a part of the names of clusters; `why`: the one that is explained; `act`: the action that is open, or {@link HISTORY}. */
  placement: { path: 'placements/:namespace/:name', query: { show: '', q: '', why: '', act: '' } },
  cluster: { path: 'clusters/:name', query: { act: '' } },
  /** What the draft begins with: `placement:NS/NAME`, `lose:TARGET`, `each:KEY`, `labels:CLUSTER`; empty: what was there. */
  whatif: { path: 'what-if', query: { begin: '' } },
  engine: { path: 'engine', query: {} },
  set: { path: 'sets/:name', query: {} },
  /** `q`: words of the event; `type`: empty for all. */
  events: { path: 'events', query: { about: '', q: '', type: '' } },
  /** `resource`: in the plural; `namespace`: empty for objects without one. */
  yaml: { path: 'yaml/:resource/:namespace/:name', query: {} },
} as const;

type Addresses = typeof ADDRESSES;
type Known = keyof Addresses;
type Named<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Named<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type Page = Known | 'unknown';

/** A route of the page. */
export type RouteOf<P extends Page> = P extends Known
  ? { readonly page: P } & Readonly<Record<Named<Addresses[P]['path']> | keyof Addresses[P]['query'], string>>
  : { readonly page: 'unknown'; readonly path: string };

export type Route = { [P in Page]: RouteOf<P> }[Page];

/** Of fields that do not hold any text. */
const VALID: Readonly<Record<string, (text: string) => boolean>> = {
  view: (text) => text === 'table',
  group: (text) => GROUPING.test(text),
  color: (text) => COLORING.test(text),
  sort: isOrder,
};

export const FLEET = parseRoute('/fleet') as RouteOf<'fleet'>;

/** The page of a Placement as a link opens it. */
export function placementRoute(namespace: string, name: string): RouteOf<'placement'> {
  return { page: 'placement', namespace, name, show: '', q: '', why: '', act: '' };
}

function isOrder(text: string): boolean {
  const [by = '', order, ...more] = text.split('-');
  return isSort(by) && (order === undefined || order === 'desc') && more.length === 0;
}

/** The route of a path with its query, such as `/placements/shop/web?show=near`. */
export function parseRoute(address: string): Route {
  const [path = '', search = ''] = address.split('?', 2);
  const query = new URLSearchParams(search);
  const [page = 'fleet', ...names] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  if (page === 'placements' && names.length === 1) return { page, q: `${names[0]}/`, phase: query.get('phase') ?? '' };
  // Of an object without a namespace.
  if (page === 'yaml' && names.length === 2) names.splice(1, 0, '');
  const segments = [page === 'login' ? 'fleet' : page, ...names];
  for (const [known, one] of Object.entries(ADDRESSES)) {
    const parts = one.path.split('/');
    if (parts.length !== segments.length || !parts.every((part, at) => part.startsWith(':') || part === segments[at]))
      continue;
    const named = parts.flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), segments[at]]] : []));
    const asked = Object.entries(one.query).map(([field, usual]) => {
      const text = query.get(field) ?? usual;
      return [field, VALID[field]?.(text) === false ? usual : text];
    });
    // The table has the fields of each page.
    return { page: known, ...Object.fromEntries([...named, ...asked]) } as Route;
  }
  return { page: 'unknown', path };
}

/** The address of a route: what {@link parseRoute} reads. Fields that are as usual are not in it. */
export function formatRoute(route: Route): string {
  if (route.page === 'unknown') return route.path;
  const { path, query }: { readonly path: string; readonly query: Readonly<Record<string, string>> } =
    ADDRESSES[route.page];
  const fields: Readonly<Record<string, string>> = { ...route };
  const encodedField = (name: string): string => encoded(fields[name] ?? '');
  const segments = path.split('/').map((part) => (part.startsWith(':') ? encodedField(part.slice(1)) : part));
  const unusual = Object.keys(query).filter((name) => fields[name] !== query[name]);
  const search = unusual.map((name) => `${name}=${encodedField(name)}`).join('&');
  return `/${segments.filter((one) => one !== '').join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Slashes and colons of values stay readable. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':').replaceAll('%20', '+');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment.replaceAll('+', ' '));
  } catch {
    return segment;
  }
}
