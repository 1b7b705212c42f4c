import type { MemoryServer } from '@multicluster-engine/kube-apiserver/testing/memoryserver';

/** What is stored on a hub, and every change of it, in order: what checks need to know of a server. */
export interface View {
  readonly store: Pick<MemoryServer['store'], 'list' | 'collections'>;
  readonly observe: MemoryServer['observe'];
}
