import type { Withheld } from '../../domain/fleet/world.js';
import type { FleetReading } from './worlds.js';

/** What a caller may not read, as text and in documents. */

/** `not readable: managedclusters (list: 403): …`; undefined when everything was read. `rest`: what follows of it. */
export function unreadableLine(withheld: readonly Withheld[], rest: string): string | undefined {
  return withheld.length === 0 ? undefined : `not readable: ${listText(withheld)}: ${rest}`;
}

/** That one namespace alone was read; undefined when all were. */
export function refusedLine({ refused, namespace }: Pick<FleetReading, 'refused' | 'namespace'>): string | undefined {
  return refused.length === 0
    ? undefined
    : `only namespace ${namespace} is shown; not readable in all namespaces: ${listText(refused)}`;
}

/** Field `withheld` of a document, and `namespace` where that alone was read. */
export function withheldFields({ world, refused, namespace }: FleetReading): object {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    withheld: [...refused, ...world.withheld].map(({ resource, verb, status }) => ({ resource, verb, status })),
  };
}

/** Whether everything was read that the answer is about. */
export function isComplete({ world, refused }: Pick<FleetReading, 'world' | 'refused'>): boolean {
  return world.withheld.length === 0 && refused.length === 0;
}

function listText(withheld: readonly Withheld[]): string {
  return withheld.map(({ resource, verb, status }) => `${resource} (${verb}: ${status})`).join(', ');
}
