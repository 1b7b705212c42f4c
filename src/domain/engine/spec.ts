import { isRecord } from '../../runtime/vocabulary/json.js';
import type { MultiClusterEngineSpec, Toleration } from '../../api/generated/multiclusterengine.js';
import { DEFAULT_LOCAL_CLUSTER, DEFAULT_TARGET_NAMESPACE } from '../../api/names.js';
import { componentSpecs, validateComponents, type ComponentSpecs } from './components.js';
import { fieldError, type FieldError } from './fielderror.js';
import { networkPolicySettings, validateNetworkPolicies, type NetworkPolicySettings } from './networkpolicies.js';

/** A toleration of a pod: no empty fields, and `tolerationSeconds` only where Kubernetes accepts it. */
export interface PodToleration {
  readonly key?: string;
  readonly operator: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: string;
  /** Seconds; zero and negative: evicted at once. */
  readonly tolerationSeconds?: number;
}

/** Whether an existing object of a desired name is taken over: never, or where nobody owns it. */
export type Adoption = NonNullable<MultiClusterEngineSpec['adoption']>;

/** A spec with its defaults. Defaults are never written into a user's spec. */
export interface EffectiveSpec {
  readonly targetNamespace: string;
  readonly adoption: Adoption;
  /** Undefined: as the operator's flags say. */
  readonly availability: MultiClusterEngineSpec['availability'] | undefined;
  readonly components: ComponentSpecs;
  /** Takes the place of the registry of each image; undefined: as the image has it. */
  readonly imageRegistry: string | undefined;
  readonly imagePullPolicy: NonNullable<MultiClusterEngineSpec['imagePullPolicy']> | undefined;
  /** Name of a Secret in the target namespace; undefined for none. */
  readonly imagePullSecret: string | undefined;
  /** The name of the ManagedCluster that stands for the hub; undefined: there is to be none. */
  readonly localCluster: string | undefined;
  readonly networkPolicies: NetworkPolicySettings;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly PodToleration[];
  readonly trustBundle: TrustBundle | undefined;
}

/** A key of a ConfigMap in the target namespace, which holds certificates of authorities in PEM. */
export interface TrustBundle {
  readonly configMapName: string;
  readonly key: string;
}

const DEFAULT_TRUST_KEY = 'ca.crt';

/** `spec`: one for which {@link validateSpec} returns no errors. */
export function effectiveSpec(spec: MultiClusterEngineSpec | undefined): EffectiveSpec {
  return {
    targetNamespace: targetNamespaceOf(spec),
    adoption: spec?.adoption ?? 'Refuse',
    availability: spec?.availability ?? undefined,
    components: componentSpecs(spec?.components),
    imageRegistry: blank(spec?.imageRegistry) ? undefined : spec?.imageRegistry,
    imagePullPolicy: spec?.imagePullPolicy ?? undefined,
    imagePullSecret: blank(spec?.imagePullSecret) ? undefined : spec?.imagePullSecret,
    localCluster: localClusterOf(spec?.localCluster),
    networkPolicies: networkPolicySettings(spec?.networkPolicies),
    nodeSelector: spec?.nodeSelector ?? {},
    tolerations: (spec?.tolerations ?? []).map(podToleration),
    trustBundle: trustBundleOf(spec?.trustBundle),
  };
}

function localClusterOf(given: MultiClusterEngineSpec['localCluster']): string | undefined {
  if (given?.enabled !== true) return undefined;
  return blank(given.name) ? DEFAULT_LOCAL_CLUSTER : given.name;
}

function trustBundleOf(given: MultiClusterEngineSpec['trustBundle']): TrustBundle | undefined {
  if (given === undefined || given === null) return undefined;
  return { configMapName: given.configMapName, key: blank(given.key) ? DEFAULT_TRUST_KEY : given.key };
}

/** The effective target namespace of any stored spec, also of an invalid one. */
export function targetNamespaceOf(spec: MultiClusterEngineSpec | undefined): string {
  const set: unknown = spec?.targetNamespace;
  return typeof set === 'string' && set !== '' ? set : DEFAULT_TARGET_NAMESPACE;
}

