import type { LoggedRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';

const RBAC = 'rbac.authorization.k8s.io';
/** A right that was just given or changed may take this long to hold. */
const GRACE_MS = 5000;

interface Turn {
  readonly at: number;
  /** Whether the object is there from then on. */
  readonly there: boolean;
}

/**
 * When roles were bound, by the writes of role bindings and roles in a log. The convention of `deploy/` is that a binding
 * is named like its role.
 */
export class Bindings {
  readonly #turns = new Map<string, Turn[]>();

  constructor(log: readonly LoggedRequest[]) {
    for (const one of log) {
      if (one.apiGroup !== RBAC || one.code >= 300 || one.uri.includes('dryRun=')) continue;
      if (one.verb === 'deletecollection') this.#emptied(one);
      else if (['create', 'update', 'patch', 'delete'].includes(one.verb))
        this.#turn(keyOf(one.resource, one.namespace, one.name), one);
    }
  }

  /** Whether the rights of `role` were held in `namespace` (empty: cluster-wide) at that time, and had been for a while. */
  held(role: string, namespace: string, at: number): boolean {
    const [kind = '', name = ''] = role.split(' ');
    const roles = kind === 'Role' ? keyOf('roles', namespace, name) : keyOf('clusterroles', '', name);
    const bindings = [keyOf('clusterrolebindings', '', name), keyOf('rolebindings', namespace, name)];
    return this.#steady(roles, at) && bindings.some((key) => this.#steady(key, at));
  }

  #steady(key: string, at: number): boolean {
    const last = (this.#turns.get(key) ?? []).filter((turn) => turn.at <= at).at(-1);
    return last?.there === true && at - last.at > GRACE_MS;
  }

  #turn(key: string, { verb, answeredAt, receivedAt }: LoggedRequest): void {
    const there = verb !== 'delete';
    const turns = this.#turns.get(key) ?? [];
    this.#turns.set(key, [...turns, { at: there ? answeredAt : receivedAt, there }]);
  }

  #emptied(one: LoggedRequest): void {
    const prefix = keyOf(one.resource, one.namespace, '');
    for (const key of this.#turns.keys()) if (key.startsWith(prefix)) this.#turn(key, { ...one, verb: 'delete' });
  }
}

function keyOf(resource: string, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`;
}
