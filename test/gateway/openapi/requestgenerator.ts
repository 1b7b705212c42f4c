import fc, { type Arbitrary } from 'fast-check';

import { mergeSchemas, type JsonSchema } from '../../../tools/openapi/jsonschema.js';
import { writeYaml } from '@multicluster-engine/values/read/strictyaml';
import type { Ask } from '../client.js';
import { validatorOf } from './conformance.js';

/** A request that fits the OpenAPI document. */
export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  /** The values of the parameters in the path, by name. */
  readonly parameters: Readonly<Partial<Record<string, string>>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An operation of the document with its requests. */
export interface GeneratedOperation {
  readonly id: string;
  readonly method: string;
  readonly requests: Arbitrary<GeneratedRequest>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

const METHODS = ['get', 'post', 'put', 'delete'];
const MAX_ITEMS = 4;

/**
 * The operations of an OpenAPI document. Their requests are made from the document alone: as OpenAPI has it, read-only
 * properties are left out of bodies. `parameters`: values of path parameters, in place of any.
 */
export function operationsOf(
  document: JsonSchema,
  parameters: Readonly<Record<string, string>> = {},
): GeneratedOperation[] {
  const generator = new Generator(document);
  return Object.entries(record(document['paths'])).flatMap(([template, item]) =>
    METHODS.filter((method) => method in record(item)).map((method) => {
      const operation = record(record(item)[method]);
      const all = [...list(record(item)['parameters']), ...list(operation['parameters'])].map(parameterOf);
      const requests = fc
        .tuple(
          generator.parameters(all, 'path', parameters),
          generator.parameters(all, 'header', {}),
          generator.bodies(operation),
        )
        .map(([path, headers, sent]) => ({
          method: method.toUpperCase(),
          path: template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => path[name] ?? ''),
          parameters: path,
          headers: { ...headers, ...(sent !== undefined && { 'content-type': sent.type }) },
          ...(sent !== undefined && { body: sent.body }),
        }));
      return { id: String(operation['operationId']), method: method.toUpperCase(), requests };
    }),
  );
}

/** The request as it is sent: the body as YAML or JSON, by its media type. */
export function askFor({ method, path, headers, body }: GeneratedRequest): Ask {
  const json = headers['content-type'] === 'application/json';
  return { method, path, headers, ...(body !== undefined && { body: json ? JSON.stringify(body) : writeYaml(body) }) };
}

/** The request with the read-only fields of its body that the path and If-Match have too. */
export function withReadOnlyFields(request: GeneratedRequest): GeneratedRequest {
  const { body, parameters, headers, method } = request;
  if (body === undefined) return request;
  const { namespace, name, placement_name: placement } = parameters;
  const metadata = {
    ...record(record(body)['metadata']),
    ...(namespace !== undefined && { namespace }),
    ...(method === 'PUT' && { name: name ?? placement, resourceVersion: headers['If-Match']?.slice(1, -1) }),
  };
  return { ...request, body: { ...record(body), metadata } };
}

/** What no JSON Schema can say: expressions compile, time zones exist, names of groups and components and keys of spread differ, `min` is less than `max`. */
const VALID: Readonly<Record<string, (value: unknown) => unknown>> = {
  celExpressions: (value) => list(value).map(() => 'managedCluster.metadata.name != ""'),
  timeZone: () => 'Europe/Berlin',
  decisionGroups: (value) => distinct(list(value), 'groupName'),
  spreadConstraints: (value) => distinct(list(value), 'topologyKey', 'topologyKeyType'),
  components: (value) => distinct(list(value), 'name'),
  resources: () => ({ requests: { cpu: 1, memory: '256Mi' }, limits: { memory: '1Gi' } }),
  claim: (value) => ordered(record(value)),
  label: (value) => ordered(record(value)),
};

/** Those of the items that differ in these fields. */
function distinct(items: readonly unknown[], ...fields: readonly string[]): readonly unknown[] {
  const keyOf = (one: unknown): string => JSON.stringify(fields.map((field) => record(one)[field]));
  return [...new Map(items.map((one) => [keyOf(one), one])).values()];
}

