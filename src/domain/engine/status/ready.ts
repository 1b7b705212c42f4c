import type { EngineReason } from '../../../api/enginereasons.js';
import { PAUSED_ANNOTATION } from '../../../api/names.js';
import { componentRow, healthOf, isAsDesired } from './components.js';
import { describeEach, type ObjectState, type ObjectStateName, type StatusInput } from './input.js';
import { problemText } from '../../conditions.js';
import { POLICIES_OFF } from '../spec.js';
import { limitingText, policiesCommand, protectingText } from '../policies.js';

/** The Ready condition, before it is written. */
export interface ReadyCondition {
  readonly ready: boolean;
  readonly reason: EngineReason;
  readonly message: string;
  /** Only the user can act. */
  readonly stalled?: true;
}

/**
 * Nothing moves until the user makes or mends a Secret, a ConfigMap or the policies, of which an event of the same name tells. The
 * operator goes on at once then, so it is not stalled.
 */
export const WAIT_FOR_USER = [
  'PullSecretNotFound',
  'PullSecretUnusable',
  'CertificateUnusable',
  'TrustBundleUnusable',
  'PoliciesMissing',
] as const satisfies readonly EngineReason[];

type Rule = (input: StatusInput) => ReadyCondition | undefined | false;

/** The first rule that applies gives the condition: blockers first, then progress. */
const RULES: readonly Rule[] = [
  ({ uninstall, paused }) =>
    uninstall &&
    paused &&
    notReady('Paused', `annotation ${PAUSED_ANNOTATION} suspends the uninstallation; ${uninstall.message}`),
  ({ uninstall }) =>
    uninstall?.denied !== undefined && stalled('PermissionDenied', `uninstalling: ${uninstall.denied}`),
  ({ uninstall }) => uninstall && notReady('Uninstalling', uninstall.message),
  (input) => input.paused && notReady('Paused', pauseText(input)),
  ({ anotherEngine: other }) =>
    other !== undefined &&
    stalled(
      'AnotherEngineExists',
      `MultiClusterEngine ${other} is older and is served; one hub has one engine, delete one of them`,
    ),
  ({ fieldErrors = [] }) => fieldErrors.length > 0 && stalled('InvalidSpec', fieldErrors.map(problemText).join('; ')),
  // Nothing can be created in the namespace.
  ({ terminating }) => terminating !== undefined && notReady('NamespaceTerminating', terminating),
  ({ denied }) => denied !== undefined && stalled('PermissionDenied', denied),
  (input) => stalledBy(notReadyIn(input, 'denied', 'PermissionDenied')),
  (input) => stalledBy(notReadyIn(input, 'foreign', 'ForeignObject')),
  (input) => notReadyIn(input, 'failed', 'ApplyFailed'),
  ({ pullSecret }) => pullSecret && pullSecretProblem(pullSecret),
  // No component can start with it.
  (input) => notReadyIn(input, 'unusable', 'CertificateUnusable'),
  ({ unusableTrustBundle: problem }) =>
    problem !== undefined && notReady('TrustBundleUnusable', `${problem}; running components keep what they trust`),
  // Caches have not synced.
  (input) =>
    input.objects === undefined && notReady(progressReason(input), input.undecided ?? 'no object has been read yet'),
  (input) => notReadyIn(input, 'waiting', progressReason(input)),
  (input) => notReadyObjects('ComponentsUnavailable', input, (one) => healthOf(one)?.rollout === 'deadlineExceeded'),
  // An update, an installation or a rollout of a new spec; else what was rolled out lacks replicas.
  (input) => {
    const reason = progressReason(input);
    const isIdle = reason === 'RollingOut' && !isRollingOut(input);
    return notReadyObjects(isIdle ? 'ComponentsUnavailable' : reason, input, isUnready);
  },
  // It runs, with more rights than intended.
  ({ policies }) =>
    policies?.kind === 'Known' &&
    policies.limiting.length > 0 &&
    notReady(
      'PoliciesMissing',
      `${limitingText(policies.limiting)}: ${policiesCommand([...policies.limiting, ...policies.protecting])}`,
    ),
];

export function readyCondition(input: StatusInput): ReadyCondition {
  for (const rule of RULES) {
    const condition = rule(input);
    if (condition) return condition;
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
  const isForUser = WAIT_FOR_USER.some((reason) => reason === condition.reason);
  if (isIdle || (isForUser && !isRollingOut(input))) return undefined;
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

function pullSecretProblem({ kind, name }: NonNullable<StatusInput['pullSecret']>): ReadyCondition {
  const secret = `Secret ${name}, named by spec.imagePullSecret,`;
  return kind === 'missing'
    ? notReady('PullSecretNotFound', `${secret} does not exist; the operator never copies it there`)
    : notReady(
        'PullSecretUnusable',
        `${secret} is not of type kubernetes.io/dockerconfigjson; no image is pulled with it`,
      );
}

function pauseText({ objects }: StatusInput): string {
  const stopped = `annotation ${PAUSED_ANNOTATION} stops every write except that of status`;
  if (objects === undefined) return stopped;
  const unusable = objects.filter((one) => one.state === 'unusable');
  const pending = objects.filter((one) => !isAsDesired(one) && one.state !== 'unusable');
  const what = pending.length === 0 ? 'nothing is pending' : `pending: ${messagesOf(pending)}`;
  const problem = unusable.length === 0 ? '' : `; ${messagesOf(unusable)}`;
  return `${stopped}; ${what}${problem}`;
}

/** What does not keep the engine from being ready: policies may be left out that limit nobody. */
function admissionNotes({ policies }: StatusInput): readonly string[] {
  if (policies === undefined) return [];
  if (policies.kind === 'Unknown')
    return [`whether the admission policies are in force is not known; not readable: ${policies.resource}`];
  const { protecting } = policies;
  return protecting.length === 0 ? [] : [`${protectingText(protecting)}: ${policiesCommand(protecting)}`];
}

/** Whether an object keeps the engine from being ready: not applied, or a Deployment that is not ready. */
function isUnready(one: ObjectState): boolean {
  return !isAsDesired(one) || healthOf(one)?.ready === false;
}

function notReadyObjects(
  reason: EngineReason,
  input: StatusInput,
  isMeant: (one: ObjectState) => boolean,
): ReadyCondition | undefined {
  const found = objectsOf(input).filter(isMeant);
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

function stalledBy(condition: ReadyCondition | undefined): ReadyCondition | undefined {
  return condition && { ...condition, stalled: true };
}
