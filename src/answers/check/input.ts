import { textField } from '../../runtime/vocabulary/json.js';
import type { KubeObject, ObjectName, ResourceType, RawObject } from '../../runtime/vocabulary/meta.js';
import { CLUSTERS_LEASE, DEFAULT_TARGET_NAMESPACE, ENGINE_LEASE, PLACEMENT_LEASE } from '../../api/names.js';
import {
  AdmissionPolicies,
  AdmissionPolicyBindings,
  ConfigMaps,
  CustomResourceDefinitions,
  EndpointSlices,
  Leases,
  Namespaces,
  NetworkPolicies,
} from '../../runtime/vocabulary/kinds.js';
import { hubSummary } from '../status.js';
import { CATALOGUE } from '../../domain/engine/catalogue.js';
import type { ListOptions, ReadClient } from '../../runtime/client/client.js';
import type { Lease } from '../../runtime/leaderelection/leaserecord.js';
import { isFailure } from '../../runtime/errors.js';
import { readFleetWorld, type FleetReading } from '../world/worlds.js';
import { absentObjectText } from '../meant.js';
import { type Read, type Unread, failed, passed, unread, type CheckResult } from './result.js';
import { durationText } from '../output.js';

export interface ReadDefinition {
  /** As this version of the program has it. */
  readonly wanted: RawObject;
  readonly stored: Read<RawObject | undefined>;
}

export interface ReadLease {
  readonly name: string;
  readonly lease: Read<Lease | undefined>;
}

export type ReadTrust = Read<(KubeObject & { readonly data?: unknown }) | undefined>;

export interface InputOptions {
  readonly now: number;
  readonly version: string;
  readonly operatorNamespace: string;
  /** The only namespace whose Placements count; undefined: all. */
  readonly namespace: string | undefined;
  /** The namespace whose Placements count instead, when those of all namespaces may not be listed. */
  readonly fallback: () => string;
  /** The definitions of this version. */
  readonly definitions: readonly RawObject[];
}

/** Its API server writes it under this name, with the addresses of every replica. */
export const API_SERVER_SLICE: ObjectName = { namespace: 'default', name: 'kubernetes' };

/** What the checks of an installation are computed from. */
export type HubInput = Readonly<Awaited<ReturnType<typeof readHubInput>>>;

/** Reads an installation, by GET and LIST alone. @throws ApiError for any other error than a missing right or type. */
export async function readHubInput(client: ReadClient, options: InputOptions) {
  const { now, version, operatorNamespace } = options;
  const lease = (name: string): Promise<ReadLease> => readLease(client, { namespace: operatorNamespace, name });
  const [reading, definitions, engineLease, placementLease, clustersLease, policies, bindings] = await Promise.all([
    readFleetWorld(client, { ...options, resources: ['multiclusterengines', 'placements', 'managedclusters'] }),
    readDefinitions(client, options),
    lease(ENGINE_LEASE),
    lease(PLACEMENT_LEASE),
    lease(CLUSTERS_LEASE),
    listAll<KubeObject>(client, AdmissionPolicies, { metadataOnly: true }),
    listAll<RawObject>(client, AdmissionPolicyBindings),
  ]);
  const targetNamespace = targetNamespaceOf(reading);
  const trustOf = (component: string): Promise<ReadTrust> =>
    getOne(client, ConfigMaps, { namespace: targetNamespace, name: trustName(component) });
  return {
    /** The time by the clock of the hub. */
    now,
    /** The release of this program. */
    version,
    operatorNamespace,
    /** The namespace in which the engine installs its components. */
    targetNamespace,
    definitions,
    reading,
    engineLease,
    placementLease,
    /** The Lease of the controller that judges the health of clusters. */
    clustersLease,
    admission: { policies, bindings },
    /** The ConfigMap with the certificates that clients of the gateway trust. */
    trust: await trustOf('gateway'),
    /** The ConfigMap with the certificates that clients of the console trust; undefined where no engine runs a console. */
    consoleTrust: runsConsole(reading) ? await trustOf('console') : undefined,
    network: await readNetwork(client, [...new Set([operatorNamespace, targetNamespace])]),
    /** A note that the namespace of the caller does not exist; undefined where it exists, has a Placement, or is not given. */
    absence: await readAbsence(client, options.namespace, reading),
  };
}

/** The ConfigMap by which clients of the component trust it. */
function trustName(component: string): string {
  return CATALOGUE.find(({ name }) => name === component)?.servingCertificate?.configMap ?? '';
}

/** It is off unless an engine turns it on. */
function runsConsole({ world }: FleetReading): boolean {
  return hubSummary(world).engines.some(({ components }) => components.some(({ name }) => name === 'console'));
}

