import type { EngineReason } from '../../../api/enginereasons.js';
import { PAUSED_ANNOTATION } from '../../../api/names.js';
import { componentRow, healthOf, isAsDesired } from './components.js';
import { describeEach, type ObjectState, type ObjectStateName, type StatusInput } from './input.js';
import { fieldErrorText } from '../fielderror.js';
import { POLICIES_OFF } from '../networkpolicies.js';
import { limitingText, policiesCommand, protectingText } from '../policies.js';

/** The Ready condition, before it is written. */
export interface ReadyCondition {
  readonly ready: boolean;
  readonly reason: EngineReason;
  readonly message: string;
  /** Only the user can act. */
  readonly stalled?: true;
}

/** Nothing moves until the user makes or mends a Secret, a ConfigMap or the policies. The operator goes on at once then, so it is not stalled. */
const WAIT_FOR_USER: readonly EngineReason[] = [
  'PullSecretNotFound',
  'PullSecretUnusable',
  'CertificateUnusable',
  'TrustBundleUnusable',
  'PoliciesMissing',
];

type Rule = (input: StatusInput) => ReadyCondition | undefined;

/** The first rule that applies gives the condition: blockers first, then progress. */
const RULES: readonly Rule[] = [
  uninstallPaused, // deleting and paused
  uninstallDenied, // deleting, and a right is missing
  uninstalling, // deleting
  paused, // status is the only write
  anotherEngine, // an older one is served
  invalidSpec, // the spec has field errors
  namespaceTerminating, // nothing can be created in it
  permissionDenied, // a right is missing
  foreignObject, // an object of that name belongs to somebody else
  applyFailed, // a write was refused
  pullSecretMissing, // images cannot be pulled
  pullSecretUnusable, // nor with a Secret of another type
  certificateUnusable, // no component can start with it
  trustBundleUnusable, // the components keep what they trust
  undecided, // caches have not synced
  waiting, // another object has to be applied or deleted first
  progressDeadlineExceeded, // a rollout has exceeded its deadline
  progressing, // an update, an installation or a rollout of a new spec
  unavailable, // rolled out, and replicas are missing
  policiesMissing, // it runs, with more rights than intended
];

export function readyCondition(input: StatusInput): ReadyCondition {
  for (const rule of RULES) {
    const condition = rule(input);
    if (condition !== undefined) return condition;
  }
  const off = objectsOf(input).filter((one) => one.state === 'off');
  const notes = [
    ...off.map((one) => `${one.component} is off: ${one.message}`),
    ...(input.networkPolicies?.enabled === false ? [`NetworkPolicies are off: ${POLICIES_OFF}`] : []),
    ...admissionNotes(input),
  ];
  const message = ['every component is applied and available', ...notes].join('; ');
  return { ready: true, reason: 'EngineReady', message };
}

/** The reason of Reconciling; undefined when the operator has nothing to do or needs the user. */
export function reconcilingReason(input: StatusInput, condition: ReadyCondition): EngineReason | undefined {
  if (condition.ready || condition.stalled === true || input.paused) return undefined;
  if (input.uninstall !== undefined) return 'Uninstalling';
  if (condition.reason === 'NamespaceTerminating' || hasObjectIn(input, 'failed') || hasObjectIn(input, 'waiting'))
    return 'Retrying';
  const isIdle = condition.reason === 'ComponentsUnavailable';
  if (isIdle || (WAIT_FOR_USER.includes(condition.reason) && !isRollingOut(input))) return undefined;
  return progressReason(input);
}

/** The reason while the components are not ready: Updating, Installing or RollingOut. */
function progressReason(input: StatusInput): EngineReason {
  const current = input.engine.status?.currentVersion;
  if (current === undefined) return 'Installing';
  return current === input.version ? 'RollingOut' : 'Updating';
}

function isRollingOut(input: StatusInput): boolean {
  return objectsOf(input).some((one) => healthOf(one)?.rollout === 'progressing');
}