function ordered(value: JsonSchema): JsonSchema {
  return 'min' in value ? { ...value, min: '0', max: '1' } : value;
}

function withValidValues(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (key: string, value: unknown) => {
    const valid = Object.hasOwn(VALID, key) ? VALID[key] : undefined;
    return valid === undefined ? value : valid(value);
  });
}

/** Nothing fits a schema: it forbids a property that it requires, or all values. */
class Impossible extends Error {}

/** What `make` makes; undefined where nothing fits. */
function possibly<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof Impossible) return undefined;
    throw error;
  }
}

/** Makes values that a JSON Schema allows. Each value is validated by Ajv, so that no keyword is ignored. */
class Generator {
  readonly #document: JsonSchema;
  readonly #known = new Map<string, Arbitrary<unknown>>();

  constructor(document: JsonSchema) {
    this.#document = document;
  }

  /** Values of the parameters in the path or in the head; `fixed` has values of its own for some. */
  parameters(
    all: readonly Parameter[],
    place: string,
    fixed: Readonly<Record<string, string>>,
  ): Arbitrary<Partial<Record<string, string>>> {
    const here = all.filter((one) => one.in === place);
    const values = here.map(({ name, schema }) => {
      const value = fixed[name];
      return [name, value === undefined ? this.text(schema) : fc.constant(value)] as const;
    });
    const required = here.filter((one) => one.required).map(({ name }) => name);
    return fc.record(Object.fromEntries(values), { requiredKeys: required });
  }

  /** A body with its media type; undefined for an operation without bodies. */
  bodies(operation: JsonSchema): Arbitrary<{ readonly type: string; readonly body: unknown } | undefined> {
    const content = Object.entries(record(record(operation['requestBody'])['content']));
    if (content.length === 0) return fc.constant(undefined);
    return fc.oneof(
      ...content.map(([type, media]) =>
        this.values(record(record(media)['schema'])).map((body) => ({ type, body: withValidValues(body) })),
      ),
    );
  }

  text(schema: JsonSchema): Arbitrary<string> {
    return this.values(schema).map(String);
  }

  values(schema: JsonSchema): Arbitrary<unknown> {
    const key = JSON.stringify(schema);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const validate = validatorOf(schema);
    const made = this.#unfiltered(schema).filter((value) => validate(value));
    this.#known.set(key, made);
    return made;
  }

  #unfiltered(schema: JsonSchema): Arbitrary<unknown> {
    const { $ref, allOf, anyOf, not } = schema;
    // A field that is declared only for the text of its refusal.
    if (not !== undefined && Object.keys(record(not)).length === 0) throw new Impossible();
    if (typeof $ref === 'string') return this.#unfiltered(mergeSchemas(this.#resolve($ref), without(schema, '$ref')));
    const conditions = conditionsOf(schema);
    if (conditions.length > 0) return this.#oneOf(decided(schema, conditions));
    const [absent, ...others] = list(record(not)['required']).map(String);
    if (absent !== undefined && others.length === 0) {
      const properties = without(record(schema['properties']), absent);
      return this.#unfiltered({ ...without(schema, 'not'), properties });
    }
    if (Array.isArray(anyOf)) return this.#oneOf(anyOf.map((one) => mergeSchemas(without(schema, 'anyOf'), one)));
    if (Array.isArray(allOf)) {
      const [first, ...rest] = allOf.map(record);
      const plain = rest.length === 0 ? without(schema, 'allOf') : { ...schema, allOf: rest };
      return this.#unfiltered(mergeSchemas(plain, first ?? {}));
    }
    if ('const' in schema) {
      if (!validatorOf(schema)(schema['const'])) throw new Impossible();
      return fc.constant(schema['const']);
    }
    if (Array.isArray(schema['enum'])) return fc.constantFrom<unknown>(...schema['enum']);
    if (Array.isArray(schema['type']))
      return fc.oneof(...schema['type'].map((type: unknown) => this.#unfiltered({ ...schema, type })));
    return this.#typed(schema);
  }

  /** Values of any of the schemas, but for those that nothing fits. */
  #oneOf(schemas: readonly JsonSchema[]): Arbitrary<unknown> {
    const possible = schemas.flatMap((one) => possibly(() => this.#unfiltered(one)) ?? []);
    if (possible.length === 0) throw new Impossible();
    return fc.oneof(...possible);
  }

  #typed(schema: JsonSchema): Arbitrary<unknown> {
    switch (schema['type']) {
      case 'object':
        return this.#objects(schema);
      case 'array': {
        const { minItems = 0, maxItems = MAX_ITEMS } = schema as Record<string, number>;
        const lengths = { minLength: minItems, maxLength: Math.min(maxItems, Math.max(minItems, MAX_ITEMS)) };
        const items = this.values(record(schema['items']));
        return schema['uniqueItems'] === true ? fc.uniqueArray(items, lengths) : fc.array(items, lengths);
      }
      case 'string':
        return texts(schema);
      case 'integer': {
        const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema as Record<
          string,
          number
        >;
        return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
      }
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      default:
        return fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string({ unit: 'binary' }));
    }
  }

