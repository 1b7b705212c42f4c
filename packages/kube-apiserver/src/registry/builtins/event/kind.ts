import type { KubeObject } from '@multicluster-engine/values/object';
import { canonical } from '@multicluster-engine/values/schema/struct/canonical';
import { eventErrors, eventUpdateErrors, newEventsGroupErrors } from './check.js';
import { structAt, textAt } from '@multicluster-engine/values/fields';
import type { Kind } from '../kind.js';

const CORE = 'io.k8s.api.core.v1.Event';
const EVENTS = 'io.k8s.api.events.v1.Event';
const REFERENCE_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
/** Field names of v1, in which events are stored, and of events.k8s.io/v1, where they differ. */
const FIELD_NAMES: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

const COMMON = {
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  collection: 'events',
  shortNames: ['ev'],
  createOnUpdate: true,
} as const;

export const EVENT_KINDS: readonly Kind[] = [
  {
    ...COMMON,
    group: '',
    version: 'v1',
    definition: CORE,
    selectable: {
      ...selectableFields('involvedObject', 'reportingComponent'),
      source: (event) => textAt(structAt(event, 'source'), 'component') || textAt(event, 'reportingComponent'),
    },
    validate: (event) => eventErrors(event, 'reportingComponent'),
    validateUpdate: (event) => eventErrors(event, 'reportingComponent'),
  },
  {
    ...COMMON,
    group: 'events.k8s.io',
    version: 'v1',
    definition: EVENTS,
    selectable: selectableFields('regarding', 'reportingController'),
    validate: (event) => newEventsGroupErrors(toCore(event)),
    validateUpdate: (next, old) => eventUpdateErrors(toCore(next), toCore(old)),
    convert: {
      fromStored: (event) => canonical(EVENTS, renameFields(event, FIELD_NAMES)),
      toStored: toCore,
    },
  },
];

function toCore(event: KubeObject): KubeObject {
  return canonical(
    CORE,
    renameFields(
      event,
      FIELD_NAMES.map(([core, events]) => [events, core]),
    ),
  );
}

function selectableFields(object: string, reporter: string): Record<string, (event: KubeObject) => string> {
  const involved = REFERENCE_FIELDS.map(
    (field) => [`${object}.${field}`, (event: KubeObject) => textAt(structAt(event, object), field)] as const,
  );
  return {
    ...Object.fromEntries(involved),
    reason: (event) => textAt(event, 'reason'),
    [reporter]: (event) => textAt(event, reporter),
    type: (event) => textAt(event, 'type'),
  };
}

function renameFields(event: KubeObject, names: readonly (readonly [from: string, to: string])[]): KubeObject {
  const to = new Map(names);
  const { apiVersion, kind, metadata } = event;
  return {
    apiVersion,
    kind,
    metadata,
    ...Object.fromEntries(Object.entries(event).map(([name, value]) => [to.get(name) ?? name, value])),
  };
}
