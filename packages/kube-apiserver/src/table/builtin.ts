import { COLUMNS } from '../data/columns.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Column } from '../resource.js';
import { formatSelector, selectorText } from './labelselector.js';
import { humanAge } from './ages.js';
import { EVENT_CELLS } from './events.js';
import { countAt, listAt, numberAt, structAt, textAt, textEntries, textsAt } from '@multicluster-engine/values/fields';
import type { Cells } from './cells.js';
import { NODE_CELLS } from './nodes.js';
import { POD_CELLS } from './pods.js';
import { SERVICE_CELLS } from './services.js';

const AGE: Cells = {
  Age: ({ metadata }, now) => humanAge(metadata.creationTimestamp, now),
  'Created At': ({ metadata }) => metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
};

const BINDING: Cells = {
  Role: (binding) => `${textAt(structAt(binding, 'roleRef'), 'kind')}/${textAt(structAt(binding, 'roleRef'), 'name')}`,
  Users: (binding) => subjects(binding, 'User', ({ name }) => name),
  Groups: (binding) => subjects(binding, 'Group', ({ name }) => name),
  ServiceAccounts: (binding) => subjects(binding, 'ServiceAccount', ({ namespace, name }) => `${namespace}/${name}`),
};

const CELLS: Readonly<Record<string, Cells>> = {
  '/configmaps': { Data: (map) => countAt(map, 'data') + countAt(map, 'binaryData') },
  '/events': EVENT_CELLS,
  '/namespaces': { Status: (namespace) => textAt(structAt(namespace, 'status'), 'phase') },
  '/nodes': NODE_CELLS,
  '/pods': POD_CELLS,
  '/podtemplates': {
    Containers: (object) => containers(structAt(object, 'template'), 'name'),
    Images: (object) => containers(structAt(object, 'template'), 'image'),
    'Pod Labels': (object) => labelsText(structAt(structAt(structAt(object, 'template'), 'metadata'), 'labels')),
  },
  '/secrets': { Type: (secret) => textAt(secret, 'type'), Data: (secret) => countAt(secret, 'data') },
  '/services': SERVICE_CELLS,
  'admissionregistration.k8s.io/validatingadmissionpolicies': {
    Validations: (policy) => listAt(structAt(policy, 'spec'), 'validations').length,
    ParamKind: (policy) => paramKind(structAt(policy, 'spec')),
  },
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': {
    PolicyName: (binding) => textAt(structAt(binding, 'spec'), 'policyName'),
    ParamRef: (binding) => paramRef(structAt(binding, 'spec')),
  },
  'apps/deployments': {
    Ready: (deployment) =>
      `${statusNumber(deployment, 'readyReplicas')}/${numberAt(structAt(deployment, 'spec'), 'replicas')}`,
    'Up-to-date': (deployment) => statusNumber(deployment, 'updatedReplicas'),
    Available: (deployment) => statusNumber(deployment, 'availableReplicas'),
    Containers: (deployment) => containers(templateOf(deployment), 'name'),
    Images: (deployment) => containers(templateOf(deployment), 'image'),
    Selector: (deployment) => selectorText(structAt(deployment, 'spec')['selector']),
  },
  'apps/replicasets': {
    Desired: (set) => numberAt(structAt(set, 'spec'), 'replicas'),
    Current: (set) => statusNumber(set, 'replicas'),
    Ready: (set) => statusNumber(set, 'readyReplicas'),
    Containers: (set) => containers(templateOf(set), 'name'),
    Images: (set) => containers(templateOf(set), 'image'),
    Selector: (set) => formatSelector(structAt(set, 'spec')['selector']),
  },
  'coordination.k8s.io/leases': { Holder: (lease) => textAt(structAt(lease, 'spec'), 'holderIdentity') },
  'events.k8s.io/events': EVENT_CELLS,
  'networking.k8s.io/networkpolicies': {
    'Pod-Selector': (policy) => formatSelector(structAt(policy, 'spec')['podSelector']),
  },
  'policy/poddisruptionbudgets': {
    'Min Available': (budget) => limitText(budget, 'minAvailable'),
    'Max Unavailable': (budget) => limitText(budget, 'maxUnavailable'),
    'Allowed Disruptions': (budget) => statusNumber(budget, 'disruptionsAllowed'),
  },
  'rbac.authorization.k8s.io/clusterrolebindings': BINDING,
  'rbac.authorization.k8s.io/rolebindings': BINDING,
};

/** The columns of a built-in kind after Name, with the descriptions of kube-apiserver; none where it cannot be listed. */
export function builtinColumns(group: string, plural: string): readonly Column[] {
  const key = `${group}/${plural}`;
  const text = COLUMNS[key];
  if (text === undefined) return [];
  const cells: Cells = { ...AGE, ...CELLS[key] };
  const described = JSON.parse(text) as readonly Omit<Column, 'cell'>[];
  return described.flatMap((column, index) => {
    if (index === 0 && column.format === 'name') return [];
    const { format, ...rest } = column;
    const shown = format === undefined || format === '' ? rest : { ...rest, format };
    return [{ ...shown, cell: cells[column.name] ?? (() => null) }];
  });
}

function subjects(
  binding: KubeObject,
  kind: string,
  show: (subject: { name: string; namespace: string }) => string,
): string {
  const found = listAt(binding, 'subjects').filter((subject) => textAt(subject, 'kind') === kind);
  return found
    .map((subject) => show({ name: textAt(subject, 'name'), namespace: textAt(subject, 'namespace') }))
    .join(', ');
}

function statusNumber(object: KubeObject, field: string): number {
  return numberAt(structAt(object, 'status'), field);
}

function templateOf(workload: KubeObject): JsonObject {
  return structAt(structAt(workload, 'spec'), 'template');
}

function labelsText(labels: JsonObject): string {
  return (
    textEntries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .toSorted()
      .join(',') || '<none>'
  );
}

function containers(template: JsonObject, field: string): string {
  return listAt(structAt(template, 'spec'), 'containers')
    .map((container) => textAt(container, field))
    .join(',');
}

function limitText(budget: KubeObject, field: string): string {
  const value = structAt(budget, 'spec')[field];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'N/A';
}

function paramKind(spec: JsonObject): string {
  const kind = structAt(spec, 'paramKind');
  return spec['paramKind'] === undefined ? '<unset>' : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
}

/** The parameters of a binding. Without a namespace `*` is printed, whether or not they are namespaced. */
function paramRef(spec: JsonObject): string {
  const reference = structAt(spec, 'paramRef');
  const name = textAt(reference, 'name');
  if (name !== '') return `${textAt(reference, 'namespace') || '*'}/${name}`;
  return reference['selector'] === undefined ? '<unset>' : goSelector(structAt(reference, 'selector'));
}

/** A label selector as Go prints the struct. */
function goSelector(selector: JsonObject): string {
  const labels = textEntries(structAt(selector, 'matchLabels')).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const expressions = listAt(selector, 'matchExpressions').map(
    (one) =>
      `LabelSelectorRequirement{Key:${textAt(one, 'key')},Operator:${textAt(one, 'operator')},Values:[${textsAt(one, 'values').join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
