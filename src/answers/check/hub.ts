import { X509Certificate } from 'node:crypto';
import { field, textField } from '../../runtime/vocabulary/json.js';
import { Secrets } from '../../runtime/vocabulary/kinds.js';
import { timestamp } from '../../runtime/vocabulary/meta.js';
import { componentServingWith } from '../../domain/engine/catalogue.js';
import { RENEW_BEFORE_MS } from '../../domain/engine/steps/certificate.js';
import { hubSummary, isOff, type EngineSummary, type HubSummary } from '../status.js';
import { isList } from '../../domain/selectors.js';
import { durationText, someNames } from '../output.js';
import { checkDefinitions, checkPolicies } from './definitions.js';
import { type HubInput, type ReadLease, type ReadTrust, checkLease, isLeaseHeld, podsOf } from './input.js';
import { checkNetwork } from './network.js';
import { checkGroups, checkHolds, checkPaused, checkPlacements, checkReleases, checkTimeZones } from './placements.js';
import { failed, INSTALL_REMEDY, passed, unread, warning, type CheckResult } from './result.js';
import { AVAILABLE_CONDITION } from '../../api/clusterreasons.js';
import type { MultiClusterEngineSpec } from '../../api/generated/multiclusterengine.js';
import { LOCAL_CLUSTER_ANNOTATION } from '../../api/names.js';
import { conditionIn } from '../../domain/conditions.js';
import { effectiveSpec } from '../../domain/engine/spec.js';
import { brakeText, fleetSummary, goneText, maintenanceText } from '../fleetsummary.js';

/** Phases of an engine that is at work or was paused: no failure, but a warning. */
const UNFINISHED_PHASES = ['Progressing', 'Updating', 'Paused'];
/** How late a renewal may be without a warning: the operator checks certificates every twelve hours, and retries. */
const RENEWAL_SLACK_MS = 86_400_000;
const GATEWAY = 'gateway';
const CONSOLE = 'console';
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** The checks of an installation, in the order of their output. */
export function checkHub(input: HubInput): readonly CheckResult[] {
  const hub = hubSummary(input.reading.world);
  return [
    checkDefinitions(input.definitions, input.version),
    ...checkPolicies(input.admission, hub.engines.length > 0),
    ...checkNetwork(input.network, input.reading.world.objects.multiclusterengines),
    ...checkEngines(input, hub),
    checkLease(input.engineLease, input.now, podsOf(input.operatorNamespace)),
    ...[input.placementLease, input.clustersLease].flatMap((lease) => checkComponentLease(lease, input, hub)),
    ...(hub.engines.length === 0 ? [] : checkCertificates(input, isOffIn(hub, GATEWAY))),
    checkPlacements(input, hub),
    ...checkHolds(hub),
    ...checkPaused(hub, input),
    ...checkTimeZones(input),
    ...checkGroups(hub),
    ...checkReleases(input),
    checkFleet(input),
    ...checkLocalClusters(input),
    ...checkAgents(input),
    ...checkMaintenance(input),
  ];
}

/** Nothing where there is neither an engine nor a Lease, nor where the controller is off that holds these Leases. */
function checkComponentLease(
  read: ReadLease,
  { now, targetNamespace }: HubInput,
  hub: HubSummary,
): readonly CheckResult[] {
  const { lease } = read;
  if (hub.engines.length === 0 && lease.kind === 'Known' && lease.value === undefined) return [];
  if (isOffIn(hub, 'placement-controller')) return [];
  return [checkLease(read, now, podsOf(targetNamespace))];
}

function isOffIn({ engines }: HubSummary, component: string): boolean {
  return engines.some((engine) => isOff(engine, component));
}

function checkEngines(input: HubInput, { engines }: HubSummary): readonly CheckResult[] {
  const name = 'engine';
  const withheld = input.reading.world.withheld.find(({ resource }) => resource === 'multiclusterengines');
  if (withheld !== undefined) return [unread(name, 'whether there is an engine', withheld)];
  if (engines.length === 0) {
    const message = 'there is no MultiClusterEngine: no component runs';
    return [failed(name, message, 'kubectl apply -f examples/engine.yaml')];
  }
  return engines.flatMap((engine) => {
    const object = input.reading.world.objects.multiclusterengines.find(
      ({ metadata }) => metadata.name === engine.name,
    );
    const isDeleting = object?.metadata.deletionTimestamp !== undefined;
    return [isDeleting ? checkDeletion(engine, input) : checkEngine(engine), ...checkComponents(engine, input)];
  });
}