function uninstallPaused(input: StatusInput): ReadyCondition | undefined {
  if (input.uninstall === undefined || !input.paused) return undefined;
  return notReady('Paused', `annotation ${PAUSED_ANNOTATION} suspends the uninstallation; ${input.uninstall.message}`);
}

function uninstallDenied(input: StatusInput): ReadyCondition | undefined {
  const denied = input.uninstall?.denied;
  return denied === undefined ? undefined : stalled('PermissionDenied', `uninstalling: ${denied}`);
}

function uninstalling(input: StatusInput): ReadyCondition | undefined {
  return input.uninstall === undefined ? undefined : notReady('Uninstalling', input.uninstall.message);
}

function paused(input: StatusInput): ReadyCondition | undefined {
  if (!input.paused) return undefined;
  const stopped = `annotation ${PAUSED_ANNOTATION} stops every write except that of status`;
  if (input.objects === undefined) return notReady('Paused', stopped);
  const unusable = input.objects.filter((one) => one.state === 'unusable');
  const pending = input.objects.filter((one) => !isAsDesired(one) && one.state !== 'unusable');
  const what = pending.length === 0 ? 'nothing is pending' : `pending: ${messagesOf(pending)}`;
  const problem = unusable.length === 0 ? '' : `; ${messagesOf(unusable)}`;
  return notReady('Paused', `${stopped}; ${what}${problem}`);
}

function anotherEngine(input: StatusInput): ReadyCondition | undefined {
  if (input.anotherEngine === undefined) return undefined;
  const message = `MultiClusterEngine ${input.anotherEngine} is older and is served; one hub has one engine, delete one of them`;
  return stalled('AnotherEngineExists', message);
}

function invalidSpec(input: StatusInput): ReadyCondition | undefined {
  const fieldErrors = input.fieldErrors ?? [];
  if (fieldErrors.length === 0) return undefined;
  return stalled('InvalidSpec', fieldErrors.map(fieldErrorText).join('; '));
}

function namespaceTerminating(input: StatusInput): ReadyCondition | undefined {
  return input.terminating === undefined ? undefined : notReady('NamespaceTerminating', input.terminating);
}

function permissionDenied(input: StatusInput): ReadyCondition | undefined {
  const denied = objectsOf(input).filter((one) => one.state === 'denied');
  if (input.denied === undefined && denied.length === 0) return undefined;
  return stalled('PermissionDenied', input.denied ?? messagesOf(denied));
}

function foreignObject(input: StatusInput): ReadyCondition | undefined {
  const condition = notReadyIn(input, 'foreign', 'ForeignObject');
  return condition && { ...condition, stalled: true };
}

function applyFailed(input: StatusInput): ReadyCondition | undefined {
  return notReadyIn(input, 'failed', 'ApplyFailed');
}

function pullSecretMissing(input: StatusInput): ReadyCondition | undefined {
  if (input.missingPullSecret === undefined) return undefined;
  const what = `Secret ${input.missingPullSecret}, named by spec.imagePullSecret, does not exist`;
  return notReady('PullSecretNotFound', `${what}; the operator never copies it there`);
}

function pullSecretUnusable(input: StatusInput): ReadyCondition | undefined {
  if (input.unusablePullSecret === undefined) return undefined;
  const what = `Secret ${input.unusablePullSecret}, named by spec.imagePullSecret, is not of type`;
  return notReady('PullSecretUnusable', `${what} kubernetes.io/dockerconfigjson; no image is pulled with it`);
}

function certificateUnusable(input: StatusInput): ReadyCondition | undefined {
  return notReadyIn(input, 'unusable', 'CertificateUnusable');
}

function trustBundleUnusable({ unusableTrustBundle: problem }: StatusInput): ReadyCondition | undefined {
  if (problem === undefined) return undefined;
  return notReady('TrustBundleUnusable', `${problem}; running components keep what they trust`);
}