  /** Also properties that are not listed, where the schema allows them. */
  #objects(schema: JsonSchema): Arbitrary<unknown> {
    const listed = Object.entries(record(schema['properties'])).filter(
      ([, child]) => record(child)['readOnly'] !== true,
    );
    const required = list(schema['required']).map(String);
    if (!required.every((name) => listed.some(([known]) => known === name))) throw new Impossible();
    const possible = listed.flatMap(([name, child]) => {
      const values = possibly(() => this.values(record(child)));
      if (values === undefined && required.includes(name)) throw new Impossible();
      return values === undefined ? [] : [[name, values] as const];
    });
    const fields = fc.record(Object.fromEntries(possible), { requiredKeys: required });
    if (schema['additionalProperties'] === false) return fields;
    const names = this.text({ type: 'string', ...record(schema['propertyNames']) });
    const others = fc.dictionary(names, this.values(record(schema['additionalProperties'])), { maxKeys: 3 });
    return fc.tuple(others, fields).map(([other, own]) => ({ ...other, ...own }));
  }

  #resolve($ref: string): JsonSchema {
    let here: unknown = this.#document;
    for (const step of $ref.split('/').slice(1)) here = record(here)[step];
    return record(here);
  }
}

/** The conditions of a schema, its own and those of `allOf`. */
function conditionsOf(schema: JsonSchema): readonly JsonSchema[] {
  return [schema, ...list(schema['allOf']).map(record)].filter((one) => 'if' in one);
}

/** The schema without its conditions, for each value of the property that they are about, and for none. */
function decided(schema: JsonSchema, conditions: readonly JsonSchema[]): readonly JsonSchema[] {
  const [name = ''] = Object.keys(record(record(conditions[0]?.['if'])['properties']));
  const allOf = list(schema['allOf']).filter((one) => !('if' in record(one)));
  const plain = { ...without(schema, 'if', 'then', 'else', 'allOf'), ...(allOf.length > 0 && { allOf }) };
  const properties = record(schema['properties']);
  const branches = (value: JsonSchema): readonly JsonSchema[] =>
    conditions.map((one) => record(one[validatorOf(record(one['if']))(value) ? 'then' : 'else']));
  const cases = list(record(properties[name])['enum']).map((value) =>
    branches({ [name]: value }).reduce(mergeSchemas, mergeSchemas(plain, { properties: { [name]: { const: value } } })),
  );
  if (list(schema['required']).includes(name)) return cases;
  return [...cases, branches({}).reduce(mergeSchemas, { ...plain, properties: without(properties, name) })];
}

function texts(schema: JsonSchema): Arbitrary<string> {
  const { minLength = 0, maxLength = 300 } = schema as Record<string, number>;
  const { pattern, format } = schema;
  if (maxLength === 0) return fc.constant('');
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: 'binary', minLength, maxLength });
}

function parameterOf(value: unknown): Parameter {
  const { name, in: place, required, schema } = record(value);
  return { name: String(name), in: String(place), required: required === true, schema: record(schema) };
}

function without(schema: JsonSchema, ...keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !keywords.includes(name)));
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
