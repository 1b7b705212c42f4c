import { valueAt } from '@multicluster-engine/values/fields';
import { builtinSchema } from '@multicluster-engine/values/schema/builtin';
import { equal, isArray, isObject, own, withKey, type Json } from '@multicluster-engine/values/json';
import type { KubeObject, ObjectMeta } from '@multicluster-engine/values/object';
import type { Resource, Strategy, Subresource } from '../../resource.js';
import type { FieldError, ValidationResult } from '@multicluster-engine/values/schema/fielderror';
import { ALL_METADATA, CHANGED_METADATA } from '@multicluster-engine/values/schema/field';
import { dns1123Subdomain, type NameRule } from '@multicluster-engine/values/formats';
import { builtinColumns } from '../../table/builtin.js';
import { canonical } from '@multicluster-engine/values/schema/struct/canonical';
import { draftOf, isDraft, type Draft } from './draft.js';

/** What is specific to a built-in kind; {@link resourceOf} adds what all kinds have in common. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Name of its OpenAPI schema. */
  readonly definition: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** {@link ALL_VERBS} by default. */
  readonly verbs?: readonly string[];
  readonly subresources?: readonly Subresource[];
  readonly collection?: string;
  readonly storageVersion?: string;
  readonly validateName?: NameRule;
  readonly createOnUpdate?: boolean;
  /** Whether a PUT without resourceVersion is rejected. */
  readonly conditionalUpdate?: boolean;
  /** What increments metadata.generation: `spec` stands for a change of anything but metadata and status. */
  readonly generation?: 'none' | 'spec' | 'spec-and-annotations';
  readonly selectable?: Resource['selectable'];
  readonly convert?: Resource['convert'];
  readonly visible?: Resource['visible'];
  readonly review?: Resource['review'];
  /** Paths of maps that {@link emptyMapsOf} reports while an object with `immutable: true` is validated. */
  readonly emptyMapsIfImmutable?: readonly string[];
  /** Paths of maps that {@link emptyMapsOf} reports while any object is validated: errors print `{}` and nil differently. */
  readonly emptyMapsInErrors?: readonly string[];
  /** Whether an empty list or map in `spec` counts as a change, though it is stored as if it were absent. */
  readonly emptySpecIsChange?: true;
  /** Sets defaults in a draft, which has no nulls and no zero values of optional fields. */
  readonly defaults?: (draft: Draft) => void;
  /** Sets defaults by a function of another module, instead of `defaults`. */
  readonly completeDefaults?: (object: KubeObject) => KubeObject;
  /** Prepares a new object: drops the status, allocates addresses. generation is set afterwards. */
  readonly prepareCreate?: (object: KubeObject) => KubeObject;
  /** Prepares a changed object: restores fields that this request cannot write. */
  readonly prepareUpdate?: (next: KubeObject, old: KubeObject, subresource: string | undefined) => KubeObject;
  readonly validate?: (object: KubeObject) => readonly FieldError[];
  readonly validateUpdate?: (
    next: KubeObject,
    old: KubeObject,
    subresource: string | undefined,
  ) => readonly FieldError[];
  readonly warnings?: (object: KubeObject, old: KubeObject | undefined) => readonly string[];
  readonly gracePeriod?: Strategy['gracePeriod'];
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
    ...(kind.gracePeriod === undefined ? {} : { gracePeriod: kind.gracePeriod }),
  };
}