/**
 * Kubernetes refuses `tolerationSeconds` with every effect other than NoExecute, the empty one included. The API of the
 * engine says that it is ignored there, so it is dropped.
 */
function podToleration(wanted: Toleration): PodToleration {
  const seconds = wanted.effect === 'NoExecute' ? wanted.tolerationSeconds : undefined;
  return {
    ...(blank(wanted.key) ? {} : { key: wanted.key }),
    operator: wanted.operator ?? 'Equal',
    ...(blank(wanted.value) ? {} : { value: wanted.value }),
    ...(blank(wanted.effect) ? {} : { effect: wanted.effect }),
    ...(seconds === undefined || seconds === null ? {} : { tolerationSeconds: seconds }),
  };
}

function blank(value: unknown): value is '' | null | undefined {
  return value === undefined || value === null || value === '';
}

/**
 * The errors of a stored spec in the order of its fields, by the rules of the CRD. Admission refuses all of them; a spec
 * may have been stored while a rule of the CRD was missing.
 */
export function validateSpec(spec: unknown): readonly FieldError[] {
  if (spec === undefined || spec === null) return [];
  if (!isRecord(spec)) return [fieldError('spec', spec, 'must be an object')];
  return [
    ...validateChoice('spec.adoption', spec['adoption'], ['Refuse', 'IfUnowned']),
    ...validateChoice('spec.availability', spec['availability'], ['High', 'Basic']),
    ...validateComponents(spec['components']),
    ...validateChoice('spec.imagePullPolicy', spec['imagePullPolicy'], ['Always', 'IfNotPresent', 'Never']),
    ...validateName(
      'spec.imageRegistry',
      spec['imageRegistry'],
      isRegistry,
      'must be empty or a registry: HOST[:PORT][/PATH]',
    ),
    ...validatePullSecret(spec['imagePullSecret']),
    ...validateLocalCluster(spec['localCluster']),
    ...validateNetworkPolicies(spec['networkPolicies']),
    ...validateNodeSelector(spec['nodeSelector']),
    ...validateNamespace(spec['targetNamespace']),
    ...validateTolerations(spec['tolerations']),
    ...validateTrustBundle(spec['trustBundle']),
  ];
}

/** The rules that the CRD cannot express: the effective target namespace is immutable, and `only` is the one that is served. */
export function validateTargetNamespace(
  spec: MultiClusterEngineSpec | undefined,
  installedIn: string | undefined,
  only: string | undefined,
): readonly FieldError[] {
  const field = 'spec.targetNamespace';
  const target = targetNamespaceOf(spec);
  if (installedIn !== undefined && installedIn !== '' && installedIn !== target) {
    const rule = `is immutable: the engine is installed in ${installedIn}; delete and recreate the engine`;
    return [fieldError(field, target, rule)];
  }
  if (only !== undefined && only !== target) {
    return [fieldError(field, target, `must be ${only}: the operator runs with --namespace ${only}`)];
  }
  return [];
}

function validateChoice(field: string, value: unknown, choices: readonly string[]): FieldError[] {
  if (value === undefined || value === null || choices.some((one) => one === value)) return [];
  return [fieldError(field, value, `must be ${choices.join(', ')}`)];
}

function validatePullSecret(value: unknown): FieldError[] {
  return validateName('spec.imagePullSecret', value, isSubdomain, 'must be empty or a DNS-1123 subdomain');
}

function validateLocalCluster(value: unknown): FieldError[] {
  const field = 'spec.localCluster';
  if (value === undefined || value === null) return [];
  if (!isRecord(value)) return [fieldError(field, value, 'must be an object')];
  const { enabled, name } = value;
  if (enabled !== undefined && typeof enabled !== 'boolean')
    return [fieldError(`${field}.enabled`, enabled, 'must be true or false')];
  return validateName(`${field}.name`, name, isDnsLabel, 'must be empty or a DNS-1123 label');
}

function validateNamespace(value: unknown): FieldError[] {
  const field = 'spec.targetNamespace';
  const errors = validateName(field, value, isDnsLabel, 'must be empty or a DNS-1123 label');
  if (errors.length > 0 || typeof value !== 'string') return errors;
  if (value === 'default' || value.startsWith('kube-'))
    return [fieldError(field, value, 'must be neither default nor kube-*')];
  return [];
}

