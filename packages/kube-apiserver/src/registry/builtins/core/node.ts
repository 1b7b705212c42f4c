import { isObject, own, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import {
  CHANGED_METADATA,
  child,
  duplicate,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { compareBytes, goJson } from '@multicluster-engine/values/text';
import { labelValue } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { checkRange, parseRange, rangeWarnings } from '../validation/ipaddress.js';
import { labelKey, positive } from '../validation/checks.js';
import { structIn, isDraft, structsIn, ensureStruct, textOf, type Draft } from '../draft.js';
import { listAt, structAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import { fieldsFrom, STATUS, type Kind } from '../kind.js';
import { checkQuantity } from '../pod/container/resources.js';
import { TAINT_EFFECTS } from '../pod/scheduling.js';
import { parseQuantity } from '@multicluster-engine/values/schema/struct/quantity';
import { roundUpResources } from '../pod/defaults/resourcelist.js';

const FEATURE = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const FEATURE_TEXT =
  "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";

export const NODE: Kind = {
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  definition: 'io.k8s.api.core.v1.Node',
  shortNames: ['no'],
  subresources: [STATUS],
  selectable: {
    'spec.unschedulable': (node) => String(isObject(node['spec']) && node['spec']['unschedulable'] === true),
  },
  defaults(node) {
    alignPodCidrs(ensureStruct(node, 'spec'));
    const status = structIn(node, 'status');
    if (status === undefined) return;
    if (status['allocatable'] === undefined && isDraft(status['capacity']))
      status['allocatable'] = { ...status['capacity'] };
    roundUpResources(status, 'capacity');
    roundUpResources(status, 'allocatable');
    for (const volume of structsIn(status, 'volumesAttached')) roundUpResources(volume, 'capacity');
  },
  prepareCreate: withoutRemovedFields,
  prepareUpdate: (next, old, subresource) =>
    withoutRemovedFields(fieldsFrom(next, old, [subresource === 'status' ? 'spec' : 'status'])),
  validate,
  validateUpdate: (next, old, subresource) => [
    ...(subresource === 'status' ? [] : validate(next)),
    CHANGED_METADATA,
    ...changeErrors(next, old),
  ],
  warnings: (node) => nodeWarnings(node),
};

function nodeWarnings(node: KubeObject): readonly string[] {
  const spec = structAt(node, 'spec');
  const old =
    textAt(spec, 'externalID') === '' ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes'];
  return [
    ...old,
    ...textsAt(structAt(node, 'spec'), 'podCIDRs').flatMap((range, at) =>
      rangeWarnings(range, index('spec.podCIDRs', at)),
    ),
  ];
}

/** Makes podCIDR and podCIDRs[0] equal; podCIDR takes precedence. */
function alignPodCidrs(spec: Draft): void {
  const single = textOf(spec, 'podCIDR');
  const ranges = textsAt(spec, 'podCIDRs');
  if (single !== '' && ranges[0] !== single) spec['podCIDRs'] = [single];
  else if (ranges[0] !== undefined) spec['podCIDR'] = ranges[0];
}

/** Drops the fields of dynamic kubelet configuration, a removed feature. */
function withoutRemovedFields(node: KubeObject): KubeObject {
  const { spec, status } = node;
  const next: { spec?: KubeObject['spec']; status?: KubeObject['status'] } = {};
  if (isObject(spec) && spec['configSource'] !== undefined) next.spec = without(spec, 'configSource');
  if (isObject(status) && status['config'] !== undefined) next.status = without(status, 'config');
  return { ...node, ...next };
}

function without(value: Readonly<Record<string, KubeObject['spec']>>, name: string): KubeObject['spec'] {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}

function validate(node: KubeObject): readonly FieldError[] {
  const ranges = textsAt(structAt(node, 'spec'), 'podCIDRs');
  return [
    ...taintErrors(node),
    ...resourceErrors(node),
    ...positive(
      own(structAt(structAt(structAt(node, 'status'), 'nodeInfo'), 'swap'), 'capacity'),
      'metadata.nodeSwapStatus.capacity',
    ),
    ...featureErrors(node),
    ...ranges.flatMap((range, at) => checkRange(range, index('spec.podCIDRs', at))),
    ...dualStackErrors(ranges),
  ];
}

/** Feature names have to be valid, unique and sorted. */
function featureErrors(node: KubeObject): readonly FieldError[] {
  const features = textsAt(structAt(node, 'status'), 'declaredFeatures');
  return features.flatMap((feature, at) => {
    const path = index('status.declaredFeatures', at);
    const before = features[at - 1];
    const errors: FieldError[] = [];
    if (!FEATURE.test(feature))
      errors.push(invalidValue(path, feature, `invalid feature name ${goJson(feature)}: ${FEATURE_TEXT}`));
    if (before === feature) errors.push(duplicate(path, feature));
    else if (before !== undefined && compareBytes(before, feature) > 0)
      errors.push(invalidValue(path, feature, 'list must be sorted alphabetically'));
    return errors;
  });
}

/** Two ranges have to be of different IP families. */
function dualStackErrors(ranges: readonly string[]): readonly FieldError[] {
  if (ranges.length < 2) return [];
  const parsed = ranges.map(parseRange);
  const at = parsed.indexOf(undefined);
  const families = new Set(parsed.map((range) => range?.address.bits));
  const parseErrors: FieldError[] =
    at < 0
      ? []
      : [
          {
            reason: 'InternalError',
            field: 'spec.podCIDRs',
            message: `Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${at}]: <nil> (invalid CIDR address: ${ranges[at] ?? ''})`,
          },
        ];
  const fits = at < 0 && families.size === 2 && ranges.length === 2;
  return fits
    ? []
    : [...parseErrors, invalidValue('spec.podCIDRs', ranges, 'may specify no more than one CIDR for each IP family')];
}

/** The field of an error is `metadata.taints`, as on kube-apiserver, though taints are in spec. */
function taintErrors(node: KubeObject): readonly FieldError[] {
  const seen = new Set<string>();
  return listAt(structAt(node, 'spec'), 'taints').flatMap((taint, position) => {
    const at = index('metadata.taints', position);
    const [key, value, effect] = [textAt(taint, 'key'), textAt(taint, 'value'), textAt(taint, 'effect')];
    const errors: FieldError[] = [...labelKey(key, child(at, 'key'))];
    const problems = labelValue(value);
    if (problems.length > 0) errors.push(invalidValue(child(at, 'value'), value, problems.join(';')));
    if (effect === '') errors.push(required(child(at, 'effect')));
    else if (!TAINT_EFFECTS.includes(effect)) errors.push(notSupported(child(at, 'effect'), effect, TAINT_EFFECTS));
    if (seen.has(`${effect}/${key}`)) errors.push(duplicateTaint(taint, at));
    seen.add(`${effect}/${key}`);
    return errors;
  });
}

function duplicateTaint(taint: JsonObject, path: string): FieldError {
  const [key, value, effect, added] = [
    textAt(taint, 'key'),
    textAt(taint, 'value'),
    textAt(taint, 'effect'),
    own(taint, 'timeAdded'),
  ].map((one) => goJson(one));
  const message = `Duplicate value: {"Key":${key},"Value":${value},"Effect":${effect},"TimeAdded":${added}}: taints must be unique by key and effect pair`;
  return { reason: 'FieldValueDuplicate', field: path, message };
}

function resourceErrors(node: KubeObject): readonly FieldError[] {
  const status = structAt(node, 'status');
  return ['capacity', 'allocatable'].flatMap((list) => {
    const resources = structAt(status, list);
    return Object.keys(resources)
      .sort(compareBytes)
      .flatMap((name) => {
        const quantity = parseQuantity(textAt(resources, name));
        return quantity === undefined ? [] : checkQuantity(name, quantity, `status.${list}.${name}`);
      });
  });
}

function changeErrors(next: KubeObject, old: KubeObject): readonly FieldError[] {
  const [spec, before] = [structAt(next, 'spec'), structAt(old, 'spec')];
  const [ranges, was] = [textsAt(spec, 'podCIDRs'), textsAt(before, 'podCIDRs')];
  const errors: FieldError[] = [...resourceErrors(next), ...featureErrors(next), ...addressErrors(next)];
  if (was.length > 0 && was.join(' ') !== ranges.join(' '))
    errors.push(forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  const id = textAt(before, 'providerID');
  if (id !== '' && id !== textAt(spec, 'providerID'))
    errors.push(forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  errors.push(...taintErrors(next));
  if (textAt(spec, 'externalID') !== textAt(before, 'externalID'))
    errors.push(forbiddenField('spec.externalID', 'may not be updated'));
  return errors;
}

function addressErrors(node: KubeObject): readonly FieldError[] {
  const seen = new Set<string>();
  return listAt(structAt(node, 'status'), 'addresses').flatMap((address, at) => {
    const text = `{"Type":${goJson(textAt(address, 'type'))},"Address":${goJson(textAt(address, 'address'))}}`;
    if (!seen.has(text)) return (seen.add(text), []);
    return [
      {
        reason: 'FieldValueDuplicate' as const,
        field: index('status.addresses', at),
        message: `Duplicate value: ${text}`,
      },
    ];
  });
}
