import { equal, isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { Client, targetOf, ignoreCodes } from './client.js';
import type { ControllerOptions } from './options.js';
import { matchesSelector } from '../registry/builtins/validation/labelselector.js';
import { WorkQueue } from './workqueue.js';

const CLUSTER_ROLES = 'clusterroles.rbac.authorization.k8s.io';
const MANAGER = 'clusterrole-aggregation-controller';

/** Sets the rules of ClusterRoles with an aggregationRule. */
export function startClusterRoleAggregation(options: ControllerOptions): { end(): Promise<void> } {
  const { clock, reader, registry, verbs, onError } = options;
  const client = new Client(verbs, MANAGER);
  const aggregating = new Set<string>();
  const reconcile = async (name: string): Promise<void> => {
    const role = reader.get(CLUSTER_ROLES, '', name);
    const rules = role === undefined ? undefined : aggregatedRules(role, reader.list(CLUSTER_ROLES));
    if (role === undefined || rules === undefined || equal(rules, role['rules'] ?? [])) return;
    const target = targetOf(registry, {
      group: 'rbac.authorization.k8s.io',
      plural: 'clusterroles',
      namespace: '',
      name,
    });
    const applied = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      ...(rules.length === 0 ? {} : { rules }),
    };
    await ignoreCodes([404], client.apply(target, MANAGER, applied));
  };
  const queue = new WorkQueue({ clock, workers: 1, reconcile, onError });
  const roles = reader.watch(CLUSTER_ROLES, (role, type) => {
    const { name = '' } = role.metadata;
    if (type === 'put' && isObject(role['aggregationRule'])) aggregating.add(name);
    else aggregating.delete(name);
    for (const one of aggregating) queue.add(one);
  });
  return {
    end() {
      roles.end();
      return queue.end();
    },
  };
}

/** The rules of all roles that the selectors match, without duplicates, by selector, then by name; undefined without an aggregationRule. */
function aggregatedRules(role: KubeObject, all: readonly KubeObject[]): readonly Json[] | undefined {
  const rule = role['aggregationRule'];
  if (!isObject(rule)) return undefined;
  const others = all
    .filter((other) => other.metadata.name !== role.metadata.name)
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const rules: JsonObject[] = [];
  for (const one of objects(rule['clusterRoleSelectors']).flatMap((selector) => selectedRules(selector, others))) {
    if (!rules.some((known) => equal(known, one))) rules.push(one);
  }
  return rules;
}

function selectedRules(selector: JsonObject, roles: readonly KubeObject[]): JsonObject[] {
  return roles
    .filter((role) => matchesSelector(selector, role.metadata.labels ?? {}))
    .flatMap((role) => objects(role['rules']));
}

function objects(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter((one) => isObject(one)) : [];
}