function withDefaults({ definition, defaults, completeDefaults }: Kind, object: KubeObject): KubeObject {
  const read = canonical(definition, object, 'read');
  if (completeDefaults !== undefined) return canonical(definition, completeDefaults(read), 'read');
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
 * Paths of maps that the request set to `{}`. They are stored as if they were absent, but validation distinguishes the
 * two as kube-apiserver does. The paths are kept under a symbol of the object until it is validated.
 */
export function emptyMapsOf(object: KubeObject): readonly string[] {
  const found: unknown = Reflect.get(object, EMPTY_MAPS);
  return Array.isArray(found) ? found.map(String) : [];
}

/** Replaces the paths that {@link emptyMapsOf} returns. */
function withEmptyMaps(object: KubeObject, maps: readonly string[]): KubeObject {
  if (maps.length > 0) return { ...object, [EMPTY_MAPS]: maps };
  if (!Reflect.has(object, EMPTY_MAPS)) return object;
  const { apiVersion, kind, metadata } = object;
  return { ...Object.fromEntries(Object.entries(object)), apiVersion, kind, metadata };
}

function emptyMapsForErrors({ emptyMapsInErrors = [] }: Kind, object: KubeObject): readonly string[] {
  return emptyMapsOf(object).filter((path) => emptyMapsInErrors.includes(path));
}

function recordEmptyMaps(
  { emptyMapsIfImmutable = [], emptyMapsInErrors = [], emptySpecIsChange }: Kind,
  given: KubeObject,
  read: KubeObject,
): KubeObject {
  const spec = emptySpecIsChange === true && containsEmpty(own(given, 'spec')) ? ['spec'] : [];
  return withEmptyMaps(read, [
    ...[...emptyMapsIfImmutable, ...emptyMapsInErrors].filter((path) => isEmptyMap(valueAt(given, path.split('.')))),
    ...spec,
  ]);
}

/** A list of NetworkPolicies that is defaulted where it is empty, so that empty and absent are the same. */
const DEFAULTED = 'policyTypes';

/** Whether a value contains an empty list or an empty map of labels; other objects are structs. */
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

function withFirstGeneration({ generation = 'none' }: Kind, object: KubeObject): KubeObject {
  return generation === 'none' ? object : withMeta(object, { ...object.metadata, generation: 1 });
}

function withNextGeneration(
  { generation = 'none', emptySpecIsChange }: Kind,
  next: KubeObject,
  old: KubeObject,
  subresource: string | undefined,
): KubeObject {
  const before = old.metadata.generation;
  const { generation: _given, ...rest } = next.metadata;
  const isChanged =
    generation !== 'none' &&
    subresource !== 'status' &&
    (isSpecChanged(next, old) ||
      (generation === 'spec-and-annotations' && areAnnotationsChanged(next, old)) ||
      (emptySpecIsChange === true && emptyMapsOf(next).includes('spec')));
  const after = isChanged ? (before ?? 0) + 1 : before;
  if (next.metadata.generation === after) return next;
  return withMeta(next, after === undefined ? rest : { ...rest, generation: after });
}

function areAnnotationsChanged(next: KubeObject, old: KubeObject): boolean {
  return !equal(next.metadata.annotations ?? {}, old.metadata.annotations ?? {});
}

function isSpecChanged(next: KubeObject, old: KubeObject): boolean {
  return !equal(withoutMetadataAndStatus(next), withoutMetadataAndStatus(old));
}

function withoutMetadataAndStatus(object: KubeObject): KubeObject {
  return withKey({ ...object, metadata: {} }, 'status', undefined) as KubeObject;
}

export function withMeta(object: KubeObject, metadata: ObjectMeta): KubeObject {
  return { ...object, metadata };
}

/** An object with some fields replaced by those of another object; a field that the other lacks is removed. */
export function fieldsFrom(object: KubeObject, other: KubeObject, names: readonly string[]): KubeObject {
  const rest = Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
  const replaced = Object.fromEntries(
    names.filter((name) => other[name] !== undefined).map((name) => [name, other[name]]),
  );
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, metadata, ...rest, ...replaced };
}

/** Warnings are sent only for an object without errors. */
function findings(errors: readonly FieldError[], warnings: () => readonly string[]): ValidationResult {
  const at = errors.findIndex((error) => error === CHANGED_METADATA || error === ALL_METADATA);
  const plain = errors.filter((_error, index) => index !== at);
  const found = { errors: plain, warnings: plain.length > 0 ? [] : warnings() };
  return at === -1 ? found : { ...found, metadata: { repeated: errors[at] === ALL_METADATA ? 'all' : 'update', at } };
}
