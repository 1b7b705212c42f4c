import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { humanAge } from './ages.js';
import { numberAt, structAt, textAt } from '@multicluster-engine/values/fields';
import type { Cells } from './cells.js';

/** Cells of events of both groups. v1 and events.k8s.io/v1 have different names for the same fields. */
export const EVENT_CELLS: Cells = {
  'Last Seen': lastSeen,
  Type: (event) => textAt(event, 'type'),
  Reason: (event) => textAt(event, 'reason'),
  Object: about,
  Subobject: (event) => textAt(involved(event), 'fieldPath'),
  Source: source,
  Message: (event) => (textAt(event, 'message') || textAt(event, 'note')).trim(),
  'First Seen': firstSeen,
  Count: count,
  Name: ({ metadata }) => metadata.name ?? '',
};

function involved(event: KubeObject): JsonObject {
  return structAt(event, 'involvedObject' in event ? 'involvedObject' : 'regarding');
}

function about(event: KubeObject): string {
  const kind = textAt(involved(event), 'kind').toLowerCase();
  const name = textAt(involved(event), 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function source(event: KubeObject): string {
  const old = structAt(event, 'source' in event ? 'source' : 'deprecatedSource');
  const component =
    textAt(old, 'component') || textAt(event, 'reportingComponent') || textAt(event, 'reportingController');
  const instance = textAt(old, 'host') || textAt(event, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}

function firstSeen(event: KubeObject, now: number): string {
  const first =
    textAt(event, 'firstTimestamp') || textAt(event, 'deprecatedFirstTimestamp') || textAt(event, 'eventTime');
  return humanAge(first, now);
}

function lastSeen(event: KubeObject, now: number): string {
  const series = structAt(event, 'series');
  if (hasSeries(event)) return humanAge(textAt(series, 'lastObservedTime'), now);
  const last = textAt(event, 'lastTimestamp') || textAt(event, 'deprecatedLastTimestamp');
  return last === '' ? firstSeen(event, now) : humanAge(last, now);
}

function count(event: KubeObject): number {
  if (hasSeries(event)) return numberAt(structAt(event, 'series'), 'count');
  return numberAt(event, 'count') || numberAt(event, 'deprecatedCount') || 1;
}

function hasSeries(event: KubeObject): boolean {
  return event['series'] !== undefined && event['series'] !== null;
}
