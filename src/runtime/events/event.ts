import { createHash } from 'node:crypto';
import type { EventsV1Event } from '@kubernetes/client-node';
import type { BuiltIn, KubeObject } from '../vocabulary/meta.js';
import { Events, apiVersionOf } from '../vocabulary/kinds.js';
import type { GuardRow } from '../client/guard.js';
import { microTime } from '../leaderelection/leaserecord.js';

export interface EventNote {
  /** Its apiVersion, kind and metadata.{namespace,name,uid,resourceVersion} are used. */
  readonly regarding: KubeObject;
  readonly type: 'Normal' | 'Warning';
  /** One of the documented reasons. */
  readonly reason: string;
  /** What the controller was doing, UpperCamelCase. */
  readonly action: string;
  /** Truncated to 1 KiB. */
  readonly note: string;
}

/** An events.k8s.io/v1 Event; times are RFC 3339 with six decimals. */
export type EventObject = Partial<BuiltIn<EventsV1Event>> & KubeObject;

export interface Reporter {
  /** A qualified name, such as `example.com/greeting`. */
  readonly controller: string;
  /** The process. */
  readonly instance: string;
  readonly fieldManager: string;
}

/** Limits that the API sets, in bytes of UTF-8 for the note. */
const NOTE_LIMIT = 1024;
const WORD_LIMIT = 128;
const NAME_LIMIT = 253;
const HASH_LENGTH = 16;

/** Equal for notes that belong to one series. */
export function seriesKey(note: EventNote): string {
  const { apiVersion = '', kind = '', metadata } = note.regarding;
  return JSON.stringify([
    apiVersion,
    kind,
    metadata.namespace ?? '',
    metadata.name,
    metadata.uid ?? '',
    note.type,
    note.reason,
    note.note,
  ]);
}

/**
 * The Event for a note's first occurrence at `now` (ms since the epoch). `serial` makes its name unique within one
 * microsecond. Events about cluster-scoped objects are in the namespace `default`.
 */
export function eventOf(note: EventNote, reporter: Reporter, now: number, serial: number): EventObject {
  const { apiVersion = '', kind = '', metadata } = note.regarding;
  const { namespace, name, uid, resourceVersion } = metadata;
  const eventTime = microTime(now);
  return {
    apiVersion: apiVersionOf(Events),
    kind: Events.kind,
    metadata: {
      namespace: namespace ?? 'default',
      name: eventName(name, [reporter.instance, seriesKey(note), eventTime, String(serial)]),
    },
    eventTime,
    reportingController: reporter.controller,
    reportingInstance: reporter.instance.slice(0, WORD_LIMIT),
    action: note.action.slice(0, WORD_LIMIT),
    reason: note.reason.slice(0, WORD_LIMIT),
    type: note.type,
    note: truncateBytes(note.note, NOTE_LIMIT),
    regarding: {
      apiVersion,
      kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

/** The apply configuration that records `count` occurrences, the last at `now`. */
export function seriesOf(event: EventObject, count: number, now: number): EventObject {
  const { namespace, name, uid } = event.metadata;
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) },
    series: { count, lastObservedTime: microTime(now) },
  };
}

/** A unique DNS subdomain that begins with the object's name. */
function eventName(regarding: string, parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, HASH_LENGTH);
  const readable = regarding
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .slice(0, NAME_LIMIT - HASH_LENGTH - 1);
  return `${readable.replace(/[^a-z0-9]+$/, '')}.${hash}`;
}

/** `text`, truncated with an ellipsis to `limit` bytes of UTF-8 at a character boundary. */
export function truncateBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limit) return text;
  let end = limit - Buffer.byteLength('…');
  // A byte 10xxxxxx continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}

export const eventRights: readonly GuardRow[] = [
  { verbs: ['create', 'apply'], type: Events, namespace: (namespace) => namespace !== '' },
];
