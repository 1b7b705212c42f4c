import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SORTS } from '../../../src/console/wire/fleet.js';
import { FLEET, formatRoute, parseRoute, placementRoute, type Route } from '../../../src/console/web/route.js';

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });

const routes: fc.Arbitrary<Route> = fc.oneof(
  fc.record({
    page: fc.constant('fleet' as const),
    q: text,
    view: fc.constantFrom('map' as const, 'table' as const),
    group: fc.oneof(
      fc.constantFrom('set', 'health'),
      name.map((key) => `label:${key}`),
    ),
    color: fc.oneof(
      fc.constantFrom('health', 'version'),
      name.map((one) => `placement:shop/${one.replaceAll('/', '')}x`),
    ),
    sort: fc.constantFrom(...SORTS.flatMap((sort) => [sort, `${sort}-desc`])),
  }),
  fc.record({ page: fc.constant('placements' as const), q: text, phase: text }),
  fc.record({
    page: fc.constant('placement' as const),
    namespace: name,
    name,
    show: name,
    q: text,
    why: text,
    act: text,
  }),
  fc.record({ page: fc.constant('cluster' as const), name, act: text }),
  fc.record({ page: fc.constant('set' as const), name }),
  fc.record({ page: fc.constant('whatif' as const), begin: text }),
  fc.record({ page: fc.constant('yaml' as const), resource: name, namespace: text, name }),
  fc.record({ page: fc.constant('events' as const), about: text, q: text, type: text }),
);

describe('the addresses of the pages', () => {
  it('every route is read from the address that it is written as, whatever its names hold', () => {
    fc.assert(fc.property(routes, (route) => expect(parseRoute(formatRoute(route))).toEqual(route)));
  });

  it('an address stays on this server, whatever its names hold', () => {
    fc.assert(
      fc.property(routes, (route) => {
        const { origin } = new URL(formatRoute(route), 'http://127.0.0.1:8090');
        expect(origin).toBe('http://127.0.0.1:8090');
      }),
    );
  });

  it.each<readonly [string, Route]>([
    ['/', FLEET],
    ['/login', FLEET],
    ['/fleet?view=table&q=set:prod+edge', { ...FLEET, view: 'table', q: 'set:prod edge' }],
    ['/fleet?view=pie&sort=size&group=region', FLEET],
    ['/fleet?sort=name-asc', FLEET],
    ['/placements/shop', { page: 'placements', q: 'shop/', phase: '' }],
    ['/placements/shop/web?show=near', { ...placementRoute('shop', 'web'), show: 'near' }],
    ['/clusters/edge-1?act=drain', { page: 'cluster', name: 'edge-1', act: 'drain' }],
    ['/placements/shop/web?act=pause', { ...placementRoute('shop', 'web'), act: 'pause' }],
    ['/clusters', { page: 'unknown', path: '/clusters' }],
    ['/yaml/placements/shop/web', { page: 'yaml', resource: 'placements', namespace: 'shop', name: 'web' }],
    ['/yaml/a/b/c/d', { page: 'unknown', path: '/yaml/a/b/c/d' }],
    ['/yaml/placements', { page: 'unknown', path: '/yaml/placements' }],
    ['/sets', { page: 'unknown', path: '/sets' }],
    ['/nothing', { page: 'unknown', path: '/nothing' }],
    ['/clusters/%ff', { page: 'cluster', name: '%ff', act: '' }],
  ])('the address %s is the route %j', (address, route) => {
    expect(parseRoute(address)).toEqual(route);
  });
});
