import { apiVersionOf } from '../apiversion.js';
import { difference, has, isEmpty, setOf } from '../apply/fieldpath/fieldset.js';
import { readOwners, writeOwners } from '../apply/managedfields/owners.js';
import type { Owner, Owners } from '../apply/managedfields/owners.js';
import { structOf } from '@multicluster-engine/values/schema/builtin';
import type { KubeObject, ManagedFieldsEntry } from '@multicluster-engine/values/object';
import { canonical } from '@multicluster-engine/values/schema/struct/canonical';
import { type Resource, type Subresource, subresourceOf, type SubresourceView } from '../resource.js';
import { dns1123Subdomain } from '@multicluster-engine/values/formats';
import { validateMeta } from '@multicluster-engine/values/schema/metadata/validate';
import { conflict, invalid } from '../status.js';
import { withMeta } from '@multicluster-engine/values/object';
import type { Target } from './verbs.js';

/** A subresource that shows its object as another kind: reads and writes are of a Scale, not of a Deployment. */
export interface View {
  /** The other kind, with what decoding, patching and managedFields need. */
  readonly resource: Resource;
  readonly read: SubresourceView['read'];
  /** What a GET returns. Throws for an object without the view. */
  readonly get: SubresourceView['read'];
  /** Applies a change of the view to the object. Throws 422 for an invalid view, 409 for that of another object. */
  readonly change: (live: KubeObject, next: (shown: KubeObject) => KubeObject) => KubeObject;
}

/** The subresource for the kind's strategy: a change of a view is a change of the object. */
export function strategyOf(target: Target): string | undefined {
  return target.subresource === '' || viewOf(target) !== undefined ? undefined : target.subresource;
}

/** By resource and subresource: kinds share the Scale implementation. */
const views = new WeakMap<Resource, Map<Subresource, View>>();

/** The view of a request; undefined where the request is about the object itself. */
export function viewOf({ resource, subresource }: Target): View | undefined {
  const found = subresourceOf(resource, subresource);
  if (found?.view === undefined) return undefined;
  const own = views.get(resource) ?? new Map<Subresource, View>();
  const known = own.get(found) ?? viewBy(resource, found, found.view);
  views.set(resource, own.set(found, known));
  return known;
}

function viewBy(parent: Resource, subresource: Subresource, view: SubresourceView): View {
  const resource = shownAs(parent, subresource, view);
  const places = {
    parent: apiVersionOf(parent),
    shown: apiVersionOf(resource),
    replicas: view.replicas.map((key) => `f:${key}`),
  };
  return {
    resource,
    read: view.read,
    get: view.get ?? view.read,
    change(live, next) {
      const before = live.metadata.managedFields;
      const shown = withMeta((view.draft ?? view.read)(live), { managedFields: toView(before, places) });
      const changed = next(shown);
      // A custom resource is validated with the rest of the object.
      if (!parent.custom) check(parent, { resource, subresource, view }, { live, changed });
      const object = view.write(live, changed);
      return withMeta(object, {
        resourceVersion: changed.metadata.resourceVersion || live.metadata.resourceVersion,
        managedFields: toParent(before, changed.metadata.managedFields, places),
      });
    },
  };
}

function shownAs(
  parent: Resource,
  { name, group = parent.group, version = parent.version, kind = parent.kind }: Subresource,
  { schema, columns }: SubresourceView,
): Resource {
  const definition = structOf(schema) ?? '';
  const { convert: _convert, decode: _decode, ...rest } = parent;
  const strategy = { ...parent.strategy, default: (object: KubeObject) => canonical(definition, object) };
  const collection = `${parent.collection}/${name}`;
  return {
    ...rest,
    group,
    version,
    kind,
    listKind: `${kind}List`,
    collection,
    schema,
    columns,
    subresources: [],
    strategy,
    custom: false,
  };
}

interface Shown {
  readonly resource: Resource;
  readonly subresource: Subresource;
  readonly view: SubresourceView;
}

function check(
  parent: Resource,
  { resource: { group, kind }, subresource, view }: Shown,
  { live, changed }: { readonly live: KubeObject; readonly changed: KubeObject },
): void {
  const { name = '', uid: found = '' } = live.metadata;
  const errors = [
    ...validateMeta(changed.metadata, { namespaced: parent.namespaced, validateName: dns1123Subdomain }),
    ...view.validate(changed),
  ];
  if (errors.length > 0) throw invalid({ group, kind }, name, errors);
  const { uid = '' } = changed.metadata;
  if (uid === '' || uid === found) return;
  const failed = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`;
  throw conflict({ group: parent.group, plural: `${parent.plural}/${subresource.name}` }, name, failed);
}

/** The API versions of the object and of the view, and the path of their shared field in the object. */
interface Places {
  readonly parent: string;
  readonly shown: string;
  readonly replicas: readonly string[];
}

/** Path of that field in the view. */
const REPLICAS = ['f:spec', 'f:replicas'];

function ownersOf(entries: readonly ManagedFieldsEntry[] | undefined): Owners {
  try {
    return readOwners(entries);
  } catch {
    return new Map();
  }
}

/** The managers of the field, as managedFields of the view. */
function toView(
  entries: readonly ManagedFieldsEntry[] | undefined,
  places: Places,
): readonly ManagedFieldsEntry[] | undefined {
  const shown = new Map<string, Owner>();
  for (const [id, owner] of ownersOf(entries)) {
    if (owner.apiVersion !== places.parent || !has(owner.fields, places.replicas)) continue;
    shown.set(id, { ...owner, apiVersion: places.shown, fields: setOf(REPLICAS) });
  }
  return writeOwners(shown, undefined);
}

/**
 * managedFields of the object after a change of the view. A manager that lost the field in the view loses it here; one
 * that has it gets an entry of its own without a time, as in kube-apiserver.
 */
function toParent(
  before: readonly ManagedFieldsEntry[] | undefined,
  shown: readonly ManagedFieldsEntry[] | undefined,
  places: Places,
): readonly ManagedFieldsEntry[] | undefined {
  const old = ownersOf(before);
  const rest = new Map(ownersOf(shown));
  const owners = new Map<string, Owner>();
  for (const [id, owner] of old) {
    if (owner.apiVersion !== places.parent) continue;
    const keeps = !has(owner.fields, places.replicas) || rest.delete(id);
    const fields = keeps ? owner.fields : difference(owner.fields, setOf(places.replicas));
    if (keeps || !isEmpty(fields)) owners.set(id, { ...owner, fields });
  }
  for (const [id, owner] of rest) {
    if (has(owner.fields, REPLICAS))
      owners.set(id, { ...owner, apiVersion: places.parent, fields: setOf(places.replicas), time: old.get(id)?.time });
  }
  return writeOwners(owners, before);
}
