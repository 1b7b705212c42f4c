import type { JsonSchema } from './jsonschema.js';

/**
 * Patterns of the OpenAPI document. They use only what ECMA-262, RE2 and Python have in common: no lookahead and no
 * non-capturing groups.
 */
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED_NAME = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
/** At most 19 digits, since revisions of etcd are signed 64-bit integers. */
const REVISION = '[1-9][0-9]{0,18}';

/** The longest name of both kinds: maxLength of metadata.name in their CustomResourceDefinitions. */
export const MAX_OBJECT_NAME = 63;
/** Characters that the API server adds to `generateName`. */
const GENERATED = 5;

/** Keys that the body of a request must not have (see StrictBuilder). */
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'];

export const OBJECT_NAME: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_OBJECT_NAME,
  pattern: `^${SUBDOMAIN}$`,
};
export const NAME_PREFIX: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_OBJECT_NAME - GENERATED,
  pattern: `^${SUBDOMAIN}-?$`,
};
export const NAMESPACE_NAME: JsonSchema = { type: 'string', minLength: 1, maxLength: 63, pattern: `^${LABEL}$` };

/** A quantity of Kubernetes with an exponent, of at most six characters: an API server needs minutes for `1e-805069125`. */
export const SHORT_EXPONENT: JsonSchema = {
  maxLength: 6,
  pattern: '^[+-]?([0-9]{1,3}([.][0-9]{0,2})?|[.][0-9]{1,3})[eE][+-]?[0-9]{1,4}$',
};
/** One that a double holds: the exponent has at most two digits. */
export const SMALL_EXPONENT: JsonSchema = {
  maxLength: 6,
  pattern: '^[+-]?([0-9]{1,3}([.][0-9]{0,2})?|[.][0-9]{1,3})[eE][+-]?[0-9]{1,2}$',
};
/** A quantity of Kubernetes without an exponent. */
export const QUANTITY_PATTERN = '^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([KMGTPE]i|[numkMGTPE])?$';

export const RESOURCE_VERSION_PATTERN = `^${REVISION}$`;
/** `If-Match` with one revision. */
export const ENTITY_TAG_PATTERN = `^"${REVISION}"$`;
/** `If-Match` with one revision, or with `*`. */
export const CONDITION_PATTERN = `^([*]|"${REVISION}")$`;

export const DNS_LABEL_OR_EMPTY_PATTERN = `^(${LABEL})?$`;
export const SUBDOMAIN_OR_EMPTY_PATTERN = `^(${SUBDOMAIN})?$`;
export const LABEL_VALUE_PATTERN = '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$';
/** A time by RFC 3339 in upper case, without the leap second, which Go does not read. */
export const TIME_PATTERN =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]+)?(Z|[-+]([01][0-9]|2[0-3]):[0-5][0-9])$';
export const API_VERSION_PATTERN = `^(${SUBDOMAIN}/)?${LABEL}$`;

export const LABEL_KEY: JsonSchema = {
  type: 'string',
  description: 'A label key: a name of at most 63 characters, with an optional DNS subdomain and "/" before it.',
  minLength: 1,
  maxLength: 317,
  pattern: `^(${SUBDOMAIN}/)?${QUALIFIED_NAME}$`,
  allOf: [{ pattern: '^([^/]{1,253}/)?[^/]+$' }],
  not: { enum: FORBIDDEN_KEYS },
};
export const LABEL_VALUE: JsonSchema = {
  type: 'string',
  description: 'A label value: empty, or letters, digits, "-", "_" and ".", with a letter or digit at both ends.',
  maxLength: 63,
  pattern: LABEL_VALUE_PATTERN,
};
/** Of every object whose keys are free. */
export const ALLOWED_KEYS: JsonSchema = { not: { enum: FORBIDDEN_KEYS } };

/** A version of two or three numbers, or a quantity without an exponent. */
export const BOUND_PATTERN = '^(v[0-9]+(\\.[0-9]+){1,2}|[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE])?)$';

/** A key of a ConfigMap, or nothing. */
export const CONFIG_MAP_KEY_OR_EMPTY_PATTERN = '^([-_A-Za-z0-9][-._A-Za-z0-9]*|[.][-_A-Za-z0-9][-._A-Za-z0-9]*)?$';

/** A registry of images, without a scheme, or nothing. */
export const REGISTRY_OR_EMPTY_PATTERN =
  '^([A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?([.][A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*(:(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}))?(/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*)?$';
