import { equal, type Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { invalidRaw, invalidValue, required } from '@multicluster-engine/values/schema/field';
import { byteLength, goJson } from '@multicluster-engine/values/text';
import { dns1123Subdomain, qualifiedName } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { immutable, invalidBecause } from '../validation/checks.js';
import { numberAt, structAt, textAt } from '@multicluster-engine/values/fields';
import { goReference } from '../validation/gostruct.js';

/* Events of both groups are validated in their v1 form; errors name the fields of v1. */

const MAX_LENGTH: Readonly<Record<string, number>> = {
  reportingInstance: 128,
  action: 128,
  reason: 128,
  message: 1024,
};
const IMMUTABLE_FIELDS = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
];

/**
 * Validates an event in its v1 form.
 * @param reporter name of the field `reportingComponent` in the version of the request
 */
export function eventErrors(event: KubeObject, reporter: string): readonly FieldError[] {
  const { namespace = '' } = event.metadata;
  const errors = [...(textAt(event, 'eventTime') === '' ? legacyEventErrors(event) : newEventErrors(event, reporter))];
  errors.push(...invalidBecause('namespace', namespace, dns1123Subdomain(namespace)));
  return errors;
}

/** Validates a new event of events.k8s.io/v1, where all fields are required and deprecated fields are forbidden. */
export function newEventsGroupErrors(event: KubeObject): readonly FieldError[] {
  return [...eventErrors(event, 'reportingController'), ...strictErrors(event)];
}

/** Validates an update by events.k8s.io/v1, where most fields are immutable. */
export function eventUpdateErrors(next: KubeObject, old: KubeObject): readonly FieldError[] {
  const series = equal(next['series'], old['series']) ? [] : seriesErrors(next);
  const immutableFields = IMMUTABLE_FIELDS.flatMap((field) => immutableErrors(next, old, field));
  return [
    ...eventErrors(next, 'reportingController'),
    ...series,
    ...immutableFields,
    ...immutable(textAt(next, 'reportingComponent'), textAt(old, 'reportingComponent'), 'reportingController'),
    ...immutable(textAt(next, 'reportingInstance'), textAt(old, 'reportingInstance'), 'reportingInstance'),
  ];
}

/** Errors print structs as kube-apiserver does. */
function immutableErrors(next: KubeObject, old: KubeObject, field: string): readonly FieldError[] {
  const errors = immutable(valueOrZero(next, field), valueOrZero(old, field), field);
  if (errors.length === 0) return errors;
  const source = structAt(next, 'source');
  switch (field) {
    case 'involvedObject':
    case 'related':
      return [invalidRaw(field, goReference(next[field]), 'field is immutable')];
    case 'source':
      return [
        invalidRaw(
          field,
          `{"Component":${goJson(textAt(source, 'component'))},"Host":${goJson(textAt(source, 'host'))}}`,
          'field is immutable',
        ),
      ];
    default:
      return errors;
  }
}

function valueOrZero(event: KubeObject, field: string): Json | undefined {
  return event[field] ?? (['reason', 'message', 'type', 'action'].includes(field) ? '' : undefined);
}

/** Rules of events without eventTime, which were created by the core API. */
function legacyEventErrors(event: KubeObject): readonly FieldError[] {
  const { namespace = '' } = event.metadata;
  const involved = textAt(structAt(event, 'involvedObject'), 'namespace');
  const fits = involved === '' ? ['', 'default'].includes(namespace) : involved === namespace;
  return fits ? [] : [invalidValue('involvedObject.namespace', involved, 'does not match event.namespace')];
}

function newEventErrors(event: KubeObject, reporter: string): readonly FieldError[] {
  const { namespace = '' } = event.metadata;
  const involved = textAt(structAt(event, 'involvedObject'), 'namespace');
  const errors: FieldError[] = [];
  if (involved === '' && !['default', 'kube-system'].includes(namespace))
    errors.push(invalidValue('involvedObject.namespace', involved, 'does not match event.namespace'));
  const controller = textAt(event, 'reportingComponent');
  if (controller === '') errors.push(required(reporter));
  errors.push(...invalidBecause(reporter, controller, qualifiedName(controller)));
  for (const [field, max] of Object.entries(MAX_LENGTH)) {
    const value = textAt(event, field);
    if (value === '' && field !== 'message') errors.push(required(field));
    if (byteLength(value) > max) errors.push(invalidValue(field, '', `can have at most ${max} characters`));
  }
  return errors;
}

function strictErrors(event: KubeObject): readonly FieldError[] {
  const errors = [...seriesErrors(event)];
  const type = textAt(event, 'type');
  if (textAt(event, 'eventTime') === '') errors.push(required('eventTime'));
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalidValue('type', '', `has invalid value: ${type}`));
  const { component, host } = structAt(event, 'source');
  const old: Readonly<Record<string, unknown>> = {
    firstTimestamp: event['firstTimestamp'],
    lastTimestamp: event['lastTimestamp'],
    count: event['count'],
    source: component ?? host,
  };
  for (const [field, value] of Object.entries(old)) {
    if (value !== undefined && value !== null && value !== 0 && value !== '')
      errors.push(invalidValue(field, '', 'needs to be unset'));
  }
  return errors;
}

function seriesErrors(event: KubeObject): readonly FieldError[] {
  if (event['series'] === undefined || event['series'] === null) return [];
  const series = structAt(event, 'series');
  const errors: FieldError[] = [];
  if (numberAt(series, 'count') < 2) errors.push(invalidValue('series.count', '', 'should be at least 2'));
  if (textAt(series, 'lastObservedTime') === '') errors.push(required('series.lastObservedTime'));
  return errors;
}
