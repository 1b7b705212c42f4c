import type { JsonObject } from '@multicluster-engine/values/json';
import { child, index, key } from '@multicluster-engine/values/schema/field';
import { goQuote } from '@multicluster-engine/values/text';
import { labelValue } from '@multicluster-engine/values/formats';
import { addressWarnings } from '../../validation/ipaddress.js';
import { has } from '../../validation/checks.js';
import { listAt, numberAt, structAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import { containerWarnings, fractionWarnings, portWarnings } from './container.js';
import { allContainers } from '../containers.js';
import { SECCOMP } from '../security/annotations.js';
import { overlapWarnings } from './overlaps.js';

const NODE_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};
const ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};
/** Deprecated sources of volumes, in the order of kube-apiserver. `ephemeral` marks where sizes of claim templates are checked. */
const VOLUMES: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageOS: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  ephemeral: '',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const NO_SELECTOR = 'a null labelSelector results in matching no pod';

/** Warnings of a Pod template, in the order of kube-apiserver. */
export function templateWarnings(template: JsonObject, path: string): readonly string[] {
  const spec = structAt(template, 'spec');
  const annotations = structAt(structAt(template, 'metadata'), 'annotations');
  const at = child(path, 'spec');
  const annotationsPath = child(child(path, 'metadata'), 'annotations');
  const containers = allContainers(spec, at);
  return [
    ...placementWarnings(spec, at),
    ...Object.entries(ANNOTATIONS).flatMap(([name, text]) =>
      Object.hasOwn(annotations, name) ? [`${key(annotationsPath, name)}: ${text}`] : [],
    ),
    ...listAt(spec, 'volumes').flatMap((volume, position) =>
      volumeWarnings(volume, index(child(at, 'volumes'), position)),
    ),
    ...overlapWarnings(listAt(spec, 'volumes')),
    ...repeated(spec, ['hostAliases', 'ip'], at),
    ...repeated(spec, ['imagePullSecrets', 'name'], at),
    ...listAt(spec, 'imagePullSecrets').flatMap((secret, position) =>
      textAt(secret, 'name') === ''
        ? [`${child(index(child(at, 'imagePullSecrets'), position), 'name')}: invalid empty name ""`]
        : [],
    ),
    ...['memory', 'ephemeral-storage'].flatMap((name) =>
      fractionWarnings(structAt(spec, 'overhead'), name, child(at, 'overhead')),
    ),
    ...(Object.hasOwn(annotations, SECCOMP.pod) && !has(structAt(spec, 'securityContext'), 'seccompProfile')
      ? [`${key(annotationsPath, SECCOMP.pod)}: ${SECCOMP.text}`]
      : []),
    ...containers.flatMap((container) => containerWarnings(container, { spec, annotations, path: annotationsPath })),
    ...portWarnings(containers),
    ...(numberAt(spec, 'terminationGracePeriodSeconds') < 0
      ? [
          `${child(at, 'terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...['podAffinity', 'podAntiAffinity'].flatMap((name) =>
      podAffinityWarnings(structAt(structAt(spec, 'affinity'), name), child(child(at, 'affinity'), name)),
    ),
    ...textsAt(structAt(spec, 'dnsConfig'), 'nameservers').flatMap((server, position) =>
      addressWarnings(server, index(child(child(at, 'dnsConfig'), 'nameservers'), position)),
    ),
    ...listAt(spec, 'hostAliases').flatMap((alias, position) =>
      addressWarnings(textAt(alias, 'ip'), child(index(child(at, 'hostAliases'), position), 'ip')),
    ),
  ];
}

function deprecation(label: string): string | undefined {
  return Object.hasOwn(NODE_LABELS, label) ? NODE_LABELS[label] : undefined;
}

function placementWarnings(spec: JsonObject, path: string): readonly string[] {
  const affinity = structAt(structAt(spec, 'affinity'), 'nodeAffinity');
  const at = child(child(path, 'affinity'), 'nodeAffinity');
  const terms = child(child(at, REQUIRED), 'nodeSelectorTerms');
  return [
    ...Object.keys(structAt(spec, 'nodeSelector')).flatMap((label) => {
      const text = deprecation(label);
      return text === undefined ? [] : [`${key(child(path, 'nodeSelector'), label)}: ${text}`];
    }),
    ...listAt(structAt(affinity, REQUIRED), 'nodeSelectorTerms').flatMap((term, position) =>
      termWarnings(term, index(terms, position)),
    ),
    ...listAt(affinity, PREFERRED).flatMap((one, position) =>
      preferenceWarnings(structAt(one, 'preference'), child(index(child(at, PREFERRED), position), 'preference')),
    ),
    ...listAt(spec, 'topologySpreadConstraints').flatMap((one, position) => {
      const place = index(child(path, 'topologySpreadConstraints'), position);
      const label = textAt(one, 'topologyKey');
      const text = deprecation(label);
      const old = text === undefined ? [] : [`${child(place, 'topologyKey')}: ${label} is ${text}`];
      return has(one, 'labelSelector') ? old : [...old, `${child(place, 'labelSelector')}: ${NO_SELECTOR}`];
    }),
  ];
}

/** Deprecated label keys of a term. */
function termWarnings(term: JsonObject, path: string): readonly string[] {
  return listAt(term, 'matchExpressions').flatMap((expression, position) =>
    keyWarnings(expression, index(child(path, 'matchExpressions'), position)),
  );
}

/** Deprecated label keys and invalid label values of a preferred term. */
function preferenceWarnings(term: JsonObject, path: string): readonly string[] {
  return listAt(term, 'matchExpressions').flatMap((expression, position) => {
    const at = index(child(path, 'matchExpressions'), position);
    const invalidValues = textsAt(expression, 'values').flatMap((value, nth) =>
      labelValue(value).map((problem) => `${index(child(at, 'values'), nth)}: ${value} is invalid, ${problem}`),
    );
    return [...keyWarnings(expression, at), ...invalidValues];
  });
}

function keyWarnings(expression: JsonObject, path: string): readonly string[] {
  const label = textAt(expression, 'key');
  const text = deprecation(label);
  return text === undefined ? [] : [`${child(path, 'key')}: ${label} is ${text}`];
}

function podAffinityWarnings(affinity: JsonObject, path: string): readonly string[] {
  const missing = (term: JsonObject, at: string): readonly string[] =>
    has(term, 'labelSelector') ? [] : [`${child(at, 'labelSelector')}: ${NO_SELECTOR}`];
  return [
    ...listAt(affinity, REQUIRED).flatMap((term, position) => missing(term, index(child(path, REQUIRED), position))),
    ...listAt(affinity, PREFERRED).flatMap((one, position) =>
      missing(structAt(one, 'podAffinityTerm'), child(index(child(path, PREFERRED), position), 'podAffinityTerm')),
    ),
  ];
}

function volumeWarnings(volume: JsonObject, path: string): readonly string[] {
  return Object.entries(VOLUMES).flatMap(([name, text]) => {
    const field = name === 'storageOS' ? 'storageos' : name;
    if (!has(volume, field)) return [];
    if (name !== 'ephemeral') return [`${child(path, name)}: ${text}`];
    const resources = structAt(structAt(structAt(structAt(volume, name), 'volumeClaimTemplate'), 'spec'), 'resources');
    const at = child(path, 'ephemeral.volumeClaimTemplate.spec.resources');
    return ['requests', 'limits'].flatMap((list) =>
      fractionWarnings(structAt(resources, list), 'storage', child(at, list)),
    );
  });
}

/** Warns of items of a list whose key occurred before. */
function repeated(
  spec: JsonObject,
  [list, field]: readonly [list: string, field: string],
  path: string,
): readonly string[] {
  const seen = new Set<string>();
  return listAt(spec, list).flatMap((item, position) => {
    const text = textAt(item, field);
    const isRepeated = seen.has(text);
    seen.add(text);
    return isRepeated
      ? [`${child(index(child(path, list), position), field)}: duplicate ${field} ${goQuote(text)}`]
      : [];
  });
}
