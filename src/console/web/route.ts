import { COLORING, GROUPING, isSort } from '../wire/fleet.js';

/** The addresses of the pages: parsed and written in one place. */

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
      /** The action whose panel is open; empty for none. */
      readonly act: string;
    }
  | { readonly page: 'cluster'; readonly name: string; readonly act: string }
  | {
      readonly page: 'whatif';
      /** What the draft begins with: `placement:NS/NAME`, `drain:CLUSTER`, `labels:CLUSTER`; empty: what was there. */
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

export const FLEET: Extract<Route, { page: 'fleet' }> = {
  page: 'fleet',
  q: '',
  view: 'map',
  group: 'set',
  color: 'health',
  sort: 'name',
};

/** The page of a Placement as a link opens it. */
export function placementRoute(namespace: string, name: string): Extract<Route, { page: 'placement' }> {
  return { page: 'placement', namespace, name, show: 'in', q: '', why: '', act: '' };
}

function isOrder(text: string): boolean {
  const [by = '', order, ...more] = text.split('-');
  return isSort(by) && (order === undefined || order === 'desc') && more.length === 0;
}

/** The route of a path with its query, such as `/placements/shop/web?show=near`. */
export function parseRoute(address: string): Route {
  const [path = '', search = ''] = address.split('?', 2);
  const segments = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const query = new URLSearchParams(search);
  const text = (name: string, otherwise = ''): string => query.get(name) ?? otherwise;
  const [page = 'fleet', first = '', second = ''] = segments;
  const unknown: Route = { page: 'unknown', path };
  if (page === 'yaml') return yamlRoute(segments) ?? unknown;
  if (segments.length > 3) return unknown;
  switch (page) {
    case 'login':
    case 'fleet':
      return {
        page: 'fleet',
        q: text('q'),
        view: text('view') === 'table' ? 'table' : 'map',
        group: GROUPING.test(text('group')) ? text('group') : FLEET.group,
        color: COLORING.test(text('color')) ? text('color') : FLEET.color,
        sort: isOrder(text('sort')) ? text('sort') : FLEET.sort,
      };
    case 'placements':
      if (second === '') return { page, q: first === '' ? text('q') : `${first}/`, phase: text('phase') };
      return {
        ...placementRoute(first, second),
        show: text('show', 'in'),
        q: text('q'),
        why: text('why'),
        act: text('act'),
      };
    case 'clusters':
      return first === '' || second !== '' ? unknown : { page: 'cluster', name: first, act: text('act') };
    case 'what-if':
      return { page: 'whatif', begin: text('begin') };
    case 'engine':
      return { page: 'engine' };
    case 'sets':
      return first === '' || second !== '' ? unknown : { page: 'set', name: first };
    case 'events':
      return { page, about: text('about'), q: text('q'), type: text('type') };
    default:
      return unknown;
  }
}

/** `/yaml/managedclusters/edge-1`, `/yaml/placements/shop/web`. */
function yamlRoute([, resource, ...names]: readonly string[]): Route | undefined {
  const name = names.pop();
  if (resource === undefined || name === undefined || names.length > 1) return undefined;
  return { page: 'yaml', resource, namespace: names[0] ?? '', name };
}

/** The address of a route: what {@link parseRoute} reads. */
export function formatRoute(route: Route): string {
  switch (route.page) {
    case 'fleet': {
      const { q, view, group, color, sort } = route;
      return withQuery('/fleet', FLEET, { q, view, group, color, sort });
    }
    case 'placements':
      return withQuery('/placements', {}, { q: route.q, phase: route.phase });
    case 'placement':
      return withQuery(
        `/placements/${encoded(route.namespace)}/${encoded(route.name)}`,
        { show: 'in' },
        { show: route.show, q: route.q, why: route.why, act: route.act },
      );
    case 'cluster':
      return withQuery(`/clusters/${encoded(route.name)}`, {}, { act: route.act });
    case 'whatif':
      return withQuery('/what-if', {}, { begin: route.begin });
    case 'engine':
      return '/engine';
    case 'set':
      return `/sets/${encoded(route.name)}`;
    case 'events':
      return withQuery('/events', {}, { about: route.about, q: route.q, type: route.type });
    case 'yaml': {
      const { resource, namespace, name } = route;
      return `/yaml/${[resource, namespace, name]
        .filter((one) => one !== '')
        .map(encoded)
        .join('/')}`;
    }
    case 'unknown':
      return route.path;
  }
}

/** Without the fields that have their default. */
function withQuery(path: string, defaults: object, fields: Readonly<Record<string, string>>): string {
  const usual: Readonly<Record<string, unknown>> = { ...defaults };
  const given = Object.entries(fields).filter(([name, value]) => value !== (usual[name] ?? ''));
  const query = given.map(([name, value]) => `${name}=${encoded(value)}`).join('&');
  return query === '' ? path : `${path}?${query}`;
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