export function readDefinitions(client: ReadClient, { definitions }: InputOptions): Promise<readonly ReadDefinition[]> {
  return Promise.all(
    definitions.map(async (wanted) => {
      const name = { name: wanted.metadata.name };
      return { wanted, stored: await getOne<RawObject>(client, CustomResourceDefinitions, name) };
    }),
  );
}

/** Whether the namespace that the caller names exists, unless it has a Placement: then it does. */
async function readAbsence(
  client: ReadClient,
  name: string | undefined,
  { world }: FleetReading,
): Promise<Read<string | undefined> | undefined> {
  if (name === undefined || world.objects.placements.length > 0) return undefined;
  const found = await getOne(client, Namespaces, { name });
  if (found.kind === 'Withheld') return found;
  return {
    kind: 'Known',
    value: found.value === undefined ? await absentObjectText(client, Namespaces, name) : undefined,
  };
}

/** The API server on the network, and the policies of the namespaces of the product. */
export interface ReadNetwork {
  /** The EndpointSlice of the Service `kubernetes`. */
  readonly apiServer: Read<RawObject | undefined>;
  readonly policies: Read<readonly RawObject[]>;
}

async function readNetwork(client: ReadClient, namespaces: readonly string[]): Promise<ReadNetwork> {
  const [apiServer, ...lists] = await Promise.all([
    getOne<RawObject>(client, EndpointSlices, API_SERVER_SLICE),
    ...namespaces.map((namespace) => listAll<RawObject>(client, NetworkPolicies, { namespace })),
  ]);
  const policies: RawObject[] = [];
  for (const list of lists) {
    if (list.kind === 'Withheld') return { apiServer, policies: list };
    policies.push(...list.value);
  }
  return { apiServer, policies: { kind: 'Known', value: policies } };
}

async function readLease(client: ReadClient, name: ObjectName): Promise<ReadLease> {
  return { name: name.name, lease: await getOne<Lease>(client, Leases, name) };
}

export function listAll<T extends KubeObject>(
  client: ReadClient,
  type: ResourceType,
  { namespace, ...options }: ListOptions & { readonly namespace?: string } = {},
): Promise<Read<readonly T[]>> {
  return readable(type, 'list', () => client.list<T>(type, namespace, options));
}

export function getOne<T extends KubeObject>(
  client: ReadClient,
  type: ResourceType,
  name: ObjectName,
): Promise<Read<T | undefined>> {
  return readable(type, 'get', () => client.get<T>(type, name));
}

/** What `ask` resolves to, unless a right or the type is missing. @throws ApiError for any other error. */
export async function readable<T>(
  { plural }: ResourceType,
  verb: Unread['verb'],
  ask: () => Promise<T>,
): Promise<Read<T>> {
  try {
    return { kind: 'Known', value: await ask() };
  } catch (error) {
    if (!isFailure(error, 'Forbidden', 'ResourceMissing')) throw error;
    return { kind: 'Withheld', resource: plural, verb, status: error.status };
  }
}

function targetNamespaceOf({ world }: FleetReading): string {
  const [engine] = world.objects.multiclusterengines;
  return (
    textField(engine?.status, 'targetNamespace') ||
    textField(engine?.spec, 'targetNamespace') ||
    DEFAULT_TARGET_NAMESPACE
  );
}

/** Whether a Lease has a holder that renews it. `remedy`: a command that shows the pods of the holder. */
export function checkLease({ name, lease }: ReadLease, now: number, remedy: string): CheckResult {
  const check = `lease/${name}`;
  if (lease.kind === 'Withheld') return unread(check, `who holds Lease ${name}`, lease);
  if (lease.value === undefined) return failed(check, `there is no Lease ${name}: its controller never ran`, remedy);
  const holder = lease.value.spec?.holderIdentity ?? '';
  if (holder === '') return failed(check, `Lease ${name} has no holder`, remedy);
  const overdue = now - expiryOf(lease.value);
  if (overdue > 0) return failed(check, `Lease ${name} expired ${durationText(overdue)} ago`, remedy);
  return passed(check, `Lease ${name} is held by ${holder}`);
}

/** Whether somebody holds the Lease and renews it; undefined where that is not known. */
export function isLeaseHeld({ lease }: ReadLease, now: number): boolean | undefined {
  if (lease.kind === 'Withheld') return undefined;
  return (lease.value?.spec?.holderIdentity ?? '') !== '' && lease.value !== undefined && expiryOf(lease.value) >= now;
}

/** ms since the epoch. */
function expiryOf({ spec }: Lease): number {
  const renewed = Date.parse(spec?.renewTime ?? '');
  return Number.isNaN(renewed) ? 0 : renewed + (spec?.leaseDurationSeconds ?? 0) * 1000;
}

/** A command that shows the pods of a namespace. */
export function podsOf(namespace: string): string {
  return `kubectl get pods -n ${namespace}`;
}
