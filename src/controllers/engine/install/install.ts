import type { KubeObject } from '../../../api/meta.js';
import { CLEANUP_FINALIZER, ENGINE_FIELD_MANAGER } from '../../../api/names.js';
import {
  ConfigMaps,
  Deployments,
  MultiClusterEngines,
  Namespaces,
  RoleBindings,
  ServiceAccounts,
} from '../../../api/resources.js';
import { accountUids, withAccountUids } from '../../../domain/engine/plan/accounts.js';
import { APPLY_ORDER } from '../../../domain/engine/catalogue.js';
import {
  desiredId,
  desiredObjects,
  type DesiredObject,
  type EngineSettings,
  type Templates,
} from '../../../domain/engine/manifest/desired.js';
import { deploymentHealth } from '../../../domain/engine/status/health.js';
import { idOf, integerAt, titleOf } from '../../../domain/engine/manifest/manifest.js';
import { isTerminating, plan, type Step } from '../../../domain/engine/plan/plan.js';
import type { ObjectState, StatusInput } from '../../../domain/engine/status/input.js';
import { isFailure } from '../../../runtime/errors.js';
import type { Result } from '../../../runtime/result.js';
import { applySteps, observeSteps, merge, type Applied, type ReconcileScope } from '../objects/applysteps.js';
import { isBoundIn, type EngineCaches } from '../caches.js';
import { bringCertificates, observeCertificates, type IssueKeyPair } from './certificates.js';
import { classifyForbidden } from '../objects/forbidden.js';
import type { Input } from '../gather.js';
import { namespaceBlockers } from '../uninstall/namespace.js';
import { judgeOf } from '../uninstall/progress.js';
import type { Outcome } from '../report.js';
import type { TargetCaches, View } from '../targetcaches.js';

/** What every pass is made with. */
export interface Site {
  readonly caches: EngineCaches;
  readonly targets: TargetCaches;
  readonly templates: Templates;
  readonly settings: EngineSettings;
  readonly issueKeyPair: IssueKeyPair;
}

/** Looked at again although no watch will say so, ms. */
const LOOK_AGAIN = Object.freeze({
  right: 30_000,
  foreign: 10_000,
  waiting: 2_000,
  undecided: 5_000,
  terminating: 10_000,
});

/** Brings an engine that stays nearer to what is wanted: finalizer first, then the work. */
export async function install(snapshot: Input, hand: ReconcileScope, site: Site): Promise<Outcome> {
  if (snapshot.paused) return observe(snapshot, hand, site);
  const refused = refusal(snapshot, site);
  if (refused !== undefined)
    return { situation: { ...base(snapshot, site), ...refused }, hand, result: stalled('not served') };
  const held = await withFinalizer(hand);
  if (typeof held === 'string') {
    return {
      situation: { ...base(snapshot, site), denied: held },
      hand,
      result: stalled('PermissionDenied', LOOK_AGAIN.right),
    };
  }
  return work(snapshot, held, site);
}

function base(snapshot: Input, site: Site): StatusInput {
  const { engine, namespace, paused } = snapshot;
  return { engine, version: site.settings.version, targetNamespace: namespace, paused };
}

/** Why this engine is not served at all. */
function refusal(snapshot: Input, site: Site): Pick<StatusInput, 'anotherEngine' | 'fieldErrors'> | undefined {
  const { anotherEngine, fieldErrors, identity } = snapshot;
  if (anotherEngine === undefined && fieldErrors.length === 0) return undefined;
  site.targets.close(identity.name);
  return anotherEngine === undefined ? { fieldErrors } : { anotherEngine };
}

/** The pause stops every write; drift is still looked for where that is possible. */
function observe(snapshot: Input, hand: ReconcileScope, site: Site): Outcome {
  const { identity, namespace, spec } = snapshot;
  const { targets, caches } = site;
  const situation = base(snapshot, site);
  const served = snapshot.anotherEngine === undefined && snapshot.fieldErrors.length === 0;
  if (served && isBoundIn(caches, namespace)) targets.open(identity, namespace);
  if (!targets.isOpen(identity)) return { situation, hand, result: { ending: 'done' } };
  const view = targets.view(identity, spec.imagePullSecret);
  if (!view.known)
    return {
      situation: { ...situation, undecided: 'the target namespace is being read' },
      hand,
      result: undecided('caches'),
    };
  return { situation: { ...situation, objects: look(snapshot, view, hand, site) }, hand, result: { ending: 'done' } };
}

/** What can be said of every wanted object without writing. */
function look(snapshot: Input, view: View & { known: true }, hand: ReconcileScope, site: Site): readonly ObjectState[] {
  const all = wanted(snapshot, site);
  const accounts = accountUids(observeSteps(planFor(all, snapshot, view)), snapshot.identity);
  const objects = withServed(
    observeSteps(planFor(withAccountUids(all, accounts, view.stored), snapshot, view)),
    view,
    hand,
  );
  return [...objects, ...observeCertificates(snapshot, view.named, { clock: hand.clock, site })];
}

