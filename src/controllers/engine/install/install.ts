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
import { liveAccounts, withAccounts } from '../../../domain/engine/plan/accounts.js';
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
import type { Finding, Situation } from '../../../domain/engine/status/input.js';
import { isFailure } from '../../../runtime/errors.js';
import type { Result } from '../../../runtime/result.js';
import { applyPlan, observePlan, together, type Applied, type Hand } from '../objects/applysteps.js';
import { isBoundIn, type EngineCaches } from '../caches.js';
import { bringCertificates, observeCertificates, type IssueCertificate } from './certificates.js';
import { judgeForbidden } from '../objects/forbidden.js';
import type { Snapshot } from '../gather.js';
import { namespaceBlockers } from '../uninstall/namespace.js';
import { judgeOf } from '../uninstall/progress.js';
import type { Outcome } from '../report.js';
import type { Targets, View } from '../targetcaches.js';

/** What every pass is made with. */
export interface Site {
  readonly caches: EngineCaches;
  readonly targets: Targets;
  readonly templates: Templates;
  readonly settings: EngineSettings;
  readonly issueCertificate: IssueCertificate;
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
export async function install(snapshot: Snapshot, hand: Hand, site: Site): Promise<Outcome> {
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

function base(snapshot: Snapshot, site: Site): Situation {
  const { engine, namespace, paused } = snapshot;
  return { engine, version: site.settings.version, targetNamespace: namespace, paused };
}

/** Why this engine is not served at all. */
function refusal(snapshot: Snapshot, site: Site): Pick<Situation, 'rival' | 'faults'> | undefined {
  const { rival, faults, identity } = snapshot;
  if (rival === undefined && faults.length === 0) return undefined;
  site.targets.close(identity.name);
  return rival === undefined ? { faults } : { rival };
}

/** The pause stops every write; drift is still looked for where that is possible. */
function observe(snapshot: Snapshot, hand: Hand, site: Site): Outcome {
  const { identity, namespace, spec } = snapshot;
  const { targets, caches } = site;
  const situation = base(snapshot, site);
  const served = snapshot.rival === undefined && snapshot.faults.length === 0;
  if (served && isBoundIn(caches, namespace)) targets.open(identity, namespace);
  if (!targets.isOpen(identity)) return { situation, hand, result: { ending: 'done' } };
  const view = targets.view(identity, spec.imagePullSecret);
  if (!view.known)
    return {
      situation: { ...situation, undecided: 'the target namespace is being read' },
      hand,
      result: undecided('caches'),
    };
  return { situation: { ...situation, findings: look(snapshot, view, hand, site) }, hand, result: { ending: 'done' } };
}

/** What can be said of every wanted object without writing. */
function look(snapshot: Snapshot, view: View & { known: true }, hand: Hand, site: Site): readonly Finding[] {
  const all = wanted(snapshot, site);
  const accounts = liveAccounts(observePlan(planFor(all, snapshot, view)), snapshot.identity);
  const findings = withServed(
    observePlan(planFor(withAccounts(all, accounts, view.stored), snapshot, view)),
    view,
    hand,
  );
  return [...findings, ...observeCertificates(snapshot, view.named, { clock: hand.clock, site })];
}

/** The hand with an engine that carries our finalizer; or the right that is missing for that. */
async function withFinalizer(hand: Hand): Promise<Hand | string> {
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
    const judgement = await judgeForbidden(
      error,
      { type: MultiClusterEngines, name: { name }, verbs: ['patch'] },
      judgeOf(hand),
    );
    if (judgement.kind !== 'denied') throw error;
    return judgement.message;
  }
}

/** Namespace and installer binding; then, when the target namespace can be seen, the accounts; then the rest. */
async function work(snapshot: Snapshot, hand: Hand, site: Site): Promise<Outcome> {
  const { identity, namespace, spec } = snapshot;
  const all = wanted(snapshot, site);
  const frame = await applyPlan(planFor(all.filter(isFrame), snapshot, undefined), hand);
  const situation: Situation = {
    ...base(snapshot, site),
    engine: hand.engine,
    terminating: await terminationOf(snapshot, hand),
  };
  if (frame.findings.some(blocksTheRest)) {
    const rest = situation.terminating === undefined ? [] : goingAlong(snapshot, hand, site);
    return finished({ ...situation, findings: [...frame.findings, ...rest], partial: true }, frame, hand);
  }
  site.targets.open(identity, namespace);
  const view = site.targets.view(identity, spec.imagePullSecret);
  if (!view.known) return blind(situation, view, hand);
  const accounts = await applyPlan(planFor(all, snapshot, view).filter(isAccount), hand);
  const whole = withAccounts(all, liveAccounts(accounts.findings, identity), view.stored);
  const steps = planFor(whole, snapshot, view).filter(
    (step) => !isAccount(step) && (step.desired === undefined || !isFrame(step.desired)),
  );
  const early = (step: Step): boolean =>
    step.desired !== undefined && APPLY_ORDER.indexOf(step.type) < APPLY_ORDER.indexOf(ConfigMaps);
  const before = await applyPlan(steps.filter(early), hand);
  const certificates = await bringCertificates(snapshot, view.named, hand, site);
  const after = await applyPlan(
    steps.filter((step) => !early(step)),
    hand,
  );
  const missing = view.pullSecret === 'absent' ? `${namespace}/${spec.imagePullSecret}` : undefined;
  const applied = [accounts, before, certificates, after].reduce(together, frame);
  const findings = withServed(applied.findings, view, hand);
  return finished({ ...situation, findings, missingPullSecret: missing }, applied, hand);
}

/** `findings` with how many replicas each Deployment served with, as it was seen before this pass wrote anything. */
function withServed(findings: readonly Finding[], view: View & { known: true }, { memory }: Hand): readonly Finding[] {
  for (const { type, object } of view.stored) {
    if (type === Deployments && deploymentHealth(object).ready)
      memory.serves(idOf(type, object.metadata), integerAt(object, 1, 'spec', 'replicas'));
  }
  return findings.map((one) => {
    const served = memory.served(idOf(one.type, one.name));
    return served === undefined ? one : { ...one, served };
  });
}

function wanted(snapshot: Snapshot, site: Site): readonly DesiredObject[] {
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
  snapshot: Snapshot,
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
function blocksTheRest(finding: Finding): boolean {
  return finding.state === 'foreign' || (finding.state !== 'applied' && finding.object === undefined);
}

/** Why the target namespace cannot be used, with what Kubernetes says keeps it. */
async function terminationOf(snapshot: Snapshot, hand: Hand): Promise<string | undefined> {
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
function goingAlong(snapshot: Snapshot, hand: Hand, site: Site): readonly Finding[] {
  const { identity, spec } = snapshot;
  const view = site.targets.isOpen(identity) ? site.targets.view(identity, spec.imagePullSecret) : undefined;
  const seen = view?.known === true ? view : ({ known: true, stored: [], named: [], pullSecret: 'unknown' } as const);
  const rest = look(snapshot, seen, hand, site).filter(({ type }) => type !== Namespaces && type !== RoleBindings);
  return rest.map((one) => (one.state === 'missing' || one.state === 'drifted' ? { ...one, state: 'waiting' } : one));
}

/** Nothing of the namespace is decided on while a part of it cannot be seen. */
async function blind(situation: Situation, view: View & { known: false }, hand: Hand): Promise<Outcome> {
  const { type, failure } = view;
  const namespace = situation.targetNamespace;
  if (isFailure(failure, 'Forbidden') && situation.terminating === undefined) {
    const attempted = { type, name: { namespace, name: '' }, verbs: ['list', 'watch'] };
    const judgement = await judgeForbidden(failure, attempted, judgeOf(hand));
    if (judgement.kind === 'denied') {
      return {
        situation: { ...situation, denied: judgement.message },
        hand,
        result: stalled('PermissionDenied', LOOK_AGAIN.right),
      };
    }
  }
  const message = `the ${type.plural} of namespace ${namespace} are being read`;
  return { situation: { ...situation, undecided: message }, hand, result: undecided(type.plural) };
}

/** The ending of a pass that came to its end: the gravest finding names it, the most urgent one says when to look again. */
function finished(situation: Situation, applied: Applied, hand: Hand): Outcome {
  const findings = situation.findings ?? [];
  const states = new Set(findings.filter((one) => !waitsForAccount(one, findings)).map((one) => one.state));
  const failed = findings.filter((one) => one.state === 'failed');
  const due = [
    applied.repairInMs,
    states.has('denied') ? LOOK_AGAIN.right : undefined,
    states.has('foreign') ? LOOK_AGAIN.foreign : undefined,
    states.has('waiting') && applied.repairInMs === undefined ? LOOK_AGAIN.waiting : undefined,
    situation.terminating === undefined ? undefined : LOOK_AGAIN.terminating,
    ...failed.map((one) => hand.memory.retryIn(idOf(one.type, one.name), hand.clock.monotonic())),
  ].filter((ms) => ms !== undefined);
  const outcome = { situation, hand, notes: applied.notes };
  if (due.length === 0)
    return {
      ...outcome,
      result: { ending: 'done', ...(applied.wakeInMs === undefined ? {} : { wakeAfterMs: applied.wakeInMs }) },
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
function waitsForAccount({ type, state, component }: Finding, findings: readonly Finding[]): boolean {
  if (type !== Deployments || state !== 'waiting') return false;
  return findings.some((one) => one.type === ServiceAccounts && one.component === component && one.state !== 'applied');
}

function stalled(reason: string, afterMs?: number): Result {
  return { ending: 'stalled', reason, ...(afterMs === undefined ? {} : { afterMs }) };
}

function undecided(reason: string): Result {
  return { ending: 'wait', reason: `not read yet: ${reason}`, afterMs: LOOK_AGAIN.undecided };
}
