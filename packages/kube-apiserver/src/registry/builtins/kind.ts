import { valueAt } from '../../fields.js';
import { builtinSchema } from '../../data/schemas.js';
import { equal, isArray, isObject, own, withKey, type Json } from '../../json.js';
import type { KubeObject, ObjectMeta } from '../../object.js';
import type { ValidationResult, Resource, Strategy, Subresource } from '../../resource.js';
import { ALL_METADATA, CHANGED_METADATA } from '../../schema/field.js';
import { dns1123Subdomain, type NameRule } from '../../schema/metadata/names.js';
import type { FieldError } from '../../status.js';
import { builtinColumns } from '../../table/builtin.js';
import { canonical } from '../../schema/struct/canonical.js';
import { draftOf, isDraft, type Draft } from './draft.js';

/** What sets one built-in kind apart; {@link resourceOf} adds what all have in common. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Name of its schema. */
  readonly definition: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** All of them when left out. */
  readonly verbs?: readonly string[];
  readonly subresources?: readonly Subresource[];
  readonly collection?: string;
  readonly storageVersion?: string;
  readonly validateName?: NameRule;
  readonly createOnUpdate?: boolean;
  /** PUT without resourceVersion is refused. */
  readonly conditionalUpdate?: boolean;
  /** How metadata.generation moves: `spec` with every change of what is neither metadata nor status (facts (j)). */
  readonly generation?: 'kept' | 'spec' | 'spec-and-annotations';
  readonly selectable?: Resource['selectable'];
  readonly convert?: Resource['convert'];
  readonly visible?: Resource['visible'];
  readonly review?: Resource['review'];
  /** Maps of which it is remembered until an immutable object is checked that a client gave them without members: {@link emptyMapsOf}. */
  readonly emptyMapsIfImmutable?: readonly string[];
  /** Paths of maps of which it is remembered until any object is checked, as refusals show of them whether they were given. */
  readonly emptyMapsInErrors?: readonly string[];
  /** Whether a list or map without members in `spec` is a change, though it is written as if it were not given. */
  readonly emptySpecIsChange?: true;
  /** Fills defaults into a draft that has no nulls and no zero values of optional fields. */
  readonly defaults?: (draft: Draft) => void;
  /** Fills defaults that another room knows. */
  readonly completeDefaults?: (object: KubeObject) => KubeObject;
  /** What becomes of a new object besides generation: status dropped, addresses given. */
  readonly prepareCreate?: (object: KubeObject) => KubeObject;
  /** What a change may not touch is put back here, and what goes with it is filled in. */
  readonly prepareUpdate?: (next: KubeObject, old: KubeObject, subresource: string | undefined) => KubeObject;
  readonly validate?: (object: KubeObject) => readonly FieldError[];
  readonly validateUpdate?: (
    next: KubeObject,
    old: KubeObject,
    subresource: string | undefined,
  ) => readonly FieldError[];
  readonly warnings?: (object: KubeObject, old: KubeObject | undefined) => readonly string[];
}

export const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
export const STATUS: Subresource = { name: 'status', verbs: ['get', 'patch', 'update'] };

export function resourceOf(kind: Kind): Resource {
  const { group, version, plural, namespaced } = kind;
  const { convert, visible, review, storageVersion } = kind;
  return {
    group,
    version,
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural,
    singular: kind.kind.toLowerCase(),
    shortNames: kind.shortNames ?? [],
    categories: kind.categories ?? [],
    namespaced,
    collection: kind.collection ?? (group === '' ? plural : `${plural}.${group}`),
    custom: false,
    schema: builtinSchema(kind.definition),
    verbs: kind.verbs ?? ALL_VERBS,
    subresources: kind.subresources ?? [],
    strategy: strategyOf(kind),
    selectable: kind.selectable ?? {},
    columns: builtinColumns(group, plural),
    ...(convert === undefined ? {} : { convert }),
    ...(visible === undefined ? {} : { visible }),
    ...(review === undefined ? {} : { review }),
    ...(storageVersion === undefined ? {} : { storageVersion }),
  };
}

function strategyOf(kind: Kind): Strategy {
  const { definition } = kind;
  return {
    default: (object) => recordEmptyMaps(kind, object, withDefaults(kind, object)),
    prepareCreate: (object) =>
      withEmptyMaps(
        canonical(definition, withFirstGeneration(kind, kind.prepareCreate?.(object) ?? object)),
        emptyMapsForErrors(kind, object),
      ),
    prepareUpdate(next, old, subresource) {
      const prepared = canonical(
        definition,
        withNextGeneration(kind, kind.prepareUpdate?.(next, old, subresource) ?? next, old, subresource),
      );
      return withEmptyMaps(prepared, old['immutable'] === true ? emptyMapsOf(next) : emptyMapsForErrors(kind, next));
    },
    validateCreate: (object) => findings(kind.validate?.(object) ?? [], () => kind.warnings?.(object, undefined) ?? []),
    validateUpdate(next, old, subresource): ValidationResult {
      return findings(kind.validateUpdate?.(next, old, subresource) ?? [], () =>
        subresource === undefined ? (kind.warnings?.(next, old) ?? []) : [],
      );
    },
    validateName: kind.validateName ?? dns1123Subdomain,
    unconditionalUpdate: kind.conditionalUpdate !== true,
    createOnUpdate: kind.createOnUpdate ?? false,
  };
}

