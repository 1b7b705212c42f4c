import type { Meaning } from '../wire/find.js';
import { clustersText, spaced } from './words.js';
import { FLEET, HISTORY, placementRoute, type Route } from './route.js';

/** What a text in the box means: its address, and how it is written. */

/** Where the answer is. */
export function routeOfMeaning(one: Meaning): Route {
  switch (one.kind) {
    case 'cluster':
    case 'drain':
      return { page: 'cluster', name: one.name, act: one.kind === 'drain' ? 'drain' : '' };
    case 'placement':
      return placementRoute(one.namespace, one.name);
    case 'why':
      return { ...placementRoute(one.namespace, one.name), show: 'all', why: one.cluster };
    case 'edit':
      return {
        page: 'whatif',
        begin: one.namespace === '' ? `labels:${one.name}` : `placement:${one.namespace}/${one.name}`,
      };
    case 'history':
      return one.namespace === ''
        ? { page: 'cluster', name: one.name, act: HISTORY }
        : { ...placementRoute(one.namespace, one.name), act: HISTORY };
    case 'set':
      return { page: 'set', name: one.name };
    case 'health':
      return { ...FLEET, q: `health:${one.health}`, view: 'table' };
    case 'filter':
      return { ...FLEET, q: one.q };
    case 'phase':
      return { page: 'placements', q: '', phase: one.phase };
    case 'lose':
      return { page: 'whatif', begin: `lose:${one.target}` };
    case 'each':
      return { page: 'whatif', begin: `each:${one.key}` };
  }
}

/** As somebody would write it, and what stands beside it. */
export function textOfMeaning(one: Meaning): { readonly text: string; readonly note: string } {
  switch (one.kind) {
    case 'cluster':
      return { text: one.name, note: `cluster, ${spaced(one.health)}` };
    case 'drain':
      return { text: `drain ${one.name}`, note: 'what would move' };
    case 'placement':
      return { text: `${one.namespace}/${one.name}`, note: `Placement, ${spaced(one.phase)}` };
    case 'why':
      return { text: `why ${one.cluster} ${one.namespace}/${one.name}`, note: 'what keeps it in or out' };
    case 'edit':
      return { text: `edit ${placeOf(one)}`, note: 'what the change would do' };
    case 'history':
      return { text: `history ${placeOf(one)}`, note: 'who has changed it' };
    case 'set':
      return { text: one.name, note: `cluster set, ${clustersText(one.clusters)}` };
    case 'health':
      return { text: spaced(one.health), note: clustersText(one.clusters) };
    case 'filter':
      return { text: one.q, note: clustersText(one.clusters) };
    case 'phase':
      return { text: spaced(one.phase), note: one.placements === 1 ? '1 Placement' : `${one.placements} Placements` };
    case 'lose':
      return { text: `lose ${one.target}`, note: clustersText(one.clusters) };
    case 'each':
      return { text: `lose each ${one.key}`, note: `each value, ${clustersText(one.clusters)}` };
  }
}

function placeOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