/** Only an operator ends a deletion. */
function checkDeletion({ name }: EngineSummary, { engineLease, now }: HubInput): CheckResult {
  const check = `engine/${name}`;
  const text = `MultiClusterEngine ${name} is being deleted, with all components`;
  if (isLeaseHeld(engineLease, now) !== false) return failed(check, text, `kubectl describe mce ${name}`);
  return failed(check, `${text}, and waits: no operator runs that could end it`, INSTALL_REMEDY);
}

function checkEngine({ name, phase, version, message }: EngineSummary): CheckResult {
  const check = `engine/${name}`;
  const remedy = `kubectl describe mce ${name}`;
  if (phase === 'Available') return passed(check, `MultiClusterEngine ${name} is Available, version ${version}`);
  const text = `MultiClusterEngine ${name} is ${phase}${message === '' ? '' : `: ${message}`}`;
  return UNFINISHED_PHASES.includes(phase) ? warning(check, text, remedy) : failed(check, text, remedy);
}

function checkComponents(
  { name: engine, components, off }: EngineSummary,
  { targetNamespace }: HubInput,
): readonly CheckResult[] {
  const warnings = off.map(({ name, message }) =>
    warning(`component/${name}`, `component ${name} is off: ${message}`, `kubectl edit mce ${engine}`),
  );
  const missing = components.filter(({ available }) => !available);
  if (missing.length > 0)
    return [
      ...warnings,
      ...missing.map(({ name, message }) =>
        failed(`component/${name}`, `component ${name} is not available: ${message}`, podsOf(targetNamespace)),
      ),
    ];
  const text = components.length === 1 ? '1 component' : `${components.length} components`;
  return [...warnings, ...(components.length === 0 ? [] : [passed('components', `${text} available`)])];
}

/** Those that the user provides, and those of gateway and console which the operator has made. */
function checkCertificates(input: HubInput, isGatewayOff: boolean): readonly CheckResult[] {
  const given = input.reading.world.objects.multiclusterengines.flatMap(givenCertificateRows);
  const isGiven = (component: string): boolean =>
    given.some((row) => componentServingWith(textField(row, 'name')) === component);
  const { trust, consoleTrust } = input;
  return [
    ...given.map((row) => checkGivenCertificate(row, input.targetNamespace)),
    ...(isGiven(GATEWAY) || isGatewayOff ? [] : [checkPublishedCertificate(input, GATEWAY, trust)]),
    ...(isGiven(CONSOLE) || consoleTrust === undefined
      ? []
      : [checkPublishedCertificate(input, CONSOLE, consoleTrust)]),
  ];
}

function checkPublishedCertificate(
  { now, targetNamespace }: HubInput,
  component: string,
  trust: ReadTrust,
): CheckResult {
  const name = 'certificate';
  if (trust.kind === 'Withheld') return unread(name, `when the certificate of the ${component} ends`, trust);
  const certificates = textField(trust.value?.data, 'ca.crt').match(PEM) ?? [];
  const expiries = certificates.flatMap(expiryOf);
  if (certificates.length === 0 || expiries.length < certificates.length) {
    const message =
      certificates.length === 0
        ? `no certificate of the ${component} is published in namespace ${targetNamespace}`
        : `a published certificate of the ${component} in namespace ${targetNamespace} cannot be read`;
    return failed(name, message, `kubectl get configmaps -n ${targetNamespace}`);
  }
  const expiry = Math.max(...expiries);
  const remedy = `kubectl get events -n default --field-selector reason=CertificateRenewed`;
  const left = expiry - now;
  if (left <= 0) return failed(name, `the certificate of the ${component} expired ${durationText(-left)} ago`, remedy);
  const message = `the certificate of the ${component} is valid until ${timestamp(expiry)}`;
  return left < RENEW_BEFORE_MS - RENEWAL_SLACK_MS
    ? warning(name, `${message}, and should have been renewed`, remedy)
    : passed(name, message);
}

/** When the certificate expires, ms since the epoch; empty for text that is no certificate. */
function expiryOf(pem: string): readonly number[] {
  try {
    return [Date.parse(new X509Certificate(pem).validTo)];
  } catch {
    return [];
  }
}

/** By the status of the engine: who runs `check` need not be allowed to read Secrets. */
function checkGivenCertificate(row: unknown, namespace: string): CheckResult {
  const check = 'certificate';
  const name = textField(row, 'name');
  const message = `Secret ${namespace}/${name}, which has the certificate of the ${componentServingWith(name)}: ${textField(row, 'message')}`;
  const remedy = `kubectl create secret tls ${name} -n ${namespace} --cert=FILE --key=FILE --dry-run=client -o yaml | kubectl replace -f -`;
  switch (textField(row, 'reason')) {
    case 'Given':
      return passed(check, message);
    case 'Doubtful':
      return warning(check, message);
    default:
      return failed(check, message, remedy);
  }
}

