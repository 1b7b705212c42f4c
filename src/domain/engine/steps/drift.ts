import { sameJson, isRecord, type JsonRecord } from '../../../runtime/vocabulary/json.js';
import { sameQuantity } from '../manifest/resources.js';

/**
 * Whether a stored object still has the applied fields, decided without a request.
 *
 * The rule: every desired field exists and is equal. The API server and other managers only add fields (defaults,
 * labels), so fields that are not desired are ignored, except inside values that server-side apply treats as atomic (the
 * tables below): one manager owns all of an atomic value, and any other content is drift. A desired quantity, which the
 * server writes in another form, is compared by value. Templates therefore contain the server's defaults inside atomic
 * values, and no empty maps or lists, which the server drops.
 */

/** The keys of lists of type `map`, by path: compared item by item, in any order; items of others stay. From the API's schema. */
const LIST_MAPS: Readonly<Record<string, readonly string[]>> = {
  'metadata.ownerReferences': ['uid'],
  'spec.ports': ['port', 'protocol'],
  'spec.template.spec.containers': ['name'],
  'spec.template.spec.containers[].env': ['name'],
  'spec.template.spec.containers[].ports': ['containerPort', 'protocol'],
  'spec.template.spec.containers[].volumeMounts': ['mountPath'],
  'spec.template.spec.initContainers': ['name'],
  'spec.template.spec.initContainers[].env': ['name'],
  'spec.template.spec.initContainers[].volumeMounts': ['mountPath'],
  'spec.template.spec.imagePullSecrets': ['name'],
  'spec.template.spec.topologySpreadConstraints': ['topologyKey', 'whenUnsatisfiable'],
  'spec.template.spec.volumes': ['name'],
};

/** Atomic maps. Every list that is not above is atomic, too. */
const ATOMIC_MAPS: ReadonlySet<string> = new Set([
  'roleRef',
  'spec.podSelector',
  'spec.selector',
  'spec.template.spec.nodeSelector',
  'spec.template.spec.topologySpreadConstraints[].labelSelector',
  'spec.template.spec.containers[].env[].valueFrom.fieldRef',
  'spec.template.spec.initContainers[].env[].valueFrom.fieldRef',
]);

/** Maps whose values are quantities. */
const QUANTITIES = /\.resources\.(limits|requests)$/;

interface FieldPath {
  /** For people, with the keys of list items: `spec.template.spec.containers[operator].image`. */
  readonly shown: string;
  /** As in the tables: `spec.template.spec.containers[].image`. */
  readonly path: string;
}

/**
 * The paths at which `stored` differs from `wanted`, in the order of `wanted`; empty when nothing has drifted. Both are
 * objects of one type and name: apiVersion and kind, which lists leave out, are ignored.
 */
export function driftedFields(wanted: JsonRecord, stored: unknown): readonly string[] {
  const { apiVersion: _version, kind: _kind, ...content } = wanted;
  return compareTree(content, stored, { shown: '', path: '' });
}

function compareTree(wanted: JsonRecord, stored: unknown, place: FieldPath): readonly string[] {
  if (!isRecord(stored)) return [place.shown === '' ? 'the whole object' : place.shown];
  const drifted: string[] = [];
  for (const [field, value] of Object.entries(wanted)) {
    const there = Object.hasOwn(stored, field) ? stored[field] : undefined;
    const inner = below(place, field);
    const keys = LIST_MAPS[inner.path];
    if (QUANTITIES.test(place.path) && sameQuantity(value, there)) continue;
    if (keys !== undefined && Array.isArray(value)) drifted.push(...compareItems(value, there, inner, keys));
    else if (isRecord(value) && !ATOMIC_MAPS.has(inner.path)) drifted.push(...compareTree(value, there, inner));
    else if (!sameJson(value, there)) drifted.push(inner.shown);
  }
  return drifted;
}

function compareItems(
  wanted: readonly unknown[],
  stored: unknown,
  place: FieldPath,
  keys: readonly string[],
): readonly string[] {
  const items: readonly unknown[] = Array.isArray(stored) ? stored : [];
  return wanted.flatMap((item) => {
    if (!isRecord(item)) return [place.shown];
    const shown = `${place.shown}[${String(item[keys[0] ?? ''])}]`;
    const there = items.find((one) => isRecord(one) && keys.every((key) => one[key] === item[key]));
    return compareTree(item, there, { shown, path: `${place.path}[]` });
  });
}

function below(place: FieldPath, field: string): FieldPath {
  if (place.path === '') return { shown: field, path: field };
  return {
    shown: /[./]/.test(field) ? `${place.shown}[${field}]` : `${place.shown}.${field}`,
    path: `${place.path}.${field}`,
  };
}
