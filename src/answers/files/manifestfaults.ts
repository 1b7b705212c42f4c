import { customKinds, type CustomKind, type FieldError } from '@multicluster-engine/values/validation';
import { objectRules } from '@multicluster-engine/cel/rules';
import { meantText } from '@multicluster-engine/values/nearestword';
import { NO_FIELD } from '@multicluster-engine/values/schema/field';
import { pathSegments, valueAt } from '@multicluster-engine/values/schema/fieldrules';
import { field, isRecord } from '../../runtime/vocabulary/json.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { quote } from '../../domain/selectors.js';

/** `spec.numberOfClusters: "3": must be a whole number`. */
export type Fault = string;

type Json = Parameters<CustomKind['check']>[0];
type Schema = CustomKind['schema'];

const TEXT = 'must be a string: put it in quotes';
const WHOLE = 'must be a whole number';
/** What a value must be, by the type or format that the API server's message names. */
const TYPES: Readonly<Record<string, string>> = {
  object: 'must be an object',
  array: 'must be a list',
  string: TEXT,
  boolean: 'must be true or false',
  integer: WHOLE,
  int32: WHOLE,
  int64: WHOLE,
  'integer,string': 'must be a whole number or a string',
  'date-time': 'must be a time by RFC 3339',
};

/** What the API server refuses in the objects of definitions: structure, metadata and CEL rules. */
export class ManifestRules {
  readonly #kinds: readonly CustomKind[];

  constructor(definitions: readonly KubeObject[]) {
    // The cast is safe: both types describe a CustomResourceDefinition, and the API server accepts those of this project.
    this.#kinds = definitions.flatMap((one) =>
      customKinds(one as unknown as Parameters<typeof customKinds>[0], objectRules),
    );
  }

  /** The faults that a manifest has whatever the live object is: unknown fields, which `kubectl apply` refuses, and wrong types. */
  ofManifest(object: KubeObject): readonly Fault[] {
    return this.#faults(object, undefined, ({ reason }) => reason === 'FieldValueTypeInvalid');
  }

  /** Why the API server refuses to create the object, or to update `live` to it. Empty for an object of another group. */
  ofObject(object: KubeObject, live?: KubeObject): readonly Fault[] {
    return this.#faults(object, live, () => true);
  }

  /** The object with the defaults that the API server adds to its spec. */
  withDefaults(object: KubeObject): KubeObject {
    const spec = field(this.#kindOf(object)?.withDefaults(asJson(object)), 'spec');
    return spec === undefined ? object : Object.assign({ ...object }, { spec });
  }

  #kindOf({ apiVersion, kind }: KubeObject): CustomKind | undefined {
    return this.#kinds.find((one) => one.apiVersion === apiVersion && one.kind === kind);
  }

  #faults(
    object: KubeObject,
    live: KubeObject | undefined,
    isReported: (error: FieldError) => boolean,
  ): readonly Fault[] {
    const { apiVersion = '', kind = '' } = object;
    const [group] = apiVersion.split('/');
    if (!this.#kinds.some((one) => one.apiVersion.split('/')[0] === group)) return [];
    const found = this.#kindOf(object);
    if (found === undefined) return [`there is no kind ${kind} in ${apiVersion}`];
    const { unknown, errors } = found.check(asJson(object), live && asJson(live));
    // Beside errors of fields, an error without a field only says that because of them other rules were not checked.
    const ofFields = errors.filter(({ field: path }) => path !== NO_FIELD);
    const reported = (ofFields.length === 0 ? errors : ofFields).filter(isReported);
    return [
      ...unknown.map((path) => unknownField(path, found.schema)),
      ...reported.map((one) => faultText(one, object)),
    ];
  }
}

/** Objects of manifests and of the API consist of JSON. */
function asJson(object: KubeObject): Json {
  return object as unknown as Json;
}

function unknownField(path: string, schema: Schema): Fault {
  const steps = pathSegments(path);
  const key = String(steps.pop());
  const known = Object.keys(schemaAt(schema, steps)?.properties ?? {});
  return `unknown field ${JSON.stringify(path)}${meantText(key, known)}`;
}

function schemaAt(schema: Schema, steps: readonly (string | number)[]): Schema | undefined {
  return steps.reduce<Schema | undefined>((at, step) => {
    if (typeof step === 'number') return at?.items;
    const others = at?.additionalProperties;
    return at?.properties?.[step] ?? (typeof others === 'object' ? others : undefined);
  }, schema);
}

function faultText({ reason, field: path, message }: FieldError, object: KubeObject): Fault {
  if (path === '') return labelFault(object) ?? message;
  const [, type] = /must be of type (\S+): /.exec(reason === 'FieldValueTypeInvalid' ? message : '') ?? [];
  const rule = type === undefined ? undefined : TYPES[type];
  return rule === undefined ? `${path}: ${message}` : `${path}: ${quote(valueAt(asJson(object), path))}: ${rule}`;
}

/** The label or annotation whose value is no string. The API server's message about it does not name its key. */
function labelFault({ metadata }: KubeObject): Fault | undefined {
  for (const name of ['labels', 'annotations'] as const) {
    const found: unknown = metadata[name];
    if (found !== undefined && !isRecord(found)) return `metadata.${name}: ${quote(found)}: must be an object`;
    const entries: readonly (readonly [string, unknown])[] = Object.entries(found ?? {});
    const wrong = entries.find(([, value]) => typeof value !== 'string');
    if (wrong !== undefined) return `metadata.${name}.${wrong[0]}: ${quote(wrong[1])}: ${TEXT}`;
  }
  return undefined;
}
