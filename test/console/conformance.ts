import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { asRecord, field, isRecord } from '../../src/runtime/vocabulary/json.js';
import { root } from '../support/repository/root.js';

/** Compares answers of the console with the OpenAPI document that it serves. */

const FILE = path.join(root, 'docs', 'reference', 'console-openapi.json');
const DOCUMENT = 'console.json';

export const document = asRecord(JSON.parse(readFileSync(FILE, 'utf8')));
export const paths = asRecord(document['paths']);

const ajv = new Ajv2020({ strict: false, allErrors: true });
const components = asRecord(document['components']);
// A client has to accept fields that it does not know; the server sends none that are not described.
ajv.addSchema({ $id: DOCUMENT, components: { ...components, schemas: closed(components['schemas']) } });

export interface ConsoleReply {
  readonly code: number;
  readonly text: string;
}

/** @throws Error where the document does not have the code, or the body is not as it says. `target`: `/api/v1/…`. */
export function mustConform(method: string, target: string, { code, text }: ConsoleReply): void {
  const [pathname = ''] = target.split('?');
  const template = Object.keys(paths).find((one) => matches(one, pathname));
  const operation = field(paths[template ?? ''], method.toLowerCase());
  // Of a path that is not described, errors alone.
  const responses = asRecord(operation === undefined ? components['responses'] : field(operation, 'responses'));
  const declared = responses[operation === undefined ? `Code${code}` : code];
  const what = `${method} ${pathname}: ${code}`;
  if (declared === undefined) throw new Error(`${what}: is not in the document`);
  const reference = field(declared, '$ref');
  const response = typeof reference === 'string' ? field(components['responses'], `Code${code}`) : declared;
  const schema = field(field(field(response, 'content'), 'application/json'), 'schema');
  if (schema === undefined) {
    if (text !== '') throw new Error(`${what}: the document has no body`);
    return;
  }
  const validate = validatorOf(JSON.stringify(schema).replaceAll('"#/', `"${DOCUMENT}#/`));
  if (!validate(JSON.parse(text))) throw new Error(`${what}: ${ajv.errorsText(validate.errors)}`);
}

const validators = new Map<string, ValidateFunction>();

function validatorOf(schema: string): ValidateFunction {
  const validate = validators.get(schema) ?? ajv.compile(JSON.parse(schema));
  validators.set(schema, validate);
  return validate;
}

function matches(template: string, pathname: string): boolean {
  const [wanted, given] = [template.split('/'), pathname.split('/')];
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith('{') || part === given[index]);
}

/** The schemas, each object without other properties than it names. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isRecord(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return isRecord(schema['properties']) && schema['type'] === 'object'
    ? { additionalProperties: false, ...inner }
    : inner;
}
