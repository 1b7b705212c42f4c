import { findKind, KINDS, type NamedKind } from '../meant.js';
import { InputError } from '../output.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { PATH_NAME, PATH_NAME_RULE } from '../../runtime/vocabulary/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../api/resources.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import type { Change } from '../world/overlay.js';
import { parseLabelSelector } from '../../domain/selectors.js';

/** Makes changes of manifests and of the flags of a command line. */

/** A change that cannot be parsed. The message is one line. */
export class ChangeTextError extends InputError {}

/**
 * What `kubectl apply` of these manifests changes, without decisions and objects of other groups. `namespace`: of an object that
 * names none, although its kind is namespaced. `withDefaults`: adds the defaults of the API server to a merged object.
 */
export function appliedManifests(
  manifests: readonly KubeObject[],
  namespace: string,
  withDefaults?: Extract<Change, { kind: 'apply' }>['withDefaults'],
): readonly Change[] {
  return manifests.flatMap((manifest): Change[] => {
    const found = KINDS.find(({ type }) => type.kind === manifest.kind && apiVersionOf(type) === manifest.apiVersion);
    if (found === undefined) return [];
    const metadata = found.type.namespaced ? { namespace, ...manifest.metadata } : manifest.metadata;
    return [{ kind: 'apply', resource: found.resource, object: { ...manifest, metadata }, withDefaults }];
  });
}

/** The names that kubectl takes for the kind CustomResourceDefinition; each may be followed by its group. */
const DEFINITION_NAMES: readonly string[] = ['crd', 'crds', 'customresourcedefinition', 'customresourcedefinitions'];
const HELD = 'every decision then stays as it is until the objects are back or somebody releases the clusters';
/** What is lost with each definition that decisions depend on, by the plural of its kind. */
const LOST_WITH_DEFINITION: ReadonlyMap<string, string> = new Map([
  [ManagedClusters.plural, `every ManagedCluster: ${HELD}`],
  [ManagedClusterSets.plural, `every ManagedClusterSet: ${HELD}`],
  [ManagedClusterSetBindings.plural, `every ManagedClusterSetBinding: ${HELD}`],
  [Placements.plural, 'every Placement, with its decision and what it holds'],
  [PlacementDecisions.plural, 'every decision, which is made again once the definition is back'],
]);

/** The deletion of `KIND/NAME`, with a kind as kubectl takes it. @throws ChangeTextError */
export function deletion(text: string, namespace: string): Change {
  const [kind = '', name = '', ...more] = text.split('/');
  if (name === '' || more.length > 0)
    throw new ChangeTextError(`--delete must be KIND/NAME, got ${JSON.stringify(text)}`);
  checkName(name, '--delete');
  refuseDefinition(kind, name);
  const { resource, type } = kindOf(kind, '--delete');
  return { kind: 'delete', resource, object: type.namespaced ? { namespace, name } : { name } };
}

/** Refuses the deletion of a definition, which has no plan. The error says what it would do. */
function refuseDefinition(kind: string, name: string): void {
  const [word = ''] = kind.toLowerCase().split('.');
  const [plural = '', ...group] = name.split('.');
  const lost = LOST_WITH_DEFINITION.get(plural);
  if (!DEFINITION_NAMES.includes(word) || lost === undefined || group.join('.') !== ManagedClusters.group) return;
  throw new ChangeTextError(
    `--delete: a definition is not planned; ${name} takes with it ${lost} (docs/how-to/recover-from-a-mistake.md)`,
  );
}

/** The names that kubectl takes for the kind Namespace. */
const NAMESPACE_NAMES: readonly string[] = ['ns', 'namespace', 'namespaces', 'namespaces.v1.'];

/** The namespace that a deletion `ns/NAME` deletes with all that it contains; undefined for another kind. */
export function namespaceDeleted(text: string): string | undefined {
  const [kind = '', name = '', ...more] = text.split('/');
  return NAMESPACE_NAMES.includes(kind.toLowerCase()) && name !== '' && more.length === 0 ? name : undefined;
}

/** The change of a label, from `mcl/NAME:KEY=VALUE`, or `mcl/NAME:KEY-` to remove it. @throws ChangeTextError */
export function labelChange(text: string): Change {
  const match = /^([^/:]+)\/([^/:]+):([^:=]+?)(?:=([^=:]*)|(-))$/.exec(text);
  if (match === null)
    throw new ChangeTextError(`--set must be mcl/NAME:KEY=VALUE or mcl/NAME:KEY-, got ${JSON.stringify(text)}`);
  const [, kind = '', name = '', key = '', value] = match;
  checkName(name, '--set');
  const { resource } = kindOf(kind, '--set');
  if (resource !== 'managedclusters')
    throw new ChangeTextError(`--set takes labels of mcl, got ${JSON.stringify(kind)}`);
  const label = parseLabelSelector({ matchLabels: { [key]: value ?? '' } }, '--set');
  if (!label.ok) throw new ChangeTextError(`--set: ${label.problem.message}`);
  return { kind: 'label', resource, object: { name }, key, value };
}

function checkName(name: string, flag: string): void {
  if (PATH_NAME.test(name)) return;
  throw new ChangeTextError(`${flag}: the name must be ${PATH_NAME_RULE}, got ${JSON.stringify(name)}`);
}

function kindOf(text: string, flag: string): NamedKind {
  const found = findKind(text);
  if (found !== undefined) return found;
  const names = [...KINDS.map(({ shortNames }) => shortNames[0]), ...(flag === '--delete' ? ['ns'] : [])];
  throw new ChangeTextError(`${flag}: the kind must be one of ${names.join(', ')}, got ${JSON.stringify(text)}`);
}
