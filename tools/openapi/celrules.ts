import { isRecord, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import { refTo, type JsonSchema } from './jsonschema.js';
import {
  REGISTRY_OR_EMPTY_PATTERN,
  CONFIG_MAP_KEY_OR_EMPTY_PATTERN,
  BOUND_PATTERN,
  DNS_LABEL_OR_EMPTY_PATTERN,
  LABEL_VALUE_PATTERN,
  QUANTITY_PATTERN,
  SHORT_EXPONENT,
  SMALL_EXPONENT,
  SUBDOMAIN_OR_EMPTY_PATTERN,
} from './patterns.js';

const EXISTS: JsonSchema = { properties: { operator: { const: 'Exists' } }, required: ['operator'] };
const IN_OR_NOT_IN: JsonSchema = { properties: { operator: { enum: ['In', 'NotIn'] } } };
const EXISTS_OR_NOT: JsonSchema = { properties: { operator: { enum: ['Exists', 'DoesNotExist'] } } };
const COMPARES: JsonSchema = { properties: { operator: { enum: ['Gt', 'Ge', 'Lt', 'Le'] } } };
/** The threshold of a comparison. Its rules are parts of one pattern. */
const COMPARES_ONE = "!(self.operator in ['Gt', 'Ge', 'Lt', 'Le']) || !has(self.values) || size(self.values) != 1 || ";
const BOUND_RULES = [
  "self.values[0].startsWith('v') || ((size(self.values[0]) < 7 || self.values[0].endsWith('E') || self.values[0].endsWith('Ei') || !self.values[0].matches('[eE]')) && isQuantity(self.values[0]))",
  "!self.values[0].startsWith('v') || self.values[0].matches(r'^v\\d+.\\d')",
  "!self.values[0].startsWith('v') || !self.values[0].matches(r'\\d[^.\\d]')",
  "!self.values[0].startsWith('v') || (size(self.values[0].split('.')) in [2, 3] && !self.values[0].endsWith('.'))",
  "!self.values[0].startsWith('v') || !self.values[0].matches(r'\\.\\D')",
];
const BOUND: JsonSchema = {
  if: COMPARES,
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { values: { items: { anyOf: [{ pattern: BOUND_PATTERN }, SHORT_EXPONENT] } } } },
};
const NUMBERED: JsonSchema = { required: ['numberOfClusters'] };
/** A rule that compares with the stored object. The form of a request does not decide it. */
const TRANSITION_RULE = /\boldSelf\b/;
/** A rule that forbids a field, which the schema of a request does not have at all. */
const FORBIDDING_RULE = /^!has\(self\.\w+\)$/;

/** Patterns as the rules have them, in the syntax of RE2. */
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}([.]${LABEL})*`;

/** The rule for a label key. CEL's library `format` has it, too, but not in every release that is supported. */
function qualifiedName(text: string): string {
  const pattern = `^(${SUBDOMAIN}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`;
  return `${text}.matches('${pattern}') && ${text}.indexOf('/') <= 253`;
}

function labelValue(text: string): string {
  return `${text}.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$')`;
}

/** A type has the field of this name, and no other type has it. */
function bodyOf(type: string, field: string): Readonly<Record<string, JsonSchema>> {
  const required = { required: [field] };
  const condition = { properties: { type: { const: type } }, required: ['type'] };
  return {
    [`(self.type == '${type}') == has(self.${field})`]: {
      if: condition,
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: required,
      else: { not: required },
    },
  };
}

/** Start, duration and time zone of a change window. */
const WINDOW_PATTERNS = [
  '^([*]|Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([01][0-9]|2[0-3]):[0-5][0-9]$',
  '^(168h|([1-9]|[1-9][0-9]|1[0-5][0-9]|16[0-7])h([1-5]?[0-9]m)?|([1-9][0-9]{0,3}|100[0-7][0-9]|10080)m)$',
  '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$',
];

