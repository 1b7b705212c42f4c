import { readFileSync } from 'node:fs';
import path from 'node:path';

import { root } from '../../support/repository/root.js';
import type { Plan } from '../plan.js';
import type { Moment, Violation } from '../run.js';

/**
 * What each scenario stores without faults, and what its clients are answered, as it was when somebody last looked at it: by
 * scenario, for the start and each step, the digests that differ from those before; null where nothing is left.
 */
export type Recorded = Readonly<Record<string, readonly Changes[]>>;

type Changes = Readonly<Record<string, string | null>>;

export const RECORDED_FILE = path.join(root, 'test/faults/scenarios/recorded.json');

export function readRecorded(): Recorded {
  return JSON.parse(readFileSync(RECORDED_FILE, 'utf8')) as Recorded;
}

/** @returns what {@link Recorded} has of a scenario */
export function changesOf(moments: readonly Pick<Moment, 'digests'>[]): readonly Changes[] {
  let before: Changes = {};
  return moments.map(({ digests }) => {
    const changes = differing(before, digests);
    before = digests;
    return changes;
  });
}

/** Where a run without faults, from the start of the scenario on, does otherwise than is recorded. */
export function unlikeRecord(
  recorded: Recorded,
  { scenario, to }: Omit<Plan, 'seed' | 'faults'>,
  moments: readonly Moment[],
): readonly Violation[] {
  let wanted: Changes = {};
  for (const [step, { digests }] of moments.entries()) {
    // What is waited for after the last step is no step.
    if (step > (to ?? step)) break;
    wanted = withoutNulls({ ...wanted, ...recorded[scenario]?.[step] });
    const unlike = Object.keys(differing(wanted, digests)).join(', ');
    if (unlike !== '') return [{ rule: 'recorded', step, detail: `${unlike}: not as in scenarios/recorded.json` }];
  }
  return [];
}

function differing(before: Changes, after: Changes): Changes {
  const names = Object.keys({ ...before, ...after }).sort();
  return Object.fromEntries(
    names.filter((name) => before[name] !== after[name]).map((name) => [name, after[name] ?? null]),
  );
}

function withoutNulls(changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).filter(([, one]) => one !== null));
}