function withDefaults({ definition, defaults, completeDefaults: complete }: Kind, object: KubeObject): KubeObject {
  const read = canonical(definition, object, 'read');
  if (complete !== undefined) return canonical(definition, complete(read), 'read');
  if (defaults === undefined) return read;
  const draft = draftOf(read);
  if (!isDraft(draft)) return read;
  defaults(draft);
  const { apiVersion, kind, metadata } = read;
  const filled: KubeObject = { apiVersion, kind, metadata, ...draft };
  return equal(filled, read) ? read : canonical(definition, filled, 'read');
}

const EMPTY_MAPS: unique symbol = Symbol('emptied');

/**
 * The maps that a client gave without members. Written, they are as if they were not given; an object that may not change
 * must not be given them all the same.
 */
export function emptyMapsOf(object: KubeObject): readonly string[] {
  const found: unknown = Reflect.get(object, EMPTY_MAPS);
  return Array.isArray(found) ? found.map(String) : [];
}

/** With these alone: what was remembered of the object before is forgotten. */
function withEmptyMaps(object: KubeObject, maps: readonly string[]): KubeObject {
  if (maps.length > 0) return { ...object, [EMPTY_MAPS]: maps };
  if (!Reflect.has(object, EMPTY_MAPS)) return object;
  const { apiVersion, kind, metadata } = object;
  return { ...Object.fromEntries(Object.entries(object)), apiVersion, kind, metadata };
}

function emptyMapsForErrors({ emptyMapsInErrors: shown = [] }: Kind, object: KubeObject): readonly string[] {
  return emptyMapsOf(object).filter((path) => shown.includes(path));
}

function recordEmptyMaps(
  { emptyMapsIfImmutable: remembered = [], emptyMapsInErrors: shown = [], emptySpecIsChange: noticesEmpty }: Kind,
  given: KubeObject,
  read: KubeObject,
): KubeObject {
  const spec = noticesEmpty === true && containsEmpty(own(given, 'spec')) ? ['spec'] : [];
  return withEmptyMaps(read, [
    ...[...remembered, ...shown].filter((path) => isEmptyMap(valueAt(given, path.split('.')))),
    ...spec,
  ]);
}

/** A list that gets its default where it has no items. */
const DEFAULTED = 'policyTypes';

/** A list or a map of labels without members; other objects are structs. */
function containsEmpty(value: Json | undefined): boolean {
  if (isArray(value)) return value.length === 0 || value.some(containsEmpty);
  return (
    isObject(value) &&
    Object.entries(value).some(([name, field]) =>
      name === 'matchLabels' ? isEmptyMap(field) : name !== DEFAULTED && containsEmpty(field),
    )
  );
}

function isEmptyMap(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function withFirstGeneration({ generation = 'kept' }: Kind, object: KubeObject): KubeObject {
  return generation === 'kept' ? object : withMeta(object, { ...object.metadata, generation: 1 });
}

function withNextGeneration(
  { generation = 'kept', emptySpecIsChange: noticesEmpty }: Kind,
  next: KubeObject,
  old: KubeObject,
  subresource: string | undefined,
): KubeObject {
  const before = old.metadata.generation;
  const { generation: _given, ...rest } = next.metadata;
  const moved =
    generation !== 'kept' &&
    subresource !== 'status' &&
    (isSpecChanged(next, old, generation === 'spec-and-annotations') ||
      (noticesEmpty === true && emptyMapsOf(next).includes('spec')));
  const after = moved ? (before ?? 0) + 1 : before;
  if (next.metadata.generation === after) return next;
  return withMeta(next, after === undefined ? rest : { ...rest, generation: after });
}

function isSpecChanged(next: KubeObject, old: KubeObject, annotations: boolean): boolean {
  if (annotations && !equal(next.metadata.annotations ?? {}, old.metadata.annotations ?? {})) return true;
  return !equal(withoutMetadataAndStatus(next), withoutMetadataAndStatus(old));
}

function withoutMetadataAndStatus(object: KubeObject): KubeObject {
  return withKey({ ...object, metadata: {} }, 'status', undefined) as KubeObject;
}

export function withMeta(object: KubeObject, metadata: ObjectMeta): KubeObject {
  return { ...object, metadata };
}

/** An object with some of its fields as they are in another one, which may not have them. */
export function fieldsFrom(object: KubeObject, other: KubeObject, names: readonly string[]): KubeObject {
  const rest = Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
  const taken = Object.fromEntries(
    names.filter((name) => other[name] !== undefined).map((name) => [name, other[name]]),
  );
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, metadata, ...rest, ...taken };
}

/** Nobody is warned of what is refused. */
function findings(errors: readonly FieldError[], warnings: () => readonly string[]): ValidationResult {
  const at = errors.findIndex((error) => error === CHANGED_METADATA || error === ALL_METADATA);
  const plain = errors.filter((_error, index) => index !== at);
  const found = { errors: plain, warnings: plain.length > 0 ? [] : warnings() };
  return at === -1 ? found : { ...found, metadata: { repeated: errors[at] === ALL_METADATA ? 'all' : 'update', at } };
}