/** The resources of a component: no schema compares two quantities. */
const RESOURCES: Readonly<Record<string, JsonSchema>> = Object.fromEntries([
  ...['10m', '64Mi'].map((least) => [`quantity(string(self)).compareTo(quantity('${least}')) >= 0`, {}]),
  ...['cpu', 'memory'].map((name) => [
    `!has(self.requests) || !has(self.limits) || !has(self.requests.${name}) || !has(self.limits.${name}) || quantity(string(self.requests.${name})).compareTo(quantity(string(self.limits.${name}))) <= 0`,
    {},
  ]),
]);

/** The JSON Schema for each CEL rule of the two CRDs. */
const KEYWORDS: Readonly<Record<string, JsonSchema>> = {
  [`self.matches('^(${SUBDOMAIN})?$')`]: { pattern: SUBDOMAIN_OR_EMPTY_PATTERN },
  [`self.matches('^(${LABEL})?$')`]: { pattern: DNS_LABEL_OR_EMPTY_PATTERN },
  [`self.matches('${CONFIG_MAP_KEY_OR_EMPTY_PATTERN}')`]: { pattern: CONFIG_MAP_KEY_OR_EMPTY_PATTERN },
  [`self.matches('${REGISTRY_OR_EMPTY_PATTERN}')`]: { pattern: REGISTRY_OR_EMPTY_PATTERN },
  [`self == '' || (${qualifiedName('self')})`]: { anyOf: [{ const: '' }, refTo('LabelKey')] },
  "type(self) == int ? self >= 0 && self <= 2147483647 : self.matches('^([0-9]|[1-9][0-9]|100)%$')": {
    minimum: 0,
    maximum: 2_147_483_647,
    pattern: '^([0-9]|[1-9][0-9]|100)%$',
  },
  "type(self) == int ? self >= 1 && self <= 2147483647 : self.matches('^([1-9]|[1-9][0-9]|100)%$')": {
    minimum: 1,
    maximum: 2_147_483_647,
    pattern: '^([1-9]|[1-9][0-9]|100)%$',
  },
  "self.matches('^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$')": {
    pattern: '^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
  },
  'has(self.maxRemovals) || has(self.maxAdditions)': {
    anyOf: [{ required: ['maxRemovals'] }, { required: ['maxAdditions'] }],
  },
  [qualifiedName('self')]: refTo('LabelKey'),
  ...RESOURCES,
  ...bodyOf('BuiltIn', 'builtIn'),
  ...bodyOf('Claim', 'claim'),
  ...bodyOf('Label', 'label'),
  ...bodyOf('Selector', 'selector'),
  "self != 'Steady'": { not: { const: 'Steady' } },
  "self != 'AddOn'": { not: { const: 'AddOn' } },
  false: { not: {} },
  // No schema knows the time zones.
  "!self.matches('^(Factory|Local|localtime|posixrules|posix/.*|right/.*)$') && timestamp('2026-01-01T00:00:00Z').getHours(self) >= 0":
    { not: { pattern: '^(Factory|Local|localtime|posixrules|posix/.*|right/.*)$' } },
  'has(self.min) || !has(self.max)': { dependentRequired: { max: ['min'] } },
  'has(self.max) || !has(self.min)': { dependentRequired: { min: ['max'] } },
  "(size(self) < 7 || self.endsWith('E') || self.endsWith('Ei') || !self.matches('[eE]')) && !self.matches('[eE].?[0-9]{3}') && isQuantity(self)":
    {
      anyOf: [{ pattern: QUANTITY_PATTERN }, SMALL_EXPONENT],
    },
  // No schema compares two fields, or counts them together.
  '(has(self.labels) ? self.labels.size() : 0) + (has(self.claims) ? self.claims.size() : 0) <= 16': {},
  "!has(self.min) || !has(self.max) || !(size(self.min) < 7 || self.min.endsWith('E') || self.min.endsWith('Ei') || !self.min.matches('[eE]')) || !(size(self.max) < 7 || self.max.endsWith('E') || self.max.endsWith('Ei') || !self.max.matches('[eE]')) || !isQuantity(self.min) || !isQuantity(self.max) || quantity(self.min).isLessThan(quantity(self.max))":
    {},
  [labelValue('self')]: { pattern: LABEL_VALUE_PATTERN },
  ...Object.fromEntries(WINDOW_PATTERNS.map((pattern) => [`self.matches('${pattern}')`, { pattern }])),
  "!self.startsWith('kube-') && self != 'default'": { not: { pattern: '^(kube-.*|default)$' } },
  [`self.all(k, ${qualifiedName('k')})`]: { propertyNames: refTo('LabelKey') },
  [`self.all(k, ${labelValue('self[k]')})`]: {
    additionalProperties: { pattern: LABEL_VALUE_PATTERN },
  },
  "(has(self.operator) && self.operator == 'Exists') || (has(self.key) && self.key != '')": {
    if: EXISTS,
    else: { properties: { key: { minLength: 1 } }, required: ['key'] },
  },
  "!has(self.operator) || self.operator != 'Exists' || !has(self.value) || self.value == ''": {
    if: EXISTS,
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { value: { maxLength: 0 } } },
  },
  "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)": {
    if: IN_OR_NOT_IN,
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { values: { minItems: 1 } }, required: ['values'] },
  },
  "self.operator in ['In', 'NotIn'] || !has(self.values) || size(self.values) == 0": {
    if: IN_OR_NOT_IN,
    else: { properties: { values: { maxItems: 0 } } },
  },
  "!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || size(self.values) == 0": {
    if: EXISTS_OR_NOT,
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { values: { maxItems: 0 } } },
  },
  "!(self.operator in ['Gt', 'Ge', 'Lt', 'Le']) || (has(self.values) && size(self.values) == 1)": {
    if: COMPARES,
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { values: { minItems: 1, maxItems: 1 } }, required: ['values'] },
  },
  ...Object.fromEntries(BOUND_RULES.map((rule) => [`${COMPARES_ONE}${rule}`, BOUND])),
  'self.all(p, has(p.numberOfClusters)) || !self.exists(p, has(p.numberOfClusters))': {
    anyOf: [{ items: NUMBERED }, { items: { not: NUMBERED } }],
  },
  "self.trim() != ''": { pattern: '\\S' },
  [`self.topologyKeyType != 'Label' || (${qualifiedName('self.topologyKey')})`]: {
    if: { properties: { topologyKeyType: { const: 'Label' } }, required: ['topologyKeyType'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { topologyKey: refTo('LabelKey') } },
  },
  "!has(self.minDomains) || (has(self.whenUnsatisfiable) && self.whenUnsatisfiable == 'DoNotSchedule')": {
    anyOf: [
      { not: { required: ['minDomains'] } },
      { properties: { whenUnsatisfiable: { const: 'DoNotSchedule' } }, required: ['whenUnsatisfiable'] },
    ],
  },
  '!has(self.spreadPolicy) || !has(self.spreadPolicy.spreadConstraints) || self.spreadPolicy.spreadConstraints.size() == 0 || has(self.numberOfClusters) || (has(self.predicates) && self.predicates.size() > 0 && has(self.predicates[0].numberOfClusters))':
    {
      anyOf: [
        { properties: { spreadPolicy: { properties: { spreadConstraints: { maxItems: 0 } } } } },
        NUMBERED,
        { properties: { predicates: { minItems: 1, items: NUMBERED } }, required: ['predicates'] },
      ],
    },
};

/**
 * The keywords that say in JSON Schema what the CEL rules of a CRD's schema say.
 * @throws Error for a rule that has no keywords here
 */
export function celKeywords(node: JsonRecord): JsonSchema[] {
  const validations = node['x-kubernetes-validations'];
  const rules = (Array.isArray(validations) ? validations : []).map((one) => String(isRecord(one) ? one['rule'] : ''));
  const keywords = rules
    .filter((rule) => !TRANSITION_RULE.test(rule) && !FORBIDDING_RULE.test(rule))
    .map((rule) => {
      const found = KEYWORDS[rule];
      if (found === undefined) throw new Error(`no JSON Schema is known for the CEL rule ${JSON.stringify(rule)}`);
      return found;
    });
  // Several rules may be parts of one pattern.
  return [...new Set(keywords)];
}
