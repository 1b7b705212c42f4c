import { field, textField } from '../../runtime/vocabulary/json.js';
import type { ObjectName } from '../../runtime/vocabulary/meta.js';
import { Placements } from '../../api/resources.js';
import { Events } from '../../runtime/vocabulary/kinds.js';
import { printable } from '../../domain/placement/explain/requirementtext.js';
import type { ReadClient } from '../../runtime/client/client.js';
import { isFailure } from '../../runtime/errors.js';
import { durationText } from '../output.js';

/** Events about a Placement that say which clusters left it. The API server deletes events, by default after an hour. */

export interface LeavingEvent {
  /** RFC 3339; of the last occurrence. */
  readonly time: string;
  readonly reason: string;
  readonly note: string;
}

export interface LeavingEvents {
  /** Newest first. */
  readonly events: readonly LeavingEvent[];
  /** Set where events could not be read. */
  readonly withheld: { readonly resource: 'events'; readonly verb: 'list'; readonly status: number } | undefined;
  /** ms since the epoch, for their ages. */
  readonly now: number;
}

/** Those that are about one name, which several objects may have had one after the other. */
export interface ReadEvents extends Pick<LeavingEvents, 'withheld'> {
  readonly found: readonly { readonly event: LeavingEvent; readonly uid: string }[];
}

/** Those about the object with this uid, and those that name no uid. `now`: ms since the epoch, for their ages. */
export function eventsAbout({ found, withheld }: ReadEvents, uid: string | undefined, now: number): LeavingEvents {
  return { withheld, now, events: found.flatMap((one) => (one.uid === '' || one.uid === uid ? [one.event] : [])) };
}

/** Without a cluster this many are shown. */
const MOST_EVENTS = 3;
const REMOVED = 'removed ';

/** Reads the events by LIST alone, newest first. A missing right is withheld. @throws ApiError for any other error. */
export async function readLeavingEvents(client: ReadClient, { namespace = '', name }: ObjectName): Promise<ReadEvents> {
  const fieldSelector = `regarding.kind=${Placements.kind},regarding.name=${selectorValue(name)}`;
  try {
    const found = (await client.list(Events, namespace, { fieldSelector }))
      .map((one) => ({
        uid: textField(field(one, 'regarding'), 'uid'),
        event: {
          time: textField(field(one, 'series'), 'lastObservedTime') || textField(one, 'eventTime'),
          reason: textField(one, 'reason'),
          note: textField(one, 'note'),
        },
      }))
      .filter(({ event }) => event.note.includes(REMOVED))
      .sort(({ event: a }, { event: b }) => (a.time < b.time ? 1 : -1));
    return { found, withheld: undefined };
  } catch (error) {
    if (!isFailure(error, 'Forbidden', 'ResourceMissing')) throw error;
    return { found: [], withheld: { resource: 'events', verb: 'list', status: error.status } };
  }
}

/** A value of a field selector; commas and equals signs in it are escaped (Go's fields.EscapeValue). */
export function selectorValue(value: string): string {
  return value.replaceAll(/[\\,=]/g, '\\$&');
}

/** Those that name the cluster among the removed ones. */
export function eventsOf(events: readonly LeavingEvent[], cluster: string): readonly LeavingEvent[] {
  return events.filter(({ note }) => {
    const removed = note.slice(note.indexOf(REMOVED));
    return removed.split(/[^A-Za-z0-9.-]+/).includes(cluster);
  });
}

/** `5 m ago: removed 1 cluster: prod-us-1`; of all clusters, or of one. */
export function eventLines({ events, withheld, now }: LeavingEvents, cluster: string | undefined): readonly string[] {
  if (withheld !== undefined)
    return [`not readable: events (list: ${withheld.status}): which clusters left earlier is not known`];
  const shown = cluster === undefined ? events.slice(0, MOST_EVENTS) : eventsOf(events, cluster);
  return shown.map(({ time, note }) => {
    const age = now - Date.parse(time);
    return `${Number.isNaN(age) ? 'event' : `${durationText(Math.max(age, 0))} ago`}: ${printable(note)}`;
  });
}
