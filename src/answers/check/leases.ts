import { durationText } from '../output.js';
import type { Lease } from '../../runtime/leaderelection/leaserecord.js';
import type { ReadLease } from './input.js';
import { failed, passed, unread, type CheckResult } from './result.js';

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