function validateName(field: string, value: unknown, isValid: (text: string) => boolean, rule: string): FieldError[] {
  if (blank(value)) return [];
  return typeof value === 'string' && isValid(value) ? [] : [fieldError(field, value, rule)];
}

function validateNodeSelector(value: unknown): FieldError[] {
  const field = 'spec.nodeSelector';
  if (value === undefined || value === null) return [];
  if (!isRecord(value)) return [fieldError(field, value, 'must be a map of string to string')];
  const errors: FieldError[] = [];
  for (const [key, one] of Object.entries(value)) {
    if (!isLabelKey(key)) errors.push(fieldError(field, key, 'must have label keys'));
    else if (!isLabelValue(one)) errors.push(fieldError(`${field}[${key}]`, one, 'must be a label value'));
  }
  return errors;
}

function validateTolerations(value: unknown): FieldError[] {
  const field = 'spec.tolerations';
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [fieldError(field, value, 'must be a list')];
  return value.flatMap((one: unknown, at) => validateToleration(`${field}[${at}]`, one));
}

function validateTrustBundle(value: unknown): FieldError[] {
  const field = 'spec.trustBundle';
  if (value === undefined || value === null) return [];
  if (!isRecord(value)) return [fieldError(field, value, 'must be an object')];
  const { configMapName: name, key } = value;
  if (typeof name !== 'string' || !isSubdomain(name))
    return [fieldError(`${field}.configMapName`, name, 'must be the name of a ConfigMap, a DNS-1123 subdomain')];
  return validateName(`${field}.key`, key, isConfigMapKey, 'must be empty or a key of a ConfigMap');
}

function validateToleration(field: string, one: unknown): FieldError[] {
  if (!isRecord(one)) return [fieldError(field, one, 'must be an object')];
  const { key, value, effect, tolerationSeconds: seconds } = one;
  const operator = one['operator'] ?? 'Equal';
  const rules: readonly (readonly [name: string, value: unknown, holds: boolean, text: string])[] = [
    ['operator', operator, operator === 'Exists' || operator === 'Equal', 'must be Exists or Equal'],
    ['effect', effect, EFFECTS.includes(effect ?? ''), 'must be NoSchedule, PreferNoSchedule, NoExecute or empty'],
    ['key', key, blank(key) || isLabelKey(key), 'must be empty or a label key'],
    ['key', key, operator === 'Exists' || !blank(key), 'must not be empty unless operator is Exists'],
    ['value', value, blank(value) || isLabelValue(value), 'must be a label value'],
    ['value', value, operator !== 'Exists' || blank(value), 'must be empty with operator Exists'],
    ['tolerationSeconds', seconds, blank(seconds) || isSeconds(seconds), 'must be an integer within ±2^53'],
  ];
  for (const [name, found, holds, rule] of rules) if (!holds) return [fieldError(`${field}.${name}`, found, rule)];
  return [];
}

const EFFECTS: readonly unknown[] = ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'];
/** Host, port (1 to 65535) and path, by the grammar of image references. */
const REGISTRY =
  /^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*(:(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}))?(\/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*$/;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function isSeconds(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 2 ** 53;
}

function isRegistry(text: string): boolean {
  return text.length <= 253 && REGISTRY.test(text);
}

/** As in Kubernetes: `.` and what begins with `..` would leave the folder of a volume. */
function isConfigMapKey(text: string): boolean {
  return text.length <= 253 && /^([-_A-Za-z0-9]|\.[-_A-Za-z0-9])[-._A-Za-z0-9]*$/.test(text);
}

function isDnsLabel(text: string): boolean {
  return text.length <= 63 && DNS_LABEL.test(text);
}

function isSubdomain(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => DNS_LABEL.test(part));
}

function isLabelValue(value: unknown): boolean {
  return typeof value === 'string' && (value === '' || isLabelName(value));
}

function isLabelName(text: string): boolean {
  return text.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text);
}

function isLabelKey(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const slash = value.indexOf('/');
  if (slash < 0) return isLabelName(value);
  return isSubdomain(value.slice(0, slash)) && isLabelName(value.slice(slash + 1));
}
