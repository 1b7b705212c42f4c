import {
  configMapKey,
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  qualifiedName,
  type NameRule,
} from '@multicluster-engine/values/formats';
import { asRecord, field, isRecord } from '../../runtime/vocabulary/json.js';
import type { MultiClusterEngineSpec } from '../../api/generated/multiclusterengine.js';
import { CATALOGUE } from './catalogue.js';
import { isMore } from './manifest/resources.js';
import { MOST_API_SERVER_PORTS, targetNamespaceOf } from './spec.js';

/** An invalid field of the spec: its path, its value and the rule that it breaks. */
export interface FieldError {
  readonly field: string;
  readonly value: string;
  readonly rule: string;
}

/** One line with field, value and rule. */
export function fieldErrorText(one: FieldError): string {
  return `${one.field}: ${one.value}: ${one.rule}`;
}

/**
 * The errors of a stored spec in the order of its fields, by the rules of the CRD. Admission refuses all of them; a spec
 * may have been stored while a rule of the CRD was missing.
 */
export function validateSpec(spec: unknown): readonly FieldError[] {
  return spec === undefined || spec === null ? [] : SPEC(spec, 'spec');
}

/** The rules that the CRD cannot express: the effective target namespace is immutable, and `only` is the one that is served. */
export function validateTargetNamespace(
  spec: MultiClusterEngineSpec | undefined,
  installedIn: string | undefined,
  only: string | undefined,
): readonly FieldError[] {
  const path = 'spec.targetNamespace';
  const target = targetNamespaceOf(spec);
  if (installedIn !== undefined && installedIn !== '' && installedIn !== target) {
    const rule = `is immutable: the engine is installed in ${installedIn}; delete and recreate the engine`;
    return [fieldError(path, target, rule)];
  }
  if (only !== undefined && only !== target) {
    return [fieldError(path, target, `must be ${only}: the operator runs with --namespace ${only}`)];
  }
  return [];
}

type Errors = readonly FieldError[];
/** The errors of the value of a field; `path`: that of the field. */
type Check = (value: unknown, path: string) => Errors;
type Test = (value: unknown) => boolean;

const LONGEST_SHOWN = 80;

/** `value`: as the spec has it; shown as JSON, and cut where it is long. */
function fieldError(path: string, value: unknown, rule: string): FieldError {
  const shown = JSON.stringify(value) ?? 'nothing';
  return { field: path, value: shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown, rule };
}

function must(holds: Test, text: string): Check {
  return (value, path) => (holds(value) ? [] : [fieldError(path, value, text)]);
}

/** The errors of the first check that finds some. */
function first(...checks: readonly Check[]): Check {
  return (value, path) => {
    for (const check of checks) {
      const errors = check(value, path);
      if (errors.length > 0) return errors;
    }
    return [];
  };
}

/** An object with these fields, each of which may be absent or null unless it is required. */
function object(checks: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return first(must(isRecord, 'must be an object'), (value, path) =>
    Object.entries(checks).flatMap(([name, check]) => {
      const one = field(value, name) ?? undefined;
      return one === undefined && !required.includes(name) ? [] : check(one, `${path}.${name}`);
    }),
  );
}

function list(check: Check): Check {
  return first(must(Array.isArray, 'must be a list'), (value, path) =>
    (value as readonly unknown[]).flatMap((one, at) => check(one, `${path}[${at}]`)),
  );
}

/** A list whose items differ in what `keyOf` returns; `part`: the end of its path. */
function distinct(keyOf: (item: unknown) => unknown, part = ''): Check {
  return (value, path) => {
    const keys = (value as readonly unknown[]).map(keyOf);
    const twice = keys.flatMap((key, at) => (keys.indexOf(key) < at ? [at] : []));
    return twice.map((at) => fieldError(`${path}[${at}]${part}`, keys[at], 'must not be listed twice'));
  };
}

function oneOf(...choices: readonly string[]): Check {
  return must((value) => choices.some((one) => one === value), `must be ${choices.join(', ')}`);
}

