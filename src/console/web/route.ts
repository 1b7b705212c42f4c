import { COLORING, GROUPING, isSort } from '../wire/fleet.js';

/** The addresses of the pages: parsed and written in one place. */

/** In the place of an action: the history is what is looked for. */
export const HISTORY = 'history';

export type View = 'map' | 'table';

export type Route =
  | {
      readonly page: 'fleet';
      readonly q: string;
      readonly view: View;
      /** By what the map is grouped, and colored. */
      readonly group: string;
      readonly color: string;
      /** `name`, `name-desc`, … */
      readonly sort: string;
    }
  /** `phase`: empty for all. */
  | { readonly page: 'placements'; readonly q: string; readonly phase: string }
  | {
      readonly page: 'placement';
      readonly namespace: string;
      readonly name: string;
      readonly show: string;
      /** A part of the names of the clusters. */
      readonly q: string;
      /** The cluster whose explanation is open; empty for none. */
      readonly why: string;
      /** The action whose panel is open, or {@link HISTORY}; empty for none. */
      readonly act: string;
    }
  | { readonly page: 'cluster'; readonly name: string; readonly act: string }
  | {
      readonly page: 'whatif';
      /** What the draft begins with: `placement:NS/NAME`, `lose:TARGET`, `each:KEY`, `labels:CLUSTER`; empty: what was there. */
      readonly begin: string;
    }
  | { readonly page: 'engine' }
  | { readonly page: 'set'; readonly name: string }
  /** `q`: words of the event; `type`: empty for all. */
  | { readonly page: 'events'; readonly about: string; readonly q: string; readonly type: string }
  /** `resource`: in the plural; `namespace`: empty for objects without one. */
  | { readonly page: 'yaml'; readonly resource: string; readonly namespace: string; readonly name: string }
  | { readonly page: 'unknown'; readonly path: string };

export type Page = Route['page'];

type Known = Exclude<Page, 'unknown'>;

interface Address {
  /** Its segments; behind a colon the field that one holds. */
  readonly path: string;
  /** The fields behind the path, and what each is where the address does not name it. */
  readonly query: Readonly<Record<string, string>>;
}

const ADDRESSES: Readonly<Record<Known, Address>> = {
  fleet: { path: 'fleet', query: { q: '', view: 'map', group: 'set', color: 'health', sort: 'name' } },
  placements: { path: 'placements', query: { q: '', phase: '' } },
  placement: { path: 'placements/:namespace/:name', query: { show: '', q: '', why: '', act: '' } },
  cluster: { path: 'clusters/:name', query: { act: '' } },
  whatif: { path: 'what-if', query: { begin: '' } },
  engine: { path: 'engine', query: {} },
  set: { path: 'sets/:name', query: {} },
  events: { path: 'events', query: { about: '', q: '', type: '' } },
  yaml: { path: 'yaml/:resource/:namespace/:name', query: {} },
};
/** Of fields that do not hold any text. */
const VALID: Readonly<Record<string, (text: string) => boolean>> = {
  view: (text) => text === 'table',
  group: (text) => GROUPING.test(text),
  color: (text) => COLORING.test(text),
  sort: isOrder,
};

export const FLEET = parseRoute('/fleet') as Extract<Route, { page: 'fleet' }>;

/** The page of a Placement as a link opens it. */
export function placementRoute(namespace: string, name: string): Extract<Route, { page: 'placement' }> {
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
  const { path, query } = ADDRESSES[route.page];
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