/** The hand with an engine that carries our finalizer; or the right that is missing for that. */
async function withFinalizer(hand: ReconcileScope): Promise<ReconcileScope | string> {
  const { client, engine, pass, memory } = hand;
  const { name, uid = '', resourceVersion = '', finalizers = [] } = engine.metadata;
  if (finalizers.includes(CLEANUP_FINALIZER)) return hand;
  try {
    const patch = { uid, resourceVersion, finalizers: [...finalizers, CLEANUP_FINALIZER] };
    const options = { fieldManager: ENGINE_FIELD_MANAGER, signal: pass.signal };
    const marked = await client.patchMetadata<typeof engine>(MultiClusterEngines, { name }, patch, options);
    memory.wrote(hand.cachedVersion, marked);
    return { ...hand, engine: marked };
  } catch (error) {
    if (!isFailure(error, 'Forbidden')) throw error;
    const refusal = await classifyForbidden(
      error,
      { type: MultiClusterEngines, name: { name }, verbs: ['patch'] },
      judgeOf(hand),
    );
    if (refusal.kind !== 'denied') throw error;
    return refusal.message;
  }
}

/** Namespace and installer binding; then, when the target namespace can be seen, the accounts; then the rest. */
async function work(snapshot: Input, hand: ReconcileScope, site: Site): Promise<Outcome> {
  const { identity, namespace, spec } = snapshot;
  const all = wanted(snapshot, site);
  const frame = await applySteps(planFor(all.filter(isFrame), snapshot, undefined), hand);
  const situation: StatusInput = {
    ...base(snapshot, site),
    engine: hand.engine,
    terminating: await terminationOf(snapshot, hand),
  };
  if (frame.objects.some(blocksTheRest)) {
    const rest = situation.terminating === undefined ? [] : goingAlong(snapshot, hand, site);
    return finished({ ...situation, objects: [...frame.objects, ...rest], partial: true }, frame, hand);
  }
  site.targets.open(identity, namespace);
  const view = site.targets.view(identity, spec.imagePullSecret);
  if (!view.known) return blind(situation, view, hand);
  const accounts = await applySteps(planFor(all, snapshot, view).filter(isAccount), hand);
  const whole = withAccountUids(all, accountUids(accounts.objects, identity), view.stored);
  const steps = planFor(whole, snapshot, view).filter(
    (step) => !isAccount(step) && (step.desired === undefined || !isFrame(step.desired)),
  );
  const early = (step: Step): boolean =>
    step.desired !== undefined && APPLY_ORDER.indexOf(step.type) < APPLY_ORDER.indexOf(ConfigMaps);
  const before = await applySteps(steps.filter(early), hand);
  const certificates = await bringCertificates(snapshot, view.named, hand, site);
  const after = await applySteps(
    steps.filter((step) => !early(step)),
    hand,
  );
  const missing = view.pullSecret === 'absent' ? `${namespace}/${spec.imagePullSecret}` : undefined;
  const applied = [accounts, before, certificates, after].reduce(merge, frame);
  const objects = withServed(applied.objects, view, hand);
  return finished({ ...situation, objects, missingPullSecret: missing }, applied, hand);
}

/** `objects` with how many replicas each Deployment served with, as it was seen before this pass wrote anything. */
function withServed(
  objects: readonly ObjectState[],
  view: View & { known: true },
  { memory }: ReconcileScope,
): readonly ObjectState[] {
  for (const { type, object } of view.stored) {
    if (type === Deployments && deploymentHealth(object).ready)
      memory.recordReadyReplicas(idOf(type, object.metadata), integerAt(object, 1, 'spec', 'replicas'));
  }
  return objects.map((one) => {
    const served = memory.lastReadyReplicas(idOf(one.type, one.name));
    return served === undefined ? one : { ...one, lastReadyReplicas: served };
  });
}

function wanted(snapshot: Input, site: Site): readonly DesiredObject[] {
  return desiredObjects(snapshot.identity, snapshot.spec, site.templates, site.settings);
}

/** What has to stand before the target namespace can be looked into. */
function isFrame(desired: DesiredObject): boolean {
  return desired.type === Namespaces || desired.type === RoleBindings;
}

/** What the pods run as: its uid has to be known before their Deployment is whole. */
function isAccount(step: Step): boolean {
  return step.desired !== undefined && step.type === ServiceAccounts;
}

function planFor(
  desired: readonly DesiredObject[],
  snapshot: Input,
  view: (View & { known: true }) | undefined,
): readonly Step[] {
  const ids = new Set(desired.map(desiredId));
  const bindings = snapshot.bindings.filter(
    ({ type, object }) => view !== undefined || ids.has(idOf(type, object.metadata)),
  );
  const stored = [...bindings, ...(view?.stored ?? [])];
  return plan({ engine: snapshot.identity, desired, stored, namespace: snapshot.namespaceObject });
}

