import { own, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { ALL_METADATA, invalidValue, key, required, tooLong } from '@multicluster-engine/values/schema/field';
import { compareBytes } from '@multicluster-engine/values/text';
import { readJson } from '@multicluster-engine/values/read/json';
import { MalformedBody } from '@multicluster-engine/values/read/malformed';
import { configMapKey } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { immutable, invalidBecause } from '../validation/checks.js';
import { decodedLength, immutableErrors, MAX_DATA_BYTES, totalLength } from './configmap.js';
import { isDraft, fillZero, textOf, type Draft, type DraftValue } from '../draft.js';
import { structAt, textAt } from '@multicluster-engine/values/fields';
import { keyPairProblem } from './keypair.js';
import type { Kind } from '../kind.js';

const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
/** The keys that are required for a type of Secret. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

export const SECRET: Kind = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  definition: 'io.k8s.api.core.v1.Secret',
  selectable: { type: (secret) => (typeof secret['type'] === 'string' ? secret['type'] : '') },
  defaults(secret) {
    fillZero(secret, 'type', 'Opaque');
    foldStringData(secret);
  },
  prepareUpdate: (next, old) =>
    next['type'] === undefined || next['type'] === '' ? { ...next, type: old['type'] } : next,
  emptyMapsIfImmutable: ['data'],
  validate,
  warnings: keyPairWarnings,
  validateUpdate: (next, old) => [
    ...immutable(next['type'], old['type'], 'type'),
    ...immutableErrors(next, old, ['data']),
    ALL_METADATA,
    ...validate(next),
  ],
};

/** Warns where certificate and key of a TLS Secret are invalid or do not match. */
function keyPairWarnings(secret: KubeObject): readonly string[] {
  if (secret['type'] !== 'kubernetes.io/tls') return [];
  const data = structAt(secret, 'data');
  const [certificate = '', privateKey = ''] = ['tls.crt', 'tls.key'].map((name) =>
    Buffer.from(textAt(data, name), 'base64').toString('latin1'),
  );
  const problem = keyPairProblem(certificate, privateKey);
  return problem === undefined ? [] : [problem];
}

/** Moves `stringData`, which is write-only, into `data`. */
function foldStringData(secret: Draft): void {
  const { stringData, data } = secret;
  if (!isDraft(stringData)) return;
  const folded = new Map<string, DraftValue | undefined>(isDraft(data) ? Object.entries(data) : []);
  for (const name of Object.keys(stringData))
    folded.set(name, Buffer.from(textOf(stringData, name), 'utf8').toString('base64'));
  secret['data'] = Object.fromEntries(folded);
  delete secret['stringData'];
}

function validate(secret: KubeObject): readonly FieldError[] {
  const data = structAt(secret, 'data');
  const names = Object.keys(data).sort(compareBytes);
  const errors = names.flatMap((name) => invalidBecause(key('data', name), name, configMapKey(name)));
  const large = totalLength(data, decodedLength) > MAX_DATA_BYTES ? [tooLong('data', MAX_DATA_BYTES)] : [];
  return [...errors, ...large, ...typeErrors(secret, textAt(secret, 'type'), data)];
}

function typeErrors({ metadata }: KubeObject, type: string, data: JsonObject): readonly FieldError[] {
  const names = Object.hasOwn(REQUIRED_KEYS, type) ? (REQUIRED_KEYS[type] ?? []) : [];
  const missing = names.filter((name) => own(data, name) === undefined).map((name) => required(key('data', name)));
  switch (type) {
    case 'kubernetes.io/service-account-token':
      return (metadata.annotations?.[ACCOUNT_NAME] ?? '') === ''
        ? [required(key('metadata.annotations', ACCOUNT_NAME))]
        : [];
    case 'kubernetes.io/dockercfg':
    case 'kubernetes.io/dockerconfigjson':
      return missing.length > 0 ? missing : names.flatMap((name) => jsonErrors(textAt(data, name), key('data', name)));
    case 'kubernetes.io/basic-auth':
      return ['username', 'password'].some((name) => own(data, name) !== undefined)
        ? []
        : ['username', 'password'].map((name) => required(key('data', name)));
    case 'kubernetes.io/ssh-auth':
      return textAt(data, 'ssh-privatekey') === '' ? [required(key('data', 'ssh-privatekey'))] : [];
    default:
      return missing;
  }
}

/** The value of a docker config has to be a JSON object; errors do not show it. */
function jsonErrors(base64: string, path: string): readonly FieldError[] {
  const problem = jsonProblem(Buffer.from(base64, 'base64').toString('utf8'));
  return problem === undefined ? [] : [invalidValue(path, '<secret contents redacted>', problem)];
}

function jsonProblem(text: string): string | undefined {
  if (text.trim() === '') return 'unexpected end of JSON input';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && !Array.isArray(value)) return undefined;
    const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
  } catch {
    return goJsonError(text);
  }
}

/** The error of Go's JSON decoder. */
function goJsonError(text: string): string {
  try {
    readJson(text);
  } catch (error) {
    if (error instanceof MalformedBody) return error.message;
    throw error;
  }
  return 'unexpected end of JSON input';
}
