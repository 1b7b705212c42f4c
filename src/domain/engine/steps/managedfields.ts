import { at, isTree, itemsAt, textAt, treeAt, type Tree } from '../manifest/manifest.js';

/**
 * The managedFields of `object` with every field of its spec owned by `manager`: fields that its next apply leaves out are
 * removed. Ownership outside the spec and through subresources does not change. Returns undefined where no other manager
 * owns a field of the spec. See "Field Management" in the documentation of server-side apply.
 */
export function takeOverSpec(object: unknown, manager: string): readonly Tree[] | undefined {
  const entries = itemsAt(object, 'metadata', 'managedFields');
  const ours = entries.find((one) => one['manager'] === manager && one['operation'] === 'Apply' && isMainResource(one));
  const foreign = entries.filter((one) => one !== ours && isMainResource(one) && isTree(at(one, 'fieldsV1', 'f:spec')));
  if (foreign.length === 0) return undefined;
  const spec = [ours, ...foreign].map((one) => treeAt(one, 'fieldsV1', 'f:spec')).reduce(union);
  const apiVersion = textAt(object, 'apiVersion');
  const { time: _time, ...entry } = ours ?? { manager, operation: 'Apply', apiVersion, fieldsType: 'FieldsV1' };
  const left = entries.filter((one) => one !== ours).map((one) => (foreign.includes(one) ? withoutSpec(one) : one));
  const owning = left.filter((one) => Object.keys(treeAt(one, 'fieldsV1')).length > 0);
  return [...owning, { ...entry, fieldsV1: { ...treeAt(ours, 'fieldsV1'), 'f:spec': spec } }];
}

function isMainResource(entry: Tree): boolean {
  return textAt(entry, 'subresource') === '';
}

function withoutSpec(entry: Tree): Tree {
  const { 'f:spec': _spec, ...rest } = treeAt(entry, 'fieldsV1');
  return { ...entry, fieldsV1: rest };
}

/** The union of two field sets. */
function union(a: Tree, b: Tree): Tree {
  const paths = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(paths.map((path) => [path, union(treeAt(a, path), treeAt(b, path))]));
}