function undecided(input: StatusInput): ReadyCondition | undefined {
  if (input.objects !== undefined) return undefined;
  return notReady(progressReason(input), input.undecided ?? 'no object has been read yet');
}

function waiting(input: StatusInput): ReadyCondition | undefined {
  return notReadyIn(input, 'waiting', progressReason(input));
}

function progressDeadlineExceeded(input: StatusInput): ReadyCondition | undefined {
  const found = objectsOf(input).filter((one) => healthOf(one)?.rollout === 'deadlineExceeded');
  return notReadyObjects('ComponentsUnavailable', found, input);
}

function progressing(input: StatusInput): ReadyCondition | undefined {
  const reason = progressReason(input);
  if (reason === 'RollingOut' && !isRollingOut(input)) return undefined;
  return notReadyObjects(reason, unready(input), input);
}

function unavailable(input: StatusInput): ReadyCondition | undefined {
  return notReadyObjects('ComponentsUnavailable', unready(input), input);
}

function policiesMissing({ policies }: StatusInput): ReadyCondition | undefined {
  if (policies?.kind !== 'Known' || policies.limiting.length === 0) return undefined;
  const command = policiesCommand([...policies.limiting, ...policies.protecting]);
  return notReady('PoliciesMissing', `${limitingText(policies.limiting)}: ${command}`);
}

/** What does not keep the engine from being ready: policies may be left out that limit nobody. */
function admissionNotes({ policies }: StatusInput): readonly string[] {
  if (policies === undefined) return [];
  if (policies.kind === 'Unknown')
    return [`whether the admission policies are in force is not known; not readable: ${policies.resource}`];
  const { protecting } = policies;
  return protecting.length === 0 ? [] : [`${protectingText(protecting)}: ${policiesCommand(protecting)}`];
}

/** The objects that keep the engine from being ready: not applied, or Deployments that are not ready. */
function unready(input: StatusInput): readonly ObjectState[] {
  return objectsOf(input).filter((one) => !isAsDesired(one) || healthOf(one)?.ready === false);
}

function notReadyObjects(
  reason: EngineReason,
  found: readonly ObjectState[],
  input: StatusInput,
): ReadyCondition | undefined {
  if (found.length === 0) return undefined;
  return notReady(reason, describeEach(found, (one) => componentRow(one).message) + portsNote(found, input));
}

/** Components that do not serve may be cut off the API server: by the ports that the spec names, where it names some. */
function portsNote(found: readonly ObjectState[], { networkPolicies }: StatusInput): string {
  const ports = networkPolicies?.enabled === true ? networkPolicies.apiServerPorts : undefined;
  if (ports === undefined || found.every((one) => healthOf(one)?.serving !== false)) return '';
  const plural = ports.length === 1 ? 'port' : 'ports';
  return `; NetworkPolicies allow the API server at ${plural} ${ports.join(', ')} alone (spec.networkPolicies.apiServerPorts)`;
}

function notReadyIn(input: StatusInput, state: ObjectStateName, reason: EngineReason): ReadyCondition | undefined {
  const found = objectsOf(input).filter((one) => one.state === state);
  if (found.length === 0) return undefined;
  return notReady(reason, messagesOf(found));
}

function messagesOf(objects: readonly ObjectState[]): string {
  return describeEach(objects, (one) => one.message);
}

function hasObjectIn(input: StatusInput, state: ObjectStateName): boolean {
  return objectsOf(input).some((one) => one.state === state);
}

function objectsOf(input: StatusInput): readonly ObjectState[] {
  return input.objects ?? [];
}

function notReady(reason: EngineReason, message: string): ReadyCondition {
  return { ready: false, reason, message };
}

function stalled(reason: EngineReason, message: string): ReadyCondition {
  return { ...notReady(reason, message), stalled: true };
}
