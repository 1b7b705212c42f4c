import { loadAll } from 'js-yaml';

import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';

export { applyOverlay, overlayFolder as folderOf } from '../../support/hub/overlays.js';

export type Overlay = 'default' | 'namespaced';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** The objects of an overlay (or of the given folder), rendered by `kubectl kustomize`. */
export async function rendered(server: ControlPlane, folder: string): Promise<AnyObject[]> {
  const text = await kubectlOk(['kustomize', folder], { kubeconfig: server.adminKubeconfig });
  return loadAll(text).filter(isObject);
}

/** The object of a kind and name; throws when there is none. */
export function pick(objects: readonly AnyObject[], kind: string, name: string): AnyObject {
  const found = objects.find((one) => one.kind === kind && one.metadata?.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name} is rendered`);
  return found;
}

/** The rules of a Role or ClusterRole. */
export function rulesOf(role: AnyObject): PolicyRule[] {
  const rules = role['rules'];
  return Array.isArray(rules) ? rules.filter(isRule) : [];
}

/** The value at a dotted path with numbers as indexes; undefined when there is none. */
export function at(value: unknown, dotted: string): unknown {
  let here = value;
  for (const step of dotted.split('.')) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = new Map<string, unknown>(Object.entries(here)).get(step);
  }
  return here;
}

function isObject(value: unknown): value is AnyObject {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function isRule(value: unknown): value is PolicyRule {
  return (
    typeof value === 'object' && value !== null && 'verbs' in value && 'apiGroups' in value && 'resources' in value
  );
}
