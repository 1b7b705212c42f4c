import { isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { swaggerSchema } from './swaggerschema.js';

/* Conversion of operations from OpenAPI v3 to v2. */

/** Parameters that operations share, by their name in the document. */
export type SharedParameters = Map<string, Json>;

interface SwaggerContext {
  readonly custom: boolean;
  readonly shared: SharedParameters;
}

/** Parameters that are not shared, because kubectl looks for them in each operation. */
const INLINE_PARAMETERS = ['dryRun', 'fieldValidation', 'name'];
const BUILTIN_TYPES = ['*/*'];
const CUSTOM_TYPES = ['application/json', 'application/yaml'];
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
const RESPONSE_TYPES = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

/** Converts path items to v2. Adds the parameters that they refer to to `shared`. */
export function swaggerPaths(paths: JsonObject, written: SwaggerContext): JsonObject {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => {
      const operations = Object.entries(object(item)).map(([key, value]): [string, Json] => [
        key,
        key === 'parameters' ? parameters(value, written) : swaggerOperation(key, object(value), written),
      ]);
      return [path, Object.fromEntries(operations)];
    }),
  );
}

function swaggerOperation(method: string, operation: JsonObject, written: SwaggerContext): JsonObject {
  const { tags, description, operationId, parameters: given, requestBody, responses, ...extensions } = operation;
  const body = requestBody === undefined ? [] : [bodyOf(object(requestBody))];
  const all = [...body, ...(isArray(given) ? given : [])];
  return {
    description: description ?? '',
    consumes: consumedTypes(method, operation, written),
    produces: RESPONSE_TYPES.filter((form) =>
      Object.values(object(responses)).some((one) => Object.hasOwn(contentOf(one), form)),
    ),
    schemes: ['https'],
    tags: tags ?? [],
    operationId: operationId ?? '',
    ...(all.length === 0 ? {} : { parameters: parameters(all, written) }),
    responses: Object.fromEntries(
      Object.entries(object(responses)).map(([code, one]) => [code, swaggerResponse(object(one))]),
    ),
    ...extensions,
  };
}

function consumedTypes(
  method: string,
  { requestBody, ...operation }: JsonObject,
  { custom }: SwaggerContext,
): readonly string[] {
  if (method === 'patch') return PATCH_TYPES.filter((type) => Object.hasOwn(contentOf(requestBody), type));
  if (custom) return CUSTOM_TYPES;
  return operation['x-kubernetes-action'] === undefined ? RESPONSE_TYPES.slice(0, 3) : BUILTIN_TYPES;
}

function bodyOf(body: JsonObject): JsonObject {
  return { name: 'body', in: 'body', ...(body['required'] === true ? { required: true } : {}), schema: schemaOf(body) };
}

function swaggerResponse(response: JsonObject): JsonObject {
  const description = response['description'] ?? '';
  return response['content'] === undefined ? { description } : { description, schema: schemaOf(response) };
}

/** The schema of a body or response, which is the same for every media type. */
function schemaOf(holder: Json): JsonObject {
  return swaggerSchema(object(object(Object.values(contentOf(holder))[0])['schema']));
}

function contentOf(holder: Json | undefined): JsonObject {
  return object(object(holder)['content']);
}

function parameters(list: Json | undefined, { shared }: SwaggerContext): Json[] {
  return (isArray(list) ? list : []).map((one) => {
    const parameter = swaggerParameter(object(one));
    const { name } = parameter;
    if (typeof name !== 'string' || INLINE_PARAMETERS.includes(name) || isOfKind(parameter)) return parameter;
    const key = `${name}-${shortHash(JSON.stringify(parameter))}`;
    shared.set(key, parameter);
    return { $ref: `#/parameters/${key}` };
  });
}

/** Whether a parameter is a body that holds an object of the kind, rather than options. */
function isOfKind({ schema }: JsonObject): boolean {
  const reference = schema === undefined ? undefined : object(schema)['$ref'];
  return typeof reference === 'string' && !reference.startsWith('#/definitions/io.k8s.apimachinery');
}

/** Moves the keywords of the schema of a v3 parameter into the parameter. */
function swaggerParameter(parameter: JsonObject): JsonObject {
  if (parameter['in'] === 'body') return parameter;
  const { description, name, in: place, required, schema } = parameter;
  const { uniqueItems, type } = object(schema);
  const entries = Object.entries({ uniqueItems, type, description, name, in: place, required });
  return Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

const hashes = new Map<string, string>();
const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/** Six bytes of FNV-1, by which kube-apiserver names shared parameters. Cached: there are few different texts. */
function shortHash(text: string): string {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  let hash = OFFSET;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, hash * PRIME) ^ BigInt(byte);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(hash);
  const name = bytes.subarray(0, 6).toString('base64url');
  hashes.set(text, name);
  return name;
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
