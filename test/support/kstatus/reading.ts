import type { Condition } from '../../../src/runtime/vocabulary/meta.js';

/** What generic tools make of an object, by the rules of kstatus. */
export type Reading = 'Terminating' | 'InProgress' | 'Failed' | 'Current';

/** The fields of an object that kstatus reads. */
export interface Readable {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Pick<Condition, 'type' | 'status'>[];
  };
}

/** The rules that both kinds promise: the first that matches. kstatus.nightly.test.ts compares them with the library. */
export function readingOf({ metadata, status }: Readable): Reading {
  const is = (type: string): boolean =>
    status?.conditions?.some((one) => one.type === type && one.status === 'True') === true;
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (status?.observedGeneration !== metadata.generation) return 'InProgress';
  if (is('Reconciling')) return 'InProgress';
  if (is('Stalled')) return 'Failed';
  return is('Ready') ? 'Current' : 'InProgress';
}