/** Whether nothing can be done in the namespace before this is: it is not there at all, or it is a stranger's. */
function blocksTheRest(finding: ObjectState): boolean {
  return finding.state === 'foreign' || (finding.state !== 'applied' && finding.object === undefined);
}

/** Why the target namespace cannot be used, with what Kubernetes says keeps it. */
async function terminationOf(snapshot: Input, hand: ReconcileScope): Promise<string | undefined> {
  const cached = snapshot.namespaceObject;
  if (cached === undefined || !isTerminating(cached)) return undefined;
  const name = cached.metadata.name;
  const fresh = await hand.client.get<KubeObject>(Namespaces, { name }, { signal: hand.pass.signal });
  const why = fresh === undefined ? '' : namespaceBlockers(fresh);
  return `${titleOf(Namespaces, { name })} is being deleted${why}; it is made anew when it is gone`;
}

/**
 * What is left in a namespace that is being deleted when the installer binding has gone before the rest: nothing can be
 * written there any more, and what cannot be seen any more is not claimed.
 */
function goingAlong(snapshot: Input, hand: ReconcileScope, site: Site): readonly ObjectState[] {
  const { identity, spec } = snapshot;
  const view = site.targets.isOpen(identity) ? site.targets.view(identity, spec.imagePullSecret) : undefined;
  const seen = view?.known === true ? view : ({ known: true, stored: [], named: [], pullSecret: 'unknown' } as const);
  const rest = look(snapshot, seen, hand, site).filter(({ type }) => type !== Namespaces && type !== RoleBindings);
  return rest.map((one) => (one.state === 'missing' || one.state === 'drifted' ? { ...one, state: 'waiting' } : one));
}

/** Nothing of the namespace is decided on while a part of it cannot be seen. */
async function blind(situation: StatusInput, view: View & { known: false }, hand: ReconcileScope): Promise<Outcome> {
  const { type, failure } = view;
  const namespace = situation.targetNamespace;
  if (isFailure(failure, 'Forbidden') && situation.terminating === undefined) {
    const attempted = { type, name: { namespace, name: '' }, verbs: ['list', 'watch'] };
    const refusal = await classifyForbidden(failure, attempted, judgeOf(hand));
    if (refusal.kind === 'denied') {
      return {
        situation: { ...situation, denied: refusal.message },
        hand,
        result: stalled('PermissionDenied', LOOK_AGAIN.right),
      };
    }
  }
  const message = `the ${type.plural} of namespace ${namespace} are being read`;
  return { situation: { ...situation, undecided: message }, hand, result: undecided(type.plural) };
}

/** The ending of a pass that came to its end: the gravest finding names it, the most urgent one says when to look again. */
function finished(situation: StatusInput, applied: Applied, hand: ReconcileScope): Outcome {
  const objects = situation.objects ?? [];
  const states = new Set(objects.filter((one) => !waitsForAccount(one, objects)).map((one) => one.state));
  const failed = objects.filter((one) => one.state === 'failed');
  const due = [
    applied.repairInMs,
    states.has('denied') ? LOOK_AGAIN.right : undefined,
    states.has('foreign') ? LOOK_AGAIN.foreign : undefined,
    states.has('waiting') && applied.repairInMs === undefined ? LOOK_AGAIN.waiting : undefined,
    situation.terminating === undefined ? undefined : LOOK_AGAIN.terminating,
    ...failed.map((one) => hand.memory.retryDelayMs(idOf(one.type, one.name), hand.clock.monotonic())),
  ].filter((ms) => ms !== undefined);
  const outcome = { situation, hand, notes: applied.notes };
  if (due.length === 0)
    return {
      ...outcome,
      result: { ending: 'done', ...(applied.wakeInMs === undefined ? {} : { requeueAfterMs: applied.wakeInMs }) },
    };
  const afterMs = Math.min(...due);
  const grave = states.has('denied') ? 'PermissionDenied' : states.has('foreign') ? 'ForeignObject' : undefined;
  return {
    ...outcome,
    result:
      grave === undefined ? { ending: 'wait', reason: 'not everything is applied', afterMs } : stalled(grave, afterMs),
  };
}

/** Looked at again when its account is, and no earlier. */
function waitsForAccount({ type, state, component }: ObjectState, objects: readonly ObjectState[]): boolean {
  if (type !== Deployments || state !== 'waiting') return false;
  return objects.some((one) => one.type === ServiceAccounts && one.component === component && one.state !== 'applied');
}

function stalled(reason: string, afterMs?: number): Result {
  return { ending: 'stalled', reason, ...(afterMs === undefined ? {} : { afterMs }) };
}

function undecided(reason: string): Result {
  return { ending: 'wait', reason: `not read yet: ${reason}`, afterMs: LOOK_AGAIN.undecided };
}