/** The rows of certificates that the user provides. */
function givenCertificateRows({ status }: { readonly status?: unknown }): readonly unknown[] {
  const rows = field(status, 'components');
  if (!isList(rows)) return [];
  const reasons = ['Given', 'Doubtful', 'Unusable'];
  return rows.filter((row) => textField(row, 'kind') === Secrets.kind && reasons.includes(textField(row, 'reason')));
}

const FLEET = 'fleet';
const MOST_NAMES = 3;
const FLEET_REMEDY = 'kubectl mce cluster list -o wide';

/**
 * Checks whether the joined clusters are available. A few silent ones are a warning: Placements replace them. It is a failure while
 * most of the fleet or of a set is silent, since the brake then keeps decisions as they are, and while no controller judges clusters.
 */
function checkFleet({ reading, clustersLease, now }: HubInput): CheckResult {
  const withheld = reading.world.withheld.find(({ resource }) => resource === 'managedclusters');
  if (withheld !== undefined) return unread(FLEET, 'whether clusters are silent', withheld);
  const fleet = fleetSummary(reading.world.objects.managedclusters);
  const { joined, silent, unavailable, brake, mostSilent, others } = fleet;
  if (joined === 0) return passed(FLEET, 'no cluster has joined');
  if (isLeaseHeld(clustersLease, now) === false)
    return failed(FLEET, `no controller judges the health of ${countText(joined)}`, 'kubectl get mce');
  if (silent + unavailable === 0) return passed(FLEET, `${countText(joined)} ${joined === 1 ? 'is' : 'are'} available`);
  const names = others.map(({ name }) => name);
  const text = `${goneText(fleet)} of ${countText(joined)}: ${someNames(names, MOST_NAMES)}`;
  if (brake.length > 0) return failed(FLEET, `${text}; the brake: ${brakeText(brake)}`, FLEET_REMEDY);
  return mostSilent ? failed(FLEET, `${text}; most of the fleet`, FLEET_REMEDY) : warning(FLEET, text, FLEET_REMEDY);
}

/** Warns of clusters in maintenance: somebody may have forgotten to end it. No result without such clusters. */
export function checkMaintenance({ reading }: Pick<HubInput, 'reading'>): readonly CheckResult[] {
  const text = maintenanceText(fleetSummary(reading.world.objects.managedclusters));
  if (text === undefined) return [];
  const message = `Placements keep away from clusters in maintenance: ${text}`;
  return [warning('maintenance', message, 'kubectl mce uncordon NAME')];
}

/** Warns of agents that lack something in their own cluster: they go on working, but cannot start again. No result without them. */
function checkAgents({ reading }: Pick<HubInput, 'reading'>): readonly CheckResult[] {
  const { degraded } = fleetSummary(reading.world.objects.managedclusters);
  const [first] = degraded;
  if (first === undefined) return [];
  const all = degraded.map(({ name }) => name);
  const what = degraded.length === 1 ? 'an agent lacks' : `${degraded.length} agents lack`;
  const text = `${what} something in its cluster: ${someNames(all, MOST_NAMES)}: ${first.message}`;
  return [warning('agents', text, `kubectl describe mcl ${first.name}`)];
}

/** Warns of ManagedClusters of the hub itself that are still available by their status although no engine reports for them. */
function checkLocalClusters({ reading: { world } }: HubInput): readonly CheckResult[] {
  const { multiclusterengines, managedclusters } = world.objects;
  if (world.withheld.some(({ resource }) => resource === 'multiclusterengines')) return [];
  const reported = multiclusterengines
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ spec }) => effectiveSpec(spec as MultiClusterEngineSpec).localCluster);
  return managedclusters.flatMap(({ metadata: { name, annotations }, spec, status }) => {
    const isLocal = annotations?.[LOCAL_CLUSTER_ANNOTATION] === 'true' && field(spec, 'hubAcceptsClient') === undefined;
    const isAvailable = conditionIn(status, AVAILABLE_CONDITION)?.['status'] === 'True';
    if (!isLocal || reported.includes(name) || !isAvailable) return [];
    const text = `ManagedCluster ${name} stands for the hub and is available by its status, and nobody reports for it`;
    return [warning(FLEET, text, `kubectl mce cluster remove ${name}`)];
  });
}

function countText(joined: number): string {
  return `${joined} joined ${joined === 1 ? 'cluster' : 'clusters'}`;
}
