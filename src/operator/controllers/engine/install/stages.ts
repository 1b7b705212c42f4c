import type { KubeObject, ResourceType } from '../../../../runtime/vocabulary/meta.js';
import {
  ClusterRoleBindings,
  ConfigMaps,
  Deployments,
  Namespaces,
  NetworkPolicies,
  PodDisruptionBudgets,
  RoleBindings,
  ServiceAccounts,
  Services,
} from '../../../../runtime/vocabulary/kinds.js';
import { certificateObjectsOf, fixedNamespaceOf } from '../../../../domain/engine/catalogue.js';
import { componentsOff, componentsOn } from '../../../../domain/engine/spec.js';
import type { DesiredObject } from '../../../../domain/engine/manifest/desired.js';
import { idOf, titleOf, isTerminating, namespaceBlockers } from '../../../../domain/engine/manifest/manifest.js';
import { withAccountUids, withTrustBundle } from '../../../../domain/engine/steps/podtemplates.js';
import {
  desiredSteps,
  observeSteps,
  pruneSteps,
  type StepInput,
  type Step,
  turnedOffStates,
} from '../../../../domain/engine/steps/steps.js';
import type { ObjectState } from '../../../../domain/engine/status/input.js';
import type { Input } from '../gather.js';
import { applySteps, merge, NOTHING_APPLIED, onlyStates, type Applied } from '../applysteps.js';
import type { Scope } from '../scope.js';
import { NO_CONTENTS, type TargetContents, type UnsyncedCache } from '../caches.js';
import { certificatesOf } from './certificates.js';
import { readTrustBundle } from './givenobjects.js';

/** The progress of an installation. Each stage returns a new one. */
export interface InstallState {
  readonly input: Input;
  readonly desired: readonly DesiredObject[];
  /** What the caches of the target namespace hold; empty until the frame has opened them. */
  readonly contents: TargetContents;
  /** Why the target namespace cannot be used; undefined when it is not being deleted. */
  readonly terminating: string | undefined;
  /** What the stages so far have applied. */
  readonly applied: Applied;
}

/** One part of an installation: its steps are decided once, from the state that the stages before it returned, and applied once. */
interface Stage {
  readonly apply: (state: InstallState, scope: Scope) => Promise<Applied>;
  /** The states of the stage's objects without a write. */
  readonly observe: (state: InstallState, scope: Scope) => readonly ObjectState[];
}

/** The namespace and the operator's rights in it: the target namespace can be read after this stage. */
const FRAME = stepStage((state) => stepsOf(state, Namespaces, RoleBindings).filter(isInTarget));

/** After the frame, in the order of applying. An object that is not applied keeps none of the others from it. */
const STAGES: readonly Stage[] = [
  // The accounts that the pods run as: their uids are part of the Deployments.
  stepStage((state) => stepsOf(state, ServiceAccounts)),
  // The components' rights outside the target namespace, and their configuration.
  stepStage((state) => [
    ...stepsOf(state, RoleBindings).filter((step) => !isInTarget(step)),
    ...stepsOf(state, ClusterRoleBindings, ConfigMaps),
  ]),
  // The certificates in the Secrets that the Deployments mount.
  {
    apply: async (state, scope) => {
      let applied = NOTHING_APPLIED;
      for (const certificate of certificatesOf(state, scope)) applied = merge(applied, await certificate.apply());
      return merge(applied, await applySteps(unusedCertificateSteps(state, scope), state.input, scope));
    },
    // Without the unused ones: a deletion has no state.
    observe: (state, scope) => certificatesOf(state, scope).flatMap((one) => one.observe()),
  },
  // Deployments and what belongs to them; then the objects that are no longer desired are deleted.
  {
    apply: async (state, scope) => {
      // Keeps what it finds in the memory, from which workloadSteps takes it.
      const requeueAfterMs = await readTrustBundle(state.input, scope);
      const applied = await applySteps(workloadSteps(state, scope), state.input, scope);
      // A component whose removal has failed has the state of that failure already.
      const failed = new Set(applied.objects.map((one) => idOf(one.type, one.name)));
      const off = turnedOff(state, { paused: false }).filter((one) => !failed.has(idOf(one.type, one.name)));
      return { ...merge(applied, onlyStates(off)), ...(requeueAfterMs !== undefined && { requeueAfterMs }) };
    },
    observe: (state, scope) => [...observeSteps(workloadSteps(state, scope)), ...turnedOff(state, { paused: true })],
  },
];

/** The result of the frame: whether the other stages can follow. */
export type Framed =
  | { readonly kind: 'framed'; readonly state: InstallState }
  /** An object of the frame is not applied, and the other stages need it. */
  | { readonly kind: 'blocked'; readonly state: InstallState }
  /** The target namespace cannot be read yet. */
  | { readonly kind: 'notSynced'; readonly state: InstallState; readonly cache: UnsyncedCache };

/**
 * Applies the frame, and opens the caches of the target namespace. A blocked frame of a namespace that is being deleted
 * also returns what the caches hold, if an earlier pass has opened them: the status reports it.
 */
