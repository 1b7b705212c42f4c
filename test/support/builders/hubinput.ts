import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { CLUSTERS_LEASE, ENGINE_LEASE, OPERATOR_NAMESPACE, PLACEMENT_LEASE } from '../../../src/api/names.js';
import type { HubInput, ReadLease } from '../../../src/answers/check/input.js';
import type { PreInput } from '../../../src/answers/check/pre.js';
import { limitingPolicies, PROTECTING_POLICIES } from '../../../src/domain/engine/policies.js';
import type { FleetReading } from '../../../src/answers/world/worlds.js';
import { worldOf, type World } from '../../../src/answers/world/world.js';
import { microTime } from '../../../src/runtime/leaderelection/leaserecord.js';
import { root } from '../repository/root.js';

/** What `check` reads of a hub on which all is well, at a fixed time. */

export const NOW = Date.parse('2026-11-22T12:00:00Z');

/** The certificate of a gateway, valid until 2027-02-20. */
const PEM = readFileSync(path.join(root, 'test', 'support', 'builders', 'gateway-ca.pem'), 'utf8');

export function rawEngine(over: object = {}, status: object = {}): RawObject {
  const row = (kind: string, name: string): object => ({
    kind,
    name,
    status: 'True',
    reason: 'Applied',
    message: 'applied',
  });
  return {
    metadata: { name: 'engine', generation: 1, ...over },
    spec: {},
    status: {
      phase: 'Available',
      currentVersion: '0.1.0',
      targetNamespace: 'multicluster-engine',
      conditions: [{ type: 'Ready', status: 'True', message: 'every component is applied and available' }],
      components: [row('Deployment', 'gateway'), row('Deployment', 'placement-controller'), row('Namespace', 'x')],
      ...status,
    },
  };
}

/** A Placement with a status. */
export function placementIn(phase: string, name = 'web', message = '', conditions: readonly object[] = []): RawObject {
  const satisfied = { type: 'PlacementSatisfied', status: phase === 'Satisfied' ? 'True' : 'False', message };
  return {
    metadata: { name, namespace: 'shop', generation: 1 },
    spec: {},
    status: { phase, conditions: [satisfied, ...conditions] },
  };
}

export function readingOf(world: World, over: Partial<FleetReading> = {}): FleetReading {
  return { world, namespace: undefined, refused: [], ...over };
}

/** A Lease that was renewed so many ms before {@link NOW}; its duration is 15 s. */
export function leaseFact(name: string, holder: string, renewedMsAgo = 5_000): ReadLease {
  const renewTime = microTime(NOW - renewedMsAgo);
  const spec = { holderIdentity: holder, leaseDurationSeconds: 15, renewTime };
  return { name, lease: { kind: 'Known', value: { metadata: { name, namespace: OPERATOR_NAMESPACE }, spec } } };
}

export function rawDefinition(plural: string, schema: object = { type: 'object' }): RawObject {
  return {
    metadata: { name: `${plural}.cluster.fleetmgmt.io` },
    spec: { versions: [{ name: 'v1alpha1', served: true, schema, subresources: { status: {} } }] },
    status: { conditions: [{ type: 'Established', status: 'True' }] },
  };
}

/** The names of all policies that `check` looks for. */
export const POLICIES: readonly string[] = [...limitingPolicies(false), ...PROTECTING_POLICIES].map(({ name }) => name);

/** These policies, each with a binding of that action; of its own without one. */
export function admissionOf(names: readonly string[], action?: string): HubInput['admission'] {
  const ownAction = new Map<string, string>(PROTECTING_POLICIES.map((one) => [one.name, one.action]));
  const bindings = names.map((name) => ({
    metadata: { name },
    spec: { policyName: name, validationActions: [action ?? ownAction.get(name) ?? 'Deny'] },
  }));
  return {
    policies: { kind: 'Known', value: names.map((name) => ({ metadata: { name } })) },
    bindings: { kind: 'Known', value: bindings },
  };
}

const KINDS = ['a', 'b', 'c', 'd', 'e', 'f'];

export function hubFacts(over: Partial<HubInput> = {}): HubInput {
  return {
    now: NOW,
    version: '0.1.0',
    operatorNamespace: OPERATOR_NAMESPACE,
    targetNamespace: 'multicluster-engine',
    definitions: KINDS.map((one) => ({
      wanted: rawDefinition(one),
      stored: { kind: 'Known', value: rawDefinition(one) },
    })),
    reading: readingOf(worldOf({ multiclusterengines: [rawEngine()], placements: [placementIn('Satisfied')] })),
    absence: undefined,
    engineLease: leaseFact(ENGINE_LEASE, 'operator-1'),
    placementLease: leaseFact(PLACEMENT_LEASE, 'placement-controller-1'),
    clustersLease: leaseFact(CLUSTERS_LEASE, 'placement-controller-1'),
    admission: admissionOf(POLICIES),
    network: { apiServer: { kind: 'Known', value: undefined }, policies: { kind: 'Known', value: [] } },
    trust: { kind: 'Known', value: { metadata: { name: 'gateway-ca' }, data: { 'ca.crt': PEM } } },
    consoleTrust: undefined,
    ...over,
  };
}

/** What `check --pre` reads of a cluster that has nothing of the product. */
export function preFacts(over: Partial<PreInput> = {}): PreInput {
  return {
    version: '0.1.0',
    operatorNamespace: OPERATOR_NAMESPACE,
    server: 'v1.36.3',
    definitions: KINDS.map((one) => ({ wanted: rawDefinition(one), stored: { kind: 'Known', value: undefined } })),
    reading: readingOf(worldOf({}, [{ resource: 'multiclusterengines', verb: 'list', status: 404 }])),
    policies: { kind: 'Known', value: true },
    namespace: { kind: 'Known', value: undefined },
    apiServer: { kind: 'Known', value: undefined },
    denied: { kind: 'Known', value: [] },
    ...over,
  };
}
