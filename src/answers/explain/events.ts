import { field, textField } from '../../runtime/vocabulary/json.js';
import type { KubeObject, ObjectName, RawObject } from '../../runtime/vocabulary/meta.js';
import { byText } from '../../runtime/vocabulary/names.js';
import { Placements } from '../../api/resources.js';
import { Events } from '../../runtime/vocabulary/kinds.js';
import { printable } from '../../domain/placement/explain/requirementtext.js';
import type { ReadClient } from '../../runtime/client/client.js';
import { isFailure } from '../../runtime/errors.js';
import { durationText } from '../output.js';

/** Events, the newest first. The API server deletes them, by default after an hour. */

export interface EventRow {
  /** When the event occurred last, RFC 3339. */
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  /** The kind, namespace and name of the object that the event is about. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly note: string;
  readonly count: number;
}

export interface ReadEvents {
  readonly rows: readonly EventRow[];
  /** Set where events could not be read. */
  readonly withheld: { readonly resource: 'events'; readonly verb: 'list'; readonly status: number } | undefined;
}

/** Which objects events are about. */
export interface EventScope {
  readonly kinds: readonly string[];
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined: objects of any name. */
  readonly name: string | undefined;
}

/** Reads the events by LIST alone. A missing right is withheld. @throws ApiError for any other error. */
export async function readEvents(
  client: Pick<ReadClient, 'list'>,
  { kinds, namespace, name }: EventScope,
): Promise<ReadEvents> {
  const named = name === undefined ? '' : `,regarding.name=${selectorValue(name)}`;
  try {
    const lists = kinds.map((kind) => {
      return client.list<KubeObject>(Events, namespace, {
        fieldSelector: `regarding.kind=${selectorValue(kind)}${named}`,
      });
    });
    const rows = (await Promise.all(lists)).flat().map(eventRow);
    return { rows: rows.sort((a, b) => byText(b.time, a.time)), withheld: undefined };
  } catch (error) {
    if (!isFailure(error, 'Forbidden', 'ResourceMissing')) throw error;
    return { rows: [], withheld: { resource: 'events', verb: 'list', status: error.status } };
  }
}

/** A value of a field selector; commas and equals signs in it are escaped (Go's fields.EscapeValue). */
function selectorValue(value: string): string {
  return value.replaceAll(/[\\,=]/g, '\\$&');
}

function eventRow(event: RawObject): EventRow {
  const [regarding, series] = [field(event, 'regarding'), field(event, 'series')];
  const count = field(series, 'count') ?? field(event, 'deprecatedCount');
  return {
    time:
      textField(series, 'lastObservedTime') ||
      textField(event, 'eventTime') ||
      textField(event, 'deprecatedLastTimestamp'),
    type: textField(event, 'type'),
    reason: textField(event, 'reason'),
    kind: textField(regarding, 'kind'),
    namespace: textField(regarding, 'namespace'),
    name: textField(regarding, 'name'),
    uid: textField(regarding, 'uid'),
    note: textField(event, 'note'),
    count: typeof count === 'number' ? count : 1,
  };
}

/** An event about a Placement that says which clusters left it. */
export type LeavingEvent = Pick<EventRow, 'time' | 'reason' | 'note'>;

export interface LeavingEvents extends Pick<ReadEvents, 'withheld'> {
  /** Newest first. */
  readonly events: readonly LeavingEvent[];
  /** ms since the epoch, for their ages. */
  readonly now: number;
}

/** Without a cluster this many are shown. */
const MOST_EVENTS = 3;
const REMOVED = 'removed ';

/** Reads those about the Placements that have had the name, one after the other. @throws ApiError as {@link readEvents} */
export function readLeavingEvents(client: ReadClient, { namespace = '', name }: ObjectName): Promise<ReadEvents> {
  return readEvents(client, { kinds: [Placements.kind], namespace, name });
}

/** Those that name clusters which left the object with this uid, or an unknown one. `now`: ms since the epoch, for their ages. */
export function eventsAbout({ rows, withheld }: ReadEvents, of: string | undefined, now: number): LeavingEvents {
  const found = rows.filter(({ uid, note }) => note.includes(REMOVED) && (uid === '' || uid === of));
  return { withheld, now, events: found.map(({ time, reason, note }) => ({ time, reason, note })) };
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
