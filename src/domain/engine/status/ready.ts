import type { EngineReason } from '../../../api/enginereasons.js';
import { PAUSED_ANNOTATION } from '../../../api/names.js';
import { componentRow } from './components.js';
import { healthOf, nameAll, type Finding, type FindingState, type Situation } from './input.js';
import { faultText } from '../specfaults.js';

/** What is to be said of Ready. */
export interface Verdict {
  readonly ready: boolean;
  readonly reason: EngineReason;
  readonly message: string;
  /** Only the user can act. */
  readonly stalled?: true;
}

type Rule = (situation: Situation) => Verdict | undefined;

/** Read aloud: the first that applies is Ready's reason. Blockers come first, then what is going on. */
const RULES: readonly Rule[] = [
  heldUninstall, // deleting, but paused
  uninstallDenied, // deleting, but a right is missing
  uninstalling, // deleting
  paused, // every write but status is held back
  anotherEngine, // an older one is served
  invalidSpec, // cannot be served
  namespaceTerminating, // wait for it to be gone
  permissionDenied, // a right is missing
  foreignObject, // a name is taken
  applyFailed, // a write was refused
  pullSecretMissing, // images may not be pulled
  undecided, // nothing is known yet
  waiting, // something of ours has to go first
  stuck, // a rollout ran into its deadline
  updating, // to the operator's version
  installing, // for the first time
  rollingOut, // to a new spec
  unavailable, // rolled out, and yet not there
];

export function readyVerdict(situation: Situation): Verdict {
  for (const rule of RULES) {
    const verdict = rule(situation);
    if (verdict !== undefined) return verdict;
  }
  return { ready: true, reason: 'EngineReady', message: 'every component is applied and available' };
}

/** What the operator is doing by itself; undefined where it rests or is held up by somebody. */
export function motionOf(situation: Situation, verdict: Verdict): EngineReason | undefined {
  if (verdict.ready || verdict.stalled === true || situation.paused) return undefined;
  if (situation.uninstall !== undefined) return 'Uninstalling';
  if (verdict.reason === 'NamespaceTerminating' || some(situation, 'failed') || some(situation, 'waiting'))
    return 'Retrying';
  const still = verdict.reason === 'ComponentsUnavailable';
  if (still || (verdict.reason === 'PullSecretNotFound' && !isMoving(situation))) return undefined;
  return goingOn(situation);
}

/** Updating, Installing or RollingOut: the words for a way that is not yet gone to its end. */
function goingOn(situation: Situation): EngineReason {
  const current = situation.engine.status?.currentVersion;
  if (current === undefined) return 'Installing';
  return current === situation.version ? 'RollingOut' : 'Updating';
}

function isMoving(situation: Situation): boolean {
  return findings(situation).some((one) => healthOf(one)?.rollout === 'rolling');
}

function heldUninstall(situation: Situation): Verdict | undefined {
  if (situation.uninstall === undefined || !situation.paused) return undefined;
  return no('Paused', `annotation ${PAUSED_ANNOTATION} holds the uninstall back; ${situation.uninstall.message}`);
}

function uninstallDenied(situation: Situation): Verdict | undefined {
  const denied = situation.uninstall?.denied;
  return denied === undefined ? undefined : { ...no('PermissionDenied', `uninstalling: ${denied}`), stalled: true };
}

function uninstalling(situation: Situation): Verdict | undefined {
  return situation.uninstall === undefined ? undefined : no('Uninstalling', situation.uninstall.message);
}

function paused(situation: Situation): Verdict | undefined {
  if (!situation.paused) return undefined;
  const stopped = `annotation ${PAUSED_ANNOTATION} stops every write but status`;
  if (situation.findings === undefined) return no('Paused', stopped);
  const held = situation.findings.filter((one) => one.state !== 'applied');
  const what = held.length === 0 ? 'nothing is held back now' : `held back: ${nameAll(held, (one) => one.message)}`;
  return no('Paused', `${stopped}; ${what}`);
}