function blankOr(holds: Test, text: string): Check {
  return must((value) => isBlank(value) || holds(value), `must be empty or ${text}`);
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function within(least: number, most: number): Test {
  return (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

/** A text by a rule of Kubernetes. */
function textBy(names: NameRule): Test {
  return (value) => typeof value === 'string' && names(value).length === 0;
}

const isLabel = textBy(dns1123Label);
const isSubdomain = textBy(dns1123Subdomain);
const isLabelKey = textBy(qualifiedName);
const isLabelValue = textBy(labelValue);
const isSwitch = must((value) => typeof value === 'boolean', 'must be true or false');

/** Host, port (1 to 65535) and path, by the grammar of image references. */
const REGISTRY =
  /^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*(:(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}))?(\/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*$/;
const isRegistry: Test = (value) => typeof value === 'string' && value.length <= 253 && REGISTRY.test(value);

/** The resources that a component may have others of. */
const RESOURCES = ['cpu', 'memory'] as const;
/** With less no component starts. A memory of 512 is 512 bytes, and a slip. */
const LEAST_LIMITS = Object.freeze({ cpu: '10m', memory: '64Mi' });
/** No exponents: the API server expands them. */
const QUANTITY = /^[0-9]{1,12}(\.[0-9]{1,3})?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/;
const isQuantity: Test = (value) => ['string', 'number'].includes(typeof value) && QUANTITY.test(String(value));

function quantities(least: Readonly<Record<string, string>>): Check {
  const quantity = must(isQuantity, 'must be a quantity, such as 500m, 2 or 512Mi');
  const checks = RESOURCES.map((name): [string, Check] => [
    name,
    first(
      quantity,
      must((value) => !isMore(least[name], value), `must be at least ${least[name]}`),
    ),
  ]);
  return object(Object.fromEntries(checks));
}

const requestsWithinLimits: Check = (value, path) => {
  const [limits, requests] = [field(value, 'limits'), field(value, 'requests')];
  return RESOURCES.flatMap((name) => {
    const holds = !isMore(field(requests, name), field(limits, name));
    const text = `must not be more than limits.${name}`;
    return holds ? [] : [fieldError(`${path}.requests.${name}`, field(requests, name), text)];
  });
};

const COMPONENTS = CATALOGUE.map(({ name }) => name).sort();
const component = object(
  {
    name: must((value) => COMPONENTS.some((one) => one === value), `must be ${COMPONENTS.join(' or ')}`),
    enabled: isSwitch,
    replicas: must(within(1, 100), 'must be a whole number from 1 to 100'),
    resources: first(object({ limits: quantities(LEAST_LIMITS), requests: quantities({}) }), requestsWithinLimits),
  },
  ['name'],
);

const apiServerPorts = first(
  must(
    (value) => Array.isArray(value) && value.length > 0 && value.length <= MOST_API_SERVER_PORTS,
    `must be a list of 1 to ${MOST_API_SERVER_PORTS} ports`,
  ),
  list(must(within(1, 65_535), 'must be a port: a whole number from 1 to 65535')),
  distinct((port) => port),
);

const nodeSelector = first(must(isRecord, 'must be a map of string to string'), (value, path) =>
  Object.entries(asRecord(value)).flatMap(([key, one]) =>
    isLabelKey(key)
      ? must(isLabelValue, 'must be a label value')(one, `${path}[${key}]`)
      : [fieldError(path, key, 'must have label keys')],
  ),
);

const isSeconds = within(-(2 ** 53), 2 ** 53);
const EFFECTS: readonly unknown[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** The first field that is wrong, by itself or beside the operator. */
const toleration = first(must(isRecord, 'must be an object'), (one, path) => {
  const { key, value, effect, tolerationSeconds: seconds } = asRecord(one);
  const operator = field(one, 'operator') ?? 'Equal';
  const isExists = operator === 'Exists';
  const rules: readonly (readonly [name: string, value: unknown, holds: boolean, text: string])[] = [
    ['operator', operator, isExists || operator === 'Equal', 'must be Exists or Equal'],
    ['effect', effect, isBlank(effect) || EFFECTS.includes(effect), `must be ${EFFECTS.join(', ')} or empty`],
    ['key', key, isBlank(key) || isLabelKey(key), 'must be empty or a label key'],
    ['key', key, isExists || !isBlank(key), 'must not be empty unless operator is Exists'],
    ['value', value, isBlank(value) || isLabelValue(value), 'must be a label value'],
    ['value', value, !isExists || isBlank(value), 'must be empty with operator Exists'],
    ['tolerationSeconds', seconds, isBlank(seconds) || isSeconds(seconds), 'must be an integer within ±2^53'],
  ];
  for (const [name, found, holds, text] of rules) if (!holds) return [fieldError(`${path}.${name}`, found, text)];
  return [];
});

const targetNamespace = first(
  blankOr(isLabel, 'a DNS-1123 label'),
  must((value) => !/^(default$|kube-)/.test(String(value)), 'must be neither default nor kube-*'),
);

const SPEC = object({
  adoption: oneOf('Refuse', 'IfUnowned'),
  availability: oneOf('High', 'Basic'),
  components: first(
    list(component),
    distinct((one) => field(one, 'name'), '.name'),
  ),
  imagePullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
  imageRegistry: blankOr(isRegistry, 'a registry: HOST[:PORT][/PATH]'),
  imagePullSecret: blankOr(isSubdomain, 'a DNS-1123 subdomain'),
  localCluster: object({ enabled: isSwitch, name: blankOr(isLabel, 'a DNS-1123 label') }),
  networkPolicies: object({ enabled: isSwitch, apiServerPorts }),
  nodeSelector,
  targetNamespace,
  tolerations: list(toleration),
  trustBundle: object(
    {
      configMapName: must(isSubdomain, 'must be the name of a ConfigMap, a DNS-1123 subdomain'),
      key: blankOr(textBy(configMapKey), 'a key of a ConfigMap'),
    },
    ['configMapName'],
  ),
});
