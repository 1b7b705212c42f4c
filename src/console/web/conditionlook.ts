import type { Condition } from '../../answers/status.js';

/** How a condition looks: a check says that it is good news, and a ring that there is none. */

/** Conditions of which True is no good news. */
const WORRIES = /Degraded|Empty|Held|Ignored|Misconfigured|Missing|NotPublished|Refused|Stalled/;
/** Conditions of which neither is better. */
const MOTIONS = new Set(['Reconciling', 'Paused', 'ChangesWaiting']);

export interface ConditionLook {
  /** The word whose shape it has. */
  readonly word: 'True' | 'False' | 'Warning' | 'Updating' | 'Off';
  readonly tone: 'ok' | 'warn' | 'bad' | 'info' | 'quiet';
}

/** Whether its False says that all is well: it is read as `stalled: no`. */
export function isNo({ type, status }: Pick<Condition, 'type' | 'status'>): boolean {
  return status === 'False' && (WORRIES.test(type) || MOTIONS.has(type));
}

export function conditionLook({ type, status }: Pick<Condition, 'type' | 'status'>): ConditionLook {
  if (status === 'Unknown') return { word: 'Warning', tone: 'warn' };
  const isTrue = status === 'True';
  if (WORRIES.test(type)) return isTrue ? { word: 'Warning', tone: 'warn' } : { word: 'Off', tone: 'quiet' };
  if (MOTIONS.has(type)) return isTrue ? { word: 'Updating', tone: 'info' } : { word: 'Off', tone: 'quiet' };
  return isTrue ? { word: 'True', tone: 'ok' } : { word: 'False', tone: 'bad' };
}
