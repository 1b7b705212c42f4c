import type { KubeObject, OwnerReference } from '@multicluster-engine/values/object';

/** An object with owner references. */
export interface Dependent {
  readonly id: string;
  readonly uid: string;
  readonly owners: readonly OwnerReference[];
}

/** Dependents by the uid of their owner: the deletion of an owner costs as much as it has dependents. */
export class OwnerIndex {
  readonly #dependents = new Map<string, Map<string, Dependent>>();
  readonly #byId = new Map<string, Dependent>();

  get(id: string): Dependent | undefined {
    return this.#byId.get(id);
  }

  /** The dependents of an owner, in no particular order. */
  dependentsOf(ownerUid: string): readonly Dependent[] {
    return [...(this.#dependents.get(ownerUid)?.values() ?? [])];
  }

  hasDependents(ownerUid: string): boolean {
    return this.#dependents.has(ownerUid);
  }

  set(id: string, { metadata: { uid = '', ownerReferences = [] } }: KubeObject): void {
    this.delete(id);
    if (ownerReferences.length === 0) return;
    const dependent = { id, uid, owners: ownerReferences };
    this.#byId.set(id, dependent);
    for (const owner of ownerReferences) {
      const siblings = this.#dependents.get(owner.uid) ?? new Map<string, Dependent>();
      siblings.set(id, dependent);
      this.#dependents.set(owner.uid, siblings);
    }
  }

  delete(id: string): void {
    const before = this.#byId.get(id);
    if (before === undefined) return;
    this.#byId.delete(id);
    for (const owner of before.owners) {
      const siblings = this.#dependents.get(owner.uid);
      siblings?.delete(id);
      if (siblings?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}

export function blocks(dependent: Dependent, ownerUid: string): boolean {
  return dependent.owners.some((owner) => owner.uid === ownerUid && owner.blockOwnerDeletion === true);
}
