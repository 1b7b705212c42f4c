import { equal, type Json } from '../../../json.js';
import type { KubeObject } from '../../../object.js';
import { invalidRaw, invalidValue, required } from '../../../schema/field.js';
import { byteLength, goJson } from '../../../schema/go/text.js';
import { dns1123Subdomain, qualifiedName } from '../../../schema/metadata/names.js';
import type { FieldError } from '../../../status.js';
import { immutable, invalidBecause } from '../validation/checks.js';
import { numberAt, structAt, textAt } from '../../../fields.js';
import { goReference } from '../validation/gostruct.js';

/** Events are checked in the form of v1, also those of events.k8s.io: errors name its fields. */

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
 * @param reporter name of the field `reportingComponent` in the version of the request.
 * @param strict as events.k8s.io is: everything has to be there, and nothing old.
 */
export function eventErrors(event: KubeObject, reporter: string, strict = false): readonly FieldError[] {
  const { namespace = '' } = event.metadata;
  const errors = [...(textAt(event, 'eventTime') === '' ? legacyEventErrors(event) : newEventErrors(event, reporter))];
  errors.push(...invalidBecause('namespace', namespace, dns1123Subdomain(namespace)));
  return strict ? [...errors, ...strictErrors(event)] : errors;
}

/** A change by way of events.k8s.io: hardly anything but the series may change. */
export function eventUpdateErrors(next: KubeObject, old: KubeObject): readonly FieldError[] {
  const series = equal(next['series'], old['series']) ? [] : seriesErrors(next);
  const fixed = IMMUTABLE_FIELDS.flatMap((field) => immutableErrors(next, old, field));
  return [
    ...eventErrors(next, 'reportingController'),
    ...series,
    ...fixed,
    ...immutable(textAt(next, 'reportingComponent'), textAt(old, 'reportingComponent'), 'reportingController'),
    ...immutable(textAt(next, 'reportingInstance'), textAt(old, 'reportingInstance'), 'reportingInstance'),
  ];
}

/** Structs are shown as the real server prints them. */
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

/** Events without eventTime are of the old sort. */
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
  for (const [field, most] of Object.entries(MAX_LENGTH)) {
    const value = textAt(event, field);
    if (value === '' && field !== 'message') errors.push(required(field));
    if (byteLength(value) > most) errors.push(invalidValue(field, '', `can have at most ${most} characters`));
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
