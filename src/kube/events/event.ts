import { createHash } from 'node:crypto';
import type { KubeObject } from '../../api/meta.js';
import { Events, apiVersionOf } from '../../api/resources.js';
import type { GuardRow } from '../guard/guard.js';
import { microTime } from '../lease/leaserecord.js';

export interface EventNote {
  readonly regarding: KubeObject; // apiVersion, kind, metadata.{namespace,name,uid,resourceVersion} are used
  readonly type: 'Normal' | 'Warning';
  /** One of the documented reasons. */
  readonly reason: string;
  /** What the controller was doing, UpperCamelCase. */
  readonly action: string;
  /** At most 1 KiB; cut when longer. */
  readonly note: string;
}

/** An events.k8s.io/v1 Event; times are RFC 3339 with six decimals. */
export interface EventObject extends KubeObject {
  readonly eventTime?: string;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly regarding?: Readonly<Record<string, string>>;
  readonly note?: string;
  readonly type?: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

export interface Reporter {
  /** A qualified name, such as `multicluster.platform.io/engine`. */
  readonly controller: string;
  /** Which process of it. */
  readonly instance: string;
}

/** Limits that the API sets, in bytes of UTF-8 for the note. */
const NOTE_LIMIT = 1024;
const WORD_LIMIT = 128;
const NAME_LIMIT = 253;
const HASH_LENGTH = 16;

/** What makes two notes one series. */
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
 * The Event of a note's first occurrence at `now` (ms since the epoch). `serial` makes its name differ from that of another
 * at the same moment. Events about cluster-scoped objects stand in the namespace `default`.
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
    note: cutBytes(note.note, NOTE_LIMIT),
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

/** What is applied to a stored event when it has occurred `count` times, the last time at `now`. */
export function seriesOf(event: EventObject, count: number, now: number): EventObject {
  const { namespace, name, uid } = event.metadata;
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) },
    series: { count, lastObservedTime: microTime(now) },
  };
}

/** Readable, a DNS subdomain, and unlike any other. */
function eventName(regarding: string, parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, HASH_LENGTH);
  const readable = regarding
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .slice(0, NAME_LIMIT - HASH_LENGTH - 1);
  return `${readable.replace(/[^a-z0-9]+$/, '')}.${hash}`;
}

/** `text`, or as much of it as fits into `limit` bytes with an ellipsis, no character cut in two. */
export function cutBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limit) return text;
  let end = limit - Buffer.byteLength('…');
  // A byte 10xxxxxx goes on with the character before it.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}

/** What may be written for the sake of events. */
export const eventRights: readonly GuardRow[] = [
  { verbs: ['create', 'apply'], type: Events, namespace: (namespace) => namespace !== '' },
];
