import { DECISION_REVISION_ANNOTATION, PLACEMENT_LABEL } from '../../../../src/api/names.js';
import { MultiClusterEngines, PlacementDecisions, Placements } from '../../../../src/api/resources.js';
import { revisionOf } from '../../../../src/domain/placement/stored/decision.js';
import {
  apiVersionOf,
  ClusterRoleBindings,
  ClusterRoles,
  ServiceAccounts,
} from '../../../../src/runtime/vocabulary/kinds.js';
import { TEAM } from '../../hub/base.js';
import type { Ask, Clients } from '../../hub/clients.js';
import type { Hands } from '../../hub/hands.js';
import type { Step, Unnamed } from '../../scenario.js';
import { placementOf } from '../fleet.js';

/** Sentences of scenarios about clients of the gateway. */

/** A gateway, with Placements of these names. Ann and Bob may do all that it serves, Eve may do nothing. */
export function served(placements: readonly string[], steps: readonly Step[]): Unnamed {
  const given = async (hands: Hands): Promise<void> => {
    await rights(hands);
    for (const one of placements) await hands.create(placementOf(one, { numberOfClusters: 1 }));
  };
  return { programs: [], isServed: true, given, steps };
}

async function rights(hands: Hands): Promise<void> {
  for (const name of ['ann', 'bob', 'eve'])
    await hands.create({ apiVersion: 'v1', kind: ServiceAccounts.kind, metadata: { name, namespace: TEAM } });
  const [apiVersion, metadata] = [apiVersionOf(ClusterRoles), { name: 'clients' }];
  const rules = [MultiClusterEngines, Placements, PlacementDecisions].map(({ group, plural }) => ({
    apiGroups: [group],
    resources: [plural],
    verbs: ['*'],
  }));
  await hands.create({ apiVersion, kind: ClusterRoles.kind, metadata, rules });
  const subjects = ['ann', 'bob'].map((name) => ({ kind: ServiceAccounts.kind, name, namespace: TEAM }));
  const roleRef = { apiGroup: ClusterRoles.group, kind: ClusterRoles.kind, name: 'clients' };
  await hands.create({ apiVersion, kind: ClusterRoleBindings.kind, metadata, subjects, roleRef });
}

/** A decision of one object, as the operator writes it. */
export async function decide(hands: Hands, placement: string, clusters: readonly string[]): Promise<void> {
  const revision = revisionOf(clusters);
  const name = `${placement}-decision-1`;
  const annotations = { [DECISION_REVISION_ANNOTATION]: revision };
  const owner = await hands.find(Placements, { name: placement, namespace: TEAM });
  const { uid = '' } = owner?.metadata ?? {};
  const owned = { apiVersion: apiVersionOf(Placements), kind: Placements.kind, name: placement, uid, controller: true };
  const ownerReferences = [owned];
  const labels = { [PLACEMENT_LABEL]: placement };
  const metadata = { name, namespace: TEAM, labels, annotations, ownerReferences };
  const decisions = clusters.map((clusterName) => ({ clusterName, reason: '' }));
  const [apiVersion, kind] = [apiVersionOf(PlacementDecisions), PlacementDecisions.kind];
  await hands.create({ apiVersion, kind, metadata, status: { decisions } });
  const status = { numberOfSelectedClusters: clusters.length, decisions: [{ name, revision }] };
  await hands.patch(Placements, { name: placement, namespace: TEAM }, { status }, 'status');
}

/** Clients that ask at the same time: each its own things, one after the other, on one connection. */
export function ask(...all: readonly (readonly Ask[])[]): Step {
  return clients(all.flat().map(titleOf).join(', '), (ones) => ones.talk(...all));
}

export function clients(title: string, act: (clients: Clients) => Promise<void>): Step {
  return {
    title,
    act: async ({ clients: ones }) => {
      if (ones !== undefined) await act(ones);
    },
  };
}

type More = Partial<Omit<Ask, 'method' | 'name'>>;

const ANN = { as: 'ann', type: Placements, code: 200 } as const;
const YAML = { 'Content-Type': 'placement/yaml' };

/** YAML, as people write it: what comes before the comment can be read, too. */
function textOf(name: string, spec: object, version = ''): string {
  return `metadata:\n  name: ${name}\n${version}spec: ${JSON.stringify(spec)}\n# for the shop and its tests\n`;
}

/** With a spec of its own to have at the end. */
export function create(name: string, spec: object, more: More = {}): Ask {
  return {
    ...ANN,
    method: 'POST',
    name,
    spec,
    body: textOf(name, spec),
    ...more,
    headers: { ...YAML, ...more.headers },
  };
}

/** `IF_MATCH`, in the headers of `more`, or `metadata.resourceVersion` says which version is replaced. */
export function replace(name: string, spec: object, more: More = {}): Ask {
  const version = more.headers?.['If-Match'] === undefined ? '  resourceVersion: "REVISION"\n' : '';
  const body = textOf(name, spec, version);
  return { ...ANN, method: 'PUT', name, spec, body, ...more, headers: { ...YAML, ...more.headers } };
}

export const IF_MATCH = { 'If-Match': '"REVISION"' };

export function remove(name: string, more: More = {}): Ask {
  return { ...ANN, method: 'DELETE', name, ...more };
}

export function read(name: string, more: More = {}): Ask {
  return { ...ANN, method: 'GET', name, ...more };
}

export function list(more: More = {}): Ask {
  return { ...ANN, method: 'GET', ...more };
}

function titleOf({ as, method, name = 'all', code }: Ask): string {
  return `${as}: ${method} ${name}: ${code}`;
}
