import type { Placement } from '../../../api/generated/placement.js';
import type { PlacementDecision } from '../../../api/generated/placementdecision.js';
import { sameJson } from '../../../runtime/vocabulary/json.js';
import type { ObjectName } from '../../../runtime/vocabulary/meta.js';
import { PLACEMENT_LABEL } from '../../../api/names.js';
import { PlacementDecisions, Placements } from '../../../api/resources.js';
import { isDefinitionReplaced } from '../../../domain/placement/select/definitions.js';
import { isCounted, isHeld, leaving, staying } from '../../../domain/placement/select/decision.js';
import type { DecisionOwner } from '../../../domain/placement/stored/decision.js';
import type { Result } from '../../../runtime/controller/result.js';
import type { Decided } from './decide.js';
import { CACHE_BEHIND, type Input } from './gather.js';
import type { Scope } from './scope.js';

const DEFINITIONS_BEHIND: Result = { ending: 'wait', reason: 'a definition was made anew meanwhile', afterMs: 100 };

/**
 * Confirms by reads of the API what a decision takes for granted and the caches alone do not prove. These reads follow the
 * decision because only the decision shows which of them are needed; they never change it. Returns what to wait for, or undefined
 * when the decision may be carried out. Throws when the API cannot be read.
 */
export async function confirm(
  input: Input,
  { decision, changes }: Decided,
  scope: Scope,
): Promise<Result | undefined> {
  const { owner, snapshot, state } = input;
  const { client, deletions } = scope;
  const dropped = leaving(decision);
  if ([...dropped, ...staying(decision, isHeld)].some(({ cause }) => cause === 'Gone' || cause === 'NotMember')) {
    // A new definition holds every cluster by itself. Those that somebody released leave once the caches are sure to show what was
    // created again with it: the release was meant for what is missing then.
    const isReleasedEarly = dropped.length > 0 && isDefinitionReplaced(snapshot);
    const result = await deletions.check(!isReleasedEarly);
    if (result.kind === 'unconfirmed') return { ending: 'wait', reason: result.reason, afterMs: result.afterMs };
    const known = await deletions.definitions();
    if (!sameJson(known?.uids, snapshot.definitions?.uids)) return DEFINITIONS_BEHIND;
  }
  // Objects of an earlier Placement are deleted only when the API server has the same Placement as the cache.
  if (changes.writes.some((write) => write.kind === 'delete' && write.cause === 'Predecessor')) {
    const found = await client.get<Placement>(Placements, nameOf(owner), { metadataOnly: true });
    if (found?.metadata.uid !== owner.uid) return CACHE_BEHIND;
  }
  // What another process recorded last, or which hold it announced, may not be in the caches of this one yet.
  if (isCounted(decision) && state.published?.lists === undefined && !(await isCurrent(input, scope)))
    return CACHE_BEHIND;
  return undefined;
}

/** Whether the API server has the Placement and its decision objects as they are known here. */
async function isCurrent({ placement, owner, objects }: Input, { client }: Scope): Promise<boolean> {
  const options = { metadataOnly: true };
  const found = await client.get<Placement>(Placements, nameOf(owner), options);
  if (found?.metadata.resourceVersion !== placement.metadata.resourceVersion) return false;
  const labelSelector = `${PLACEMENT_LABEL}=${owner.name}`;
  const stored = await client.list<PlacementDecision>(PlacementDecisions, owner.namespace, {
    ...options,
    labelSelector,
  });
  const versions = new Map(stored.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  const known = [...objects.values()].filter(({ metadata }) => metadata.labels?.[PLACEMENT_LABEL] === owner.name);
  return (
    versions.size === known.length &&
    known.every(({ metadata }) => versions.get(metadata.name) === metadata.resourceVersion)
  );
}

function nameOf({ namespace, name }: DecisionOwner): ObjectName {
  return { namespace, name };
}
