import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { load } from 'js-yaml';

import { matchRoute, operationOf, type Operation } from '../../../src/gateway/request/routes.js';
import { document } from './document.js';

/** A response as the client receives it. */
export interface Reply {
  readonly status: number;
  /** By lower-case name; the values of a repeated header are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers that Node's HTTP server adds to those of the document. */
const OF_THE_SERVER = new Set([
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-type',
]);
/** The status codes of the given interface. */
const INTERFACE_CODES: readonly number[] = [200, 403, 404, 500, 503];
const ROOT = 'gateway.json';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: ROOT });
const validators = new Map<string, ValidateFunction>();

/** The number of responses that were checked so far. */
export const checked = { answers: 0 };

/** Differences of a response from the OpenAPI document; `strict`: with --strict-status-codes. */
export function nonconformities(method: string, target: string, reply: Reply, strict = false): string[] {
  checked.answers += 1;
  const { operation, declared, what } = declaredFor(method, target, reply);
  if (declared === undefined) return [`${what}: the code is not in the document`];
  if (strict && !INTERFACE_CODES.includes(reply.status)) return [`${what}: no code of the given interface`];
  const wrong = [
    ...headerFaults(record(declared['headers']), reply),
    ...bodyFaults(record(declared['content']), reply, strict),
  ];
  if (
    operation !== undefined &&
    reply.status === 200 &&
    ['list', 'get', 'decision', 'parameters', 'openapi'].includes(operation.action) &&
    reply.body === ''
  )
    wrong.push('no body');
  return wrong.map((one) => `${what}: ${one}`);
}

/** The same for status code and headers only, for a body that was read elsewhere. */
export function headNonconformities(method: string, target: string, head: Omit<Reply, 'body'>): string[] {
  const { declared, what } = declaredFor(method, target, head);
  if (declared === undefined) return [`${what}: the code is not in the document`];
  return headerFaults(record(declared['headers']), head).map((one) => `${what}: ${one}`);
}

interface Declared {
  readonly operation: Operation | undefined;
  readonly declared: Readonly<Record<string, unknown>> | undefined;
  readonly what: string;
}

function declaredFor(method: string, target: string, { status }: Omit<Reply, 'body'>): Declared {
  const match = matchRoute(target.split('?')[0] ?? '');
  const operation = match === undefined ? undefined : operationOf(match.route, method);
  const responses =
    operation === undefined ? {} : record(at('paths', match?.route.template ?? '', method.toLowerCase(), 'responses'));
  const declared =
    resolve(responses[String(status)]) ??
    (operation === undefined ? resolve(at('components', 'responses', `Code${status}`)) : undefined);
  return { operation, declared, what: `${method} ${target.slice(0, 200)}: ${status}` };
}

/** Throws when a response does not conform. */
export function mustConform(method: string, target: string, reply: Reply, strict = false): void {
  const wrong = nonconformities(method, target, reply, strict);
  if (wrong.length > 0)
    throw new Error(
      `an answer that the OpenAPI document does not allow:\n${wrong.join('\n')}\n${reply.body.slice(0, 500)}`,
    );
}

function headerFaults(declared: Readonly<Record<string, unknown>>, reply: Omit<Reply, 'body'>): string[] {
  const faults: string[] = [];
  const known = new Map(Object.entries(declared).map(([name, value]) => [name.toLowerCase(), record(value)]));
  for (const [name, value] of Object.entries(reply.headers)) {
    if (OF_THE_SERVER.has(name)) continue;
    const header = known.get(name);
    if (header === undefined) {
      faults.push(`header ${name} is not in the document`);
      continue;
    }
    const schema = record(header['schema']);
    const typed = schema['type'] === 'integer' ? Number(value) : value;
    const validate = validatorOf(schema);
    if (!validate(typed)) faults.push(`header ${name}: ${value}: ${ajv.errorsText(validate.errors)}`);
  }
  for (const [name, header] of known) {
    if (header['required'] === true && reply.headers[name] === undefined) faults.push(`header ${name} is missing`);
  }
  return faults;
}

function bodyFaults(
  content: Readonly<Record<string, unknown>>,
  { status, headers, body }: Reply,
  strict: boolean,
): string[] {
  if (body === '') return headers['content-type'] === undefined ? [] : ['a content type without a body'];
  if (strict && status !== 200) return ['an error with a body'];
  const type = headers['content-type'] ?? '';
  const declared = record(content[type]);
  if (declared['schema'] === undefined) return [`the content type ${JSON.stringify(type)} is not in the document`];
  const value: unknown = type === 'application/json' ? JSON.parse(body) : load(body);
  const validate = validatorOf(declared['schema']);
  return validate(value) ? [] : [`the body: ${ajv.errorsText(validate.errors)}`];
}

/** Validates by a schema of the document, whose `$ref` are resolved there. */
export function validatorOf(schema: unknown): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', `"${ROOT}#/`);
  const known = validators.get(text);
  if (known !== undefined) return known;
  const compiled = ajv.compile(JSON.parse(text));
  validators.set(text, compiled);
  return compiled;
}

function resolve(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined) return undefined;
  const reference = record(value)['$ref'];
  return typeof reference === 'string' ? resolve(at(...reference.split('/').slice(1))) : record(value);
}

function at(...path: string[]): unknown {
  let here: unknown = document;
  for (const step of path) here = record(here)[step];
  return here;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
