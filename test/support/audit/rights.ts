import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { fields, items } from '../scenario/checks/reading.js';

/** One verb on one resource, as a rule of a role gives it; a rule with resourceNames gives one for each name. */
export interface Right {
  /** `ClusterRole name`, or `Role name`. */
  readonly role: string;
  readonly verb: string;
  readonly group: string;
  /** `plural` or `plural/subresource`. */
  readonly resource: string;
  /** Empty: any. */
  readonly name: string;
}

const AGGREGATED = /^rbac\.authorization\.k8s\.io\/aggregate-to-/;
/** Roles of agents, and of people: no component of the hub has them. */
const OUTSIDE: readonly unknown[] = [
  'multicluster-engine-agents',
  'multicluster-engine-enroller',
  'multicluster-engine-reader',
  'multicluster-engine-cluster-owner',
  'multicluster-engine-hub-admin',
];
/** A rule with several groups names each of its resources in all of them; the API server has each in one. */
const HOMES: Readonly<Record<string, string>> = {
  deployments: 'apps',
  poddisruptionbudgets: 'policy',
  networkpolicies: 'networking.k8s.io',
};

/** The rights that the roles among `objects` give to the hub's components: without those of agents and of people. */
export function rightsIn(objects: readonly AnyObject[]): Right[] {
  const roles = objects.filter(
    ({ kind, metadata }) =>
      (kind === 'ClusterRole' || kind === 'Role') &&
      !OUTSIDE.includes(metadata?.name) &&
      !Object.keys(metadata?.labels ?? {}).some((key) => AGGREGATED.test(key)),
  );
  return roles.flatMap((role) =>
    items(role['rules']).flatMap((rule) => rightsOf(`${role.kind ?? ''} ${role.metadata?.name ?? ''}`, rule)),
  );
}

function rightsOf(role: string, rule: object): Right[] {
  const { verbs, apiGroups, resources, resourceNames } = fields(rule);
  const names = words(resourceNames);
  const found: Right[] = [];
  for (const verb of words(verbs)) {
    for (const group of words(apiGroups)) {
      for (const resource of words(resources)) {
        if ((HOMES[resource] ?? group) !== group) continue;
        for (const name of names.length === 0 ? [''] : names) found.push({ role, verb, group, resource, name });
      }
    }
  }
  return found;
}

/** `patch deployments.apps`, and for a right on one name `get leases.coordination.k8s.io x`. */
export function inWords({ verb, resource, group, name }: Omit<Right, 'role'>): string {
  const [plural = '', subresource] = resource.split('/');
  const what = `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  return `${verb} ${what}${name === '' ? '' : ` ${name}`}`;
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