function anotherEngine(situation: Situation): Verdict | undefined {
  if (situation.rival === undefined) return undefined;
  const message = `MultiClusterEngine ${situation.rival} is older and is served; one hub has one engine, delete one of them`;
  return { ...no('AnotherEngineExists', message), stalled: true };
}

function invalidSpec(situation: Situation): Verdict | undefined {
  const faults = situation.faults ?? [];
  if (faults.length === 0) return undefined;
  return { ...no('InvalidSpec', faults.map(faultText).join('; ')), stalled: true };
}

function namespaceTerminating(situation: Situation): Verdict | undefined {
  return situation.terminating === undefined ? undefined : no('NamespaceTerminating', situation.terminating);
}

function permissionDenied(situation: Situation): Verdict | undefined {
  const denied = findings(situation).filter((one) => one.state === 'denied');
  if (situation.denied === undefined && denied.length === 0) return undefined;
  const message = situation.denied ?? nameAll(denied, (one) => one.message);
  return { ...no('PermissionDenied', message), stalled: true };
}

function foreignObject(situation: Situation): Verdict | undefined {
  const verdict = each(situation, 'foreign', 'ForeignObject');
  return verdict && { ...verdict, stalled: true };
}

function applyFailed(situation: Situation): Verdict | undefined {
  return each(situation, 'failed', 'ApplyFailed');
}

function pullSecretMissing(situation: Situation): Verdict | undefined {
  const { missingPullSecret: secret } = situation;
  if (secret === undefined) return undefined;
  return no(
    'PullSecretNotFound',
    `Secret ${secret}, named by spec.imagePullSecret, does not exist; the operator never copies it there`,
  );
}

function undecided(situation: Situation): Verdict | undefined {
  if (situation.findings !== undefined) return undefined;
  return no(goingOn(situation), situation.undecided ?? 'nothing has been looked at yet');
}

function waiting(situation: Situation): Verdict | undefined {
  return each(situation, 'waiting', goingOn(situation));
}

function stuck(situation: Situation): Verdict | undefined {
  const found = findings(situation).filter((one) => healthOf(one)?.rollout === 'stuck');
  return found.length === 0 ? undefined : no('ComponentsUnavailable', unreadyText(found));
}

function updating(situation: Situation): Verdict | undefined {
  return onTheWay(situation, 'Updating');
}

function installing(situation: Situation): Verdict | undefined {
  return onTheWay(situation, 'Installing');
}

function rollingOut(situation: Situation): Verdict | undefined {
  return isMoving(situation) ? onTheWay(situation, 'RollingOut') : undefined;
}

function unavailable(situation: Situation): Verdict | undefined {
  const found = unready(situation);
  return found.length === 0 ? undefined : no('ComponentsUnavailable', unreadyText(found));
}

function onTheWay(situation: Situation, reason: EngineReason): Verdict | undefined {
  const found = unready(situation);
  return found.length > 0 && goingOn(situation) === reason ? no(reason, unreadyText(found)) : undefined;
}

/** What keeps the engine from being ready: not applied, or a Deployment that fails the strict rule. */
function unready(situation: Situation): readonly Finding[] {
  return findings(situation).filter((one) => one.state !== 'applied' || healthOf(one)?.ready === false);
}

function unreadyText(found: readonly Finding[]): string {
  return nameAll(found, (one) => componentRow(one).message);
}

function each(situation: Situation, state: FindingState, reason: EngineReason): Verdict | undefined {
  const found = findings(situation).filter((one) => one.state === state);
  return found.length === 0
    ? undefined
    : no(
        reason,
        nameAll(found, (one) => one.message),
      );
}

function some(situation: Situation, state: FindingState): boolean {
  return findings(situation).some((one) => one.state === state);
}

function findings(situation: Situation): readonly Finding[] {
  return situation.findings ?? [];
}

function no(reason: EngineReason, message: string): Verdict {
  return { ready: false, reason, message };
}
