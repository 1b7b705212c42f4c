import { LAST_APPLIED } from '../../api/names.js';
import { Placements } from '../../api/resources.js';
import type { ManifestRules } from '../../answers/files/manifestfaults.js';
import { parseUserManifests, type UserManifest } from '../../answers/files/usermanifests.js';
import { labelChange } from '../../answers/plan/changes.js';
import { lostBy } from '../../answers/plan/lose.js';
import type { Computing } from '../../answers/plan/fleetplan.js';
import { InputError, NotFoundError } from '../../answers/output.js';
import { TYPES } from '../../answers/world/worlds.js';
import { drained } from '../../answers/drain.js';
import { MissingObjectError, overlay, type Change } from '../../answers/world/overlay.js';
import type { World, WorldResource } from '../../answers/world/world.js';
import { errorText } from '../../runtime/errors.js';
import { sameJson } from '../../runtime/vocabulary/json.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import type { KubeObject, ResourceType, RawObject } from '../../runtime/vocabulary/meta.js';
import type { Draft } from '../wire/plan.js';
import { manifestOf } from './manifest.js';

/** A draft as the world that it leads to, and the objects that it writes. */

/** An object of the draft, as it is written: created, or in the place of `live`. */
export interface DraftObject {
  readonly type: ResourceType;
  readonly object: RawObject;
  readonly live: RawObject | undefined;
}

export interface DraftWorld {
  readonly after: World;
  readonly objects: readonly DraftObject[];
  readonly labels: readonly Extract<Change, { kind: 'label' }>[];
  /** The clusters that are lost after the changes, and why each is. */
  readonly lost: ReadonlyMap<string, string>;
}

/** What is wrong with a draft. The message is one line. */
export class DraftFault extends InputError {}

const PLANNED: readonly WorldResource[] = [
  'placements',
  'managedclusters',
  'managedclustersets',
  'managedclustersetbindings',
];
const MOST_FAULTS = 3;

/** Where a draft is read: the namespace of objects that name none, and what the API server refuses. */
export interface DraftContext extends Computing {
  readonly world: World;
  readonly namespace: string;
  readonly rules: ManifestRules;
}

/** `onDecision` runs for each object, too. @throws DraftFault and others with field, value and rule, or the name of what does not exist. */
export function draftWorld(draft: Draft, context: DraftContext): DraftWorld {
  const { world, rules, onDecision } = context;
  const manifests = parseUserManifests(Buffer.from(draft.manifests), 'draft');
  for (const { object, where } of manifests) {
    check(where, rules.ofManifest(object));
    onDecision?.();
  }
  const objects: DraftObject[] = [];
  const names = new Set<string>();
  let replaced = world;
  for (const manifest of manifests) {
    const object = draftObject(manifest, context);
    const name = nameOf(object);
    // The second one would be written in the place of the first, which nobody has seen alone.
    if (names.has(name)) throw new DraftFault(`draft: ${name} is in it twice`);
    names.add(name);
    objects.push(object);
    replaced = withObject(replaced, object);
    onDecision?.();
  }
  const labels = draft.labels.map((text) => labelChange(`mcl/${text}`)).filter((one) => one.kind === 'label');
  let after = overlay(replaced, labels);
  const clusters = new Set(after.objects.managedclusters.map(({ metadata }) => metadata.name));
  const missing = draft.drains.find((name) => !clusters.has(name));
  if (missing !== undefined) throw new DraftFault(`ManagedCluster ${missing} was not found`);
  for (const name of draft.drains) after = drained(after, name);
  return { after, objects, labels, lost: lostBy(after, draft.losses) };
}

const EXPECTED = [InputError, NotFoundError, MissingObjectError];

/** What is wrong with the draft, by the error that it led to; undefined for an error of another kind. */
export function faultOf(error: unknown): string | undefined {
  if (!EXPECTED.some((kind) => error instanceof kind)) return undefined;
  return errorText(error).split('\n', 1).join('');
}

function check(where: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new DraftFault(`${where}: ${faults.slice(0, MOST_FAULTS).join('; ')}`);
}

function draftObject(
  { object: manifest, where }: UserManifest,
  { world, namespace, rules }: DraftContext,
): DraftObject {
  const [resource, type] = resourceOf(manifest);
  const metadata = type.namespaced ? { namespace, ...manifest.metadata } : manifest.metadata;
  const wanted: RawObject = { ...manifest, metadata };
  const live = world.objects[resource].find((one) => keyOf(one.metadata) === keyOf(wanted.metadata));
  const object = live === undefined ? wanted : replacing(live, wanted);
  check(`${where}: ${nameOf({ type, object })}`, rules.ofObject(object, live));
  return { type, object, live };
}

function resourceOf({ apiVersion, kind }: KubeObject): readonly [WorldResource, ResourceType] {
  const found = PLANNED.find((one) => TYPES[one].kind === kind && apiVersionOf(TYPES[one]) === apiVersion);
  if (found === undefined)
    throw new DraftFault(
      `draft: ${kind} of ${apiVersion} is not planned; want a Placement, ManagedCluster, ManagedClusterSet or ManagedClusterSetBinding`,
    );
  return [found, TYPES[found]];
}

/** As `kubectl replace`: what the manifest does not have is gone, besides what the API server and controllers set. */
function replacing(live: RawObject, wanted: RawObject): RawObject {
  const { uid, resourceVersion, creationTimestamp, generation = 0, finalizers } = live.metadata;
  const { ownerReferences, annotations: before } = live.metadata;
  const last = before?.[LAST_APPLIED];
  const annotations = { ...wanted.metadata.annotations, ...(last === undefined ? {} : { [LAST_APPLIED]: last }) };
  const isSame = sameJson(live.spec ?? null, wanted.spec ?? null);
  const kept = Object.fromEntries(
    Object.entries({ uid, resourceVersion, creationTimestamp, finalizers, ownerReferences }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  return {
    ...wanted,
    metadata: { ...wanted.metadata, ...kept, annotations, generation: isSame ? generation : generation + 1 },
    status: live.status,
  };
}

function withObject(world: World, { type, object, live }: DraftObject): World {
  const resource = type.plural as WorldResource;
  const others = world.objects[resource].filter((one) => one !== live);
  return { ...world, objects: { ...world.objects, [resource]: [...others, object] } };
}

/** `KIND NAMESPACE/NAME`. */
export function nameOf({ type, object }: Pick<DraftObject, 'type' | 'object'>): string {
  return `${type.kind} ${keyOf(object.metadata)}`;
}

/** Whether the hub does not have it so already. */
export function isChanged({ object, live }: DraftObject): boolean {
  return live === undefined || !sameJson(manifestOf(object), manifestOf(live));
}

/** Why a draft is not applied: undefined where it is. */
export function notApplied(objects: DraftWorld['objects'], { drains, losses, each }: Draft): string | undefined {
  if (drains.length + losses.length + each.length > 0)
    return 'a drain is made by kubectl mce drain, a loss by nobody: here they are only planned';
  const other = objects.find(({ type }) => type !== Placements);
  return other && `only Placements and labels are applied here: ${nameOf(other)} is for kubectl apply`;
}