export async function applyFrame(desired: readonly DesiredObject[], input: Input, scope: Scope): Promise<Framed> {
  const { identity, namespace, namespaceObject, spec, named } = input;
  const { targets } = scope;
  const initial = initialState(desired, input);
  const applied = await FRAME.apply(initial, scope);
  const isDeleted = namespaceObject !== undefined && isTerminating(namespaceObject);
  const terminating = isDeleted ? await describeTermination(namespace, scope) : undefined;
  const state = { ...withApplied(initial, applied), terminating };
  const isBlocked = applied.objects.some(blocksOthers);
  if (!isBlocked) targets.open(identity, namespace, named);
  else if (terminating === undefined || !targets.isOpen(identity)) return { kind: 'blocked', state };
  const view = targets.view(identity, spec.imagePullSecret);
  const known = view.kind === 'synced' ? { ...state, contents: view.contents } : state;
  if (isBlocked) return { kind: 'blocked', state: known };
  return view.kind === 'synced' ? { kind: 'framed', state: known } : { kind: 'notSynced', state, cache: view };
}

/** Whether the namespace is unusable without this object: it does not exist, or it belongs to somebody else. */
function blocksOthers({ state, object }: ObjectState): boolean {
  return state === 'foreign' || (state !== 'applied' && object === undefined);
}

/** Why the target namespace cannot be used, with the reasons that Kubernetes reports for its slow deletion. */
async function describeTermination(name: string, { client, pass }: Scope): Promise<string> {
  // The cache has metadata only.
  const fresh = await client.get<KubeObject>(Namespaces, { name }, { signal: pass.signal });
  const blockers = fresh === undefined ? '' : namespaceBlockers(fresh);
  return `${titleOf(Namespaces, { name })} is being deleted${blockers}; it is created again when it is gone`;
}

/** Applies all stages but the frame. */
export async function applyStages(framed: InstallState, scope: Scope): Promise<InstallState> {
  let state = framed;
  for (const stage of STAGES) state = withApplied(state, await stage.apply(state, scope));
  return state;
}

/** The states of the objects of all stages without a write, each stage as if the one before had been applied. */
export function observeInstallation(initial: InstallState, scope: Scope): readonly ObjectState[] {
  const frame = FRAME.observe(initial, scope);
  return [...frame, ...observeStages(withApplied(initial, onlyStates(frame)), scope)];
}

/** Those of all stages but the frame. */
export function observeStages(framed: InstallState, scope: Scope): readonly ObjectState[] {
  const observed = STAGES.reduce((state, stage) => withApplied(state, onlyStates(stage.observe(state, scope))), framed);
  return observed.applied.objects.slice(framed.applied.objects.length);
}

/**
 * Removes the certificates of components that were turned off: no key is left that nobody serves with. Those too that this process
 * has stored and a late watch does not have yet: they are not watched after this pass.
 */
function unusedCertificateSteps(state: InstallState, { memory }: Pick<Scope, 'memory'>): readonly Step[] {
  const { input, contents } = state;
  const { namespace, spec, named } = input;
  const wanted = certificateObjectsOf(componentsOn(spec.components));
  const unused = named.filter(({ type, name }) => !wanted.some((one) => one.type === type && one.name === name));
  const stored = unused.flatMap(({ type, name }) => {
    const cached = contents.named.find((one) => one.type === type && one.object.metadata.name === name)?.object;
    const object = memory.writes.newest(idOf(type, { namespace, name }), cached);
    return object === undefined ? [] : [{ type, object }];
  });
  // None of these is desired: pruneSteps deletes all that are ours. A Secret that the user made is not.
  return pruneSteps({ ...stepInput(state, []), stored });
}

function workloadSteps(state: InstallState, { memory }: Pick<Scope, 'memory'>): readonly Step[] {
  const { input, applied, contents } = state;
  const { stored } = contents;
  const found = { finding: memory.trustBundle?.finding, stored };
  const trusting = withTrustBundle(state.desired, input.spec.trustBundle, found);
  const desired = withAccountUids(trusting, { engine: input.identity, objects: applied.objects, stored });
  const steps = stepsOf({ ...state, desired }, Services, PodDisruptionBudgets, NetworkPolicies, Deployments);
  return [...steps, ...pruneSteps(stepInput(state, state.desired))];
}

/** The states of the components that `spec.components` turns off. */
function turnedOff(state: InstallState, { paused }: { readonly paused: boolean }): readonly ObjectState[] {
  const { spec, namespace } = state.input;
  return turnedOffStates(componentsOff(spec.components), { ...stepInput(state, []), namespace, paused });
}

export function initialState(desired: readonly DesiredObject[], input: Input): InstallState {
  return { input, desired, contents: NO_CONTENTS, terminating: undefined, applied: NOTHING_APPLIED };
}

function stepStage(steps: (state: InstallState) => readonly Step[]): Stage {
  return {
    apply: (state, scope) => applySteps(steps(state), state.input, scope),
    observe: (state) => observeSteps(steps(state)),
  };
}

function withApplied(state: InstallState, applied: Applied): InstallState {
  return { ...state, applied: merge(state.applied, applied) };
}

/** The steps for the desired objects of these types. */
function stepsOf(state: InstallState, ...types: readonly ResourceType[]): readonly Step[] {
  const desired = state.desired.filter(({ type }) => types.includes(type));
  return desiredSteps(stepInput(state, desired));
}

function isInTarget({ type, name }: Step): boolean {
  return fixedNamespaceOf({ type, name: name.name }) === undefined;
}

function stepInput({ input, contents }: InstallState, desired: readonly DesiredObject[]): StepInput {
  const stored = [...input.bindings, ...contents.stored];
  return { engine: input.identity, desired, stored, namespace: input.namespaceObject };
}
