import { asRecord, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import {
  ALLOW_DELETION_ANNOTATION,
  DEFAULT_TARGET_NAMESPACE,
  OPERATOR_NAMESPACE,
  OPERATOR_SERVICE_ACCOUNT,
} from '../../src/api/names.js';
import { Template } from './template.js';

const IMAGE = 'include "multicluster-engine.image" . | quote';
/** The variables of the operator's environment that values.yaml sets. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  MULTICLUSTER_ENGINE_IMAGE: IMAGE,
  MULTICLUSTER_ENGINE_COMPONENT_REPLICAS: '.Values.componentReplicas | quote',
};
/** Item of an environment, as deploy/metrics-secure adds it. */
const SECURE_METRICS = '{ name: MULTICLUSTER_ENGINE_METRICS_SECURE, value: "true" }';
/** As deploy/sig-decisions adds it. */
const SIG_DECISIONS = '{ name: MULTICLUSTER_ENGINE_SIG_DECISIONS, value: "true" }';
/** As deploy/multikueue adds it. */
const MULTIKUEUE = '{ name: MULTICLUSTER_ENGINE_MULTIKUEUE, value: "true" }';
/** As deploy/cluster-profiles adds it. */
const PUBLISH_PROFILES = '{ name: MULTICLUSTER_ENGINE_PUBLISH_PROFILES, value: {{ . | quote }} }';
/** As deploy/omit-user-ids adds it. */
const OMITTED = '{ name: MULTICLUSTER_ENGINE_OMIT_USER_IDS, value: "true" }';
/** What makes `helm uninstall` leave an object. */
const KEEP = 'helm.sh/resource-policy: keep';
/** What makes the policy of deploy/definitions let one go. */
const ALLOWED = `${ALLOW_DELETION_ANNOTATION}: "true"`;
/** Takes the place of the release's namespace in an expression, where it is a part of a value. */
const RELEASE = 'RELEASE_NAMESPACE';
const KEEP_DEFINITIONS = '.Values.crds.keep';

/** A manifest of deploy/ as a template: in the namespace of the release, with the settings of values.yaml. */
export function objectTemplate(object: JsonRecord): string {
  const template = new Template();
  const placed = inRelease(object, template);
  if (placed['kind'] === 'NetworkPolicy') return template.text(withApiServerPorts(placed, template));
  return template.text(placed['kind'] === 'Deployment' ? operatorDeployment(placed, template) : placed);
}

/** A NetworkPolicy whose egress, the API server, has the ports of values.yaml. An empty list must not allow every port. */
export function withApiServerPorts(policy: JsonRecord, template: Template): JsonRecord {
  const spec = asRecord(policy['spec']);
  const [rule, ...others] = records(spec['egress']);
  const found = records(rule?.['ports']).map(({ port }) => port);
  if (others.length > 0 || found.length === 0) throw new Error('a NetworkPolicy: want one rule of egress, with ports');
  const ports = `.Values.networkPolicy.apiServerPorts | default (list ${found.join(' ')})`;
  return {
    ...policy,
    spec: { ...spec, egress: [{ ports: [template.each(ports, ['protocol: TCP', 'port: {{ int . }}'])] }] },
  };
}

/** A manifest of deploy/definitions as a template: Helm keeps it, or may delete it with the release. */
export function lastingTemplate(object: JsonRecord): string {
  const expression = (name: string): string => JSON.stringify(`'${name}'`);
  const placed = JSON.stringify(object).replaceAll(expression(OPERATOR_NAMESPACE), expression(RELEASE));
  const text = new Template().text(asRecord(JSON.parse(placed))).replaceAll(RELEASE, '{{ .Release.Namespace }}');
  // The identities of all agents are in the namespace: without it every cluster would have to join again.
  if (object['kind'] === 'Namespace') return kept(text);
  if (object['kind'] === 'CustomResourceDefinition') return kept(text, KEEP_DEFINITIONS, ALLOWED);
  return kept(text, KEEP_DEFINITIONS);
}

/**
 * A manifest with something of the components as a template: their namespace, {@link DEFAULT_TARGET_NAMESPACE} in the
 * manifest, is the value of the expression `target`. The namespace itself is kept, since the objects of an engine are in it.
 * `others`: further namespaces in the manifest, with the expressions of their values.
 */
export function targetTemplate(
  object: JsonRecord,
  expression: string,
  others: Readonly<Record<string, string>> = {},
): string {
  const template = new Template();
  const target = template.value(expression);
  const moves = Object.entries(others).map(([from, other]) => [from, template.value(other)] as const);
  const placed = [[DEFAULT_TARGET_NAMESPACE, target] as const, ...moves].reduce(
    (one, [from, to]) => moved(one, from, to),
    inRelease(object, template),
  );
  if (placed['kind'] !== 'Namespace') return template.text(placed);
  const metadata = { ...asRecord(placed['metadata']), name: target };
  return kept(template.text({ ...placed, metadata }));
}

/** The PodMonitor as a template: it looks into the namespaces of the release and of the components. */
export function podMonitorTemplate(object: JsonRecord, target: string): string {
  const template = new Template();
  const placed = inRelease(object, template);
  const matchNames = [template.value('.Release.Namespace'), template.value(target)];
  return template.text({ ...placed, spec: { ...asRecord(placed['spec']), namespaceSelector: { matchNames } } });
}

/** The object with these labels besides its own. */
export function labelled(object: JsonRecord, labels: JsonRecord): JsonRecord {
  const metadata = asRecord(object['metadata']);
  return { ...object, metadata: { ...metadata, labels: { ...asRecord(metadata['labels']), ...labels } } };
}

export function records(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.map((one) => asRecord(one)) : [];
}

/** The object in the namespace of the release, if it is in that of the operator. */
export function inRelease(object: JsonRecord, template: Template): JsonRecord {
  return moved(object, OPERATOR_NAMESPACE, template.value('.Release.Namespace'));
}

/** The object with another namespace, if it is in `from`, and its subjects likewise. */
export function moved(object: JsonRecord, from: string, to: string): JsonRecord {
  const placed = (holder: JsonRecord): JsonRecord =>
    holder['namespace'] === from ? { ...holder, namespace: to } : holder;
  const subjects = object['subjects'];
  return {
    ...object,
    metadata: placed(asRecord(object['metadata'])),
    ...(Array.isArray(subjects) ? { subjects: subjects.map((one) => placed(asRecord(one))) } : {}),
  };
}

/** The text of an object with the annotation {@link KEEP}; with a condition only where that is true, and else `otherwise`. */
export function kept(text: string, condition?: string, otherwise?: string): string {
  const annotations = `  annotations:\n    ${KEEP}\n`;
  const rest = otherwise === undefined ? '' : `  {{- else }}\n  annotations:\n    ${otherwise}\n`;
  const guarded =
    condition === undefined ? annotations : `  {{- if ${condition} }}\n${annotations}${rest}  {{- end }}\n`;
  return text.replace('metadata:\n', `metadata:\n${guarded}`);
}

function operatorDeployment(object: JsonRecord, template: Template): JsonRecord {
  const spec = asRecord(object['spec']);
  const pods = asRecord(spec['template']);
  const pod = operatorPod(asRecord(pods['spec']), template);
  return {
    ...object,
    spec: { ...spec, replicas: template.value('.Values.replicas'), template: { ...pods, spec: pod } },
  };
}

function operatorPod(pod: JsonRecord, template: Template): JsonRecord {
  const [nodes, zones, ...others] = records(pod['topologySpreadConstraints']);
  const [container, ...sidecars] = records(pod['containers']);
  if (container === undefined || sidecars.length > 0 || zones === undefined || others.length > 0)
    throw new Error(`${OPERATOR_SERVICE_ACCOUNT}: want one container and two topologySpreadConstraints`);
  return {
    ...pod,
    ...podSettings(pod, template),
    topologySpreadConstraints: [
      { ...nodes, whenUnsatisfiable: template.value('.Values.topologySpread.nodes') },
      { ...zones, whenUnsatisfiable: template.value('.Values.topologySpread.zones') },
    ],
    containers: [operatorContainer(container, template)],
  };
}

/** The settings of values.yaml for every pod of the release. */
export function podSettings(pod: JsonRecord, template: Template): JsonRecord {
  return {
    securityContext: optionalUserIds(asRecord(pod['securityContext']), template),
    imagePullSecrets: template.optional('.Values.imagePullSecrets'),
    nodeSelector: template.optional('.Values.nodeSelector'),
    tolerations: template.optional('.Values.tolerations'),
    affinity: template.optional('.Values.affinity'),
    priorityClassName: template.optionalScalar('.Values.priorityClassName'),
  };
}

const OMIT_USER_IDS = '.Values.omitUserIds';
/** Of a pod, which the value leaves to the platform. */
const USER_IDS = ['runAsUser', 'runAsGroup', 'fsGroup'];

/** The security context of a pod, without the fields of deploy/omit-user-ids where the value says so. */
export function optionalUserIds(context: JsonRecord, template: Template): JsonRecord {
  const fields = Object.entries(context).map(([name, value]) => {
    const isId = USER_IDS.includes(name);
    return [name, isId ? template.scalarWhere(`not ${OMIT_USER_IDS}`, String(value)) : value] as const;
  });
  return Object.fromEntries(fields);
}

/** Those for its container. */
export function imageSettings(template: Template): JsonRecord {
  return {
    image: template.value(IMAGE),
    imagePullPolicy: template.optionalScalar('.Values.image.pullPolicy'),
  };
}

/** The variable of secure metrics, where values.yaml turns them on. */
export function secureMetrics(template: Template): string {
  return template.optionalItem('.Values.metrics.secure', SECURE_METRICS);
}

function operatorContainer(container: JsonRecord, template: Template): JsonRecord {
  const env = records(container['env']).map((one) => {
    const expression = ENVIRONMENT[String(one['name'])];
    return expression === undefined ? one : { ...one, value: template.value(expression) };
  });
  const args: readonly unknown[] = Array.isArray(container['args']) ? container['args'] : [];
  return {
    ...container,
    ...imageSettings(template),
    args: [
      ...args,
      template.optionalItem('.Values.onlyNamespace', '--namespace={{ . }}'),
      template.optionalItems('.Values.extraArgs'),
    ],
    env: [
      ...env,
      template.optionalItem(OMIT_USER_IDS, OMITTED),
      secureMetrics(template),
      template.optionalItem('.Values.sigDecisions.enabled', SIG_DECISIONS),
      template.optionalItem('.Values.multikueue.enabled', MULTIKUEUE),
      template.optionalItem('.Values.publishProfiles.namespace', PUBLISH_PROFILES),
      template.optionalItems('.Values.extraEnv'),
    ],
    resources: template.tree('.Values.resources'),
  };
}
