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
import { NO_CONTENTS, type TargetContents, type UnsyncedCache } from '../targetcaches.js';
import { certificatesOf } from './certificates.js';
import { readTrustBundle } from './givenobjects.js';

/** The progress of an installation. Each stage returns a new one. */
export interface InstallState {
  readonly input: Input;
  readonly desired: readonly DesiredObject[];
  /** Empty until the frame stage has opened the caches of the target namespace. */
  readonly contents: TargetContents;
  /** Why the target namespace cannot be used; undefined when it is not being deleted. */
  readonly terminating: string | undefined;
  /** What the stages so far have applied. */
  readonly applied: Applied;
}

export type StageResult =
  | { readonly kind: 'completed'; readonly state: InstallState }
  /** An object of the stage is not applied, and the stages after it need it. */
  | { readonly kind: 'blocked'; readonly state: InstallState }
  /** The target namespace cannot be read yet. */
  | { readonly kind: 'notSynced'; readonly state: InstallState; readonly cache: UnsyncedCache };

/** One part of an installation: its steps are decided once, from the state that the stages before it returned, and applied once. */
export interface Stage {
  readonly name: 'frame' | 'accounts' | 'configuration' | 'certificates' | 'workloads';
  readonly apply: (state: InstallState, scope: Scope) => Promise<StageResult>;
  /** The states of the stage's objects without a write. */
  readonly observe: (state: InstallState, scope: Scope) => readonly ObjectState[];
}

/** In the order of applying. The first that does not complete ends the installation of this pass. */
export const STAGES: readonly Stage[] = [
  // The namespace and the operator's rights in it: the target namespace can be read after this stage.
  { name: 'frame', apply: applyFrame, observe: (state) => observeSteps(frameSteps(state)) },
  // The accounts that the pods run as: their uids are part of the Deployments.
  stepStage('accounts', (state) => stepsOf(state, ServiceAccounts)),
  // The components' rights outside the target namespace, and their configuration.
  stepStage('configuration', (state) => [
    ...stepsOf(state, RoleBindings).filter((step) => !isInTarget(step)),
    ...stepsOf(state, ClusterRoleBindings, ConfigMaps),
  ]),
  // The Secrets that the Deployments mount.
  {
    name: 'certificates',
    apply: async (state, scope) => {
      let applied = NOTHING_APPLIED;
      for (const certificate of certificatesOf(state, scope)) applied = merge(applied, await certificate.apply());
      return completed(state, merge(applied, await applySteps(unusedCertificateSteps(state), state.input, scope)));
    },
    observe: (state, scope) => certificatesOf(state, scope).flatMap((one) => one.observe()),
  },
  // Deployments and what belongs to them; then the objects that are no longer desired are deleted.
  {
    name: 'workloads',
    apply: async (state, scope) => {
      const requeueAfterMs = await readTrustBundle(state.input, scope);
      const steps = await applySteps(workloadSteps(state, scope), state.input, scope);
      const applied = requeueAfterMs === undefined ? steps : { ...steps, requeueAfterMs };
      const failed = new Set(applied.objects.map((one) => idOf(one.type, one.name)));
      const off = turnedOff(state, false).filter((one) => !failed.has(idOf(one.type, one.name)));
      return completed(state, { ...applied, objects: [...applied.objects, ...off] });
    },
    observe: (state, scope) => [...observeSteps(workloadSteps(state, scope)), ...turnedOff(state, true)],
  },
];

/** Removes the certificates of components that were turned off: no key is left that nobody serves with. */
function unusedCertificateSteps(state: InstallState): readonly Step[] {
  const used = certificateObjectsOf(componentsOn(state.input.spec.components));
  const stored = state.contents.named.filter(
    ({ type, object }) => !used.some((one) => one.type === type && one.name === object.metadata.name),
  );
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
function turnedOff(state: InstallState, paused: boolean): readonly ObjectState[] {
  const { spec, namespace } = state.input;
  return turnedOffStates(componentsOff(spec.components), { ...stepInput(state, []), namespace }, paused);
}

export function initialState(desired: readonly DesiredObject[], input: Input): InstallState {
  return { input, desired, contents: NO_CONTENTS, terminating: undefined, applied: NOTHING_APPLIED };
}

/** The states of the stages' objects without a write, each stage as if the one before had been applied. */
export function observeStages(stages: readonly Stage[], initial: InstallState, scope: Scope): InstallState {
  return stages.reduce((state, stage) => withApplied(state, onlyStates(stage.observe(state, scope))), initial);
}

function stepStage(name: Stage['name'], steps: (state: InstallState) => readonly Step[]): Stage {
  return {
    name,
    apply: async (state, scope) => completed(state, await applySteps(steps(state), state.input, scope)),
    observe: (state) => observeSteps(steps(state)),
  };
}

function completed(state: InstallState, applied: Applied): StageResult {
  return { kind: 'completed', state: withApplied(state, applied) };
}

function withApplied(state: InstallState, applied: Applied): InstallState {
  return { ...state, applied: merge(state.applied, applied) };
}

/** The steps for the desired objects of these types. */
function stepsOf(state: InstallState, ...types: readonly ResourceType[]): readonly Step[] {
  const desired = state.desired.filter(({ type }) => types.includes(type));
  return desiredSteps(stepInput(state, desired));
}

function frameSteps(state: InstallState): readonly Step[] {
  return stepsOf(state, Namespaces, RoleBindings).filter(isInTarget);
}

function isInTarget({ type, name }: Step): boolean {
  return fixedNamespaceOf({ type, name: name.name }) === undefined;
}

function stepInput({ input, contents }: InstallState, desired: readonly DesiredObject[]): StepInput {
  const stored = [...input.bindings, ...contents.stored];
  return { engine: input.identity, desired, stored, namespace: input.namespaceObject };
}

/**
 * A blocked stage also returns the contents of the target namespace, if an earlier pass has opened its caches: the status
 * reports what exists there while the namespace is being deleted.
 */
async function applyFrame(initial: InstallState, scope: Scope): Promise<StageResult> {
  const { identity, namespace, namespaceObject, spec, named } = initial.input;
  const { targets } = scope;
  const applied = await applySteps(frameSteps(initial), initial.input, scope);
  const isDeleted = namespaceObject !== undefined && isTerminating(namespaceObject);
  const terminating = isDeleted ? await describeTermination(namespace, scope) : undefined;
  const state = { ...withApplied(initial, applied), terminating };
  const isBlocked = applied.objects.some(blocksOthers);
  if (!isBlocked) targets.open(identity, namespace, named);
  else if (terminating === undefined || !targets.isOpen(identity)) return { kind: 'blocked', state };
  const view = targets.view(identity, spec.imagePullSecret);
  const known = view.kind === 'synced' ? { ...state, contents: view.contents } : state;
  if (isBlocked) return { kind: 'blocked', state: known };
  return view.kind === 'synced' ? { kind: 'completed', state: known } : { kind: 'notSynced', state, cache: view };
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
