import { describe, expect, it } from '@jest/globals';

import { sliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import { placementReport } from '../../../../src/domain/placement/report/status.js';
import { leaving } from '../../../../src/domain/placement/select/decision.js';
import { readRelease } from '../../../../src/domain/placement/spec/budget.js';
import { decision, member, snapshot } from '../../../support/builders/placement.js';
import { scheduled } from '../../../support/builders/scheduled.js';

/** Of a and b, which were selected, b is missing since the definition was made anew. */
function pass(status: object, release?: string): { readonly left: readonly string[]; readonly failed: object } {
  const seen = snapshot({
    fleet: [member('a')],
    stored: [decision(1, ['a', 'b'])],
    definitions: { uids: { managedclusters: 'new' }, newerThanDecision: true, trustedInMs: 0 },
    release: readRelease(release),
    status,
  });
  const decided = scheduled(seen);
  const failure = { name: 'web-decision-1', message: 'no answer' };
  const { states, ...rest } = placementReport(seen, decided, {
    changes: sliceChanges(seen, decided),
    done: 0,
    failure,
  });
  return { left: leaving(decided).map(({ cluster }) => cluster), failed: { ...rest, conditions: states } };
}

const SATISFIED = {
  phase: 'Satisfied',
  observedGeneration: 1,
  decisions: [{ name: 'web-decision-1', revision: 'x' }],
  basis: { definitions: { managedclusters: 'old' } },
};
const RELEASE = '2026-11-22T18:00:00Z/b';

describe('a definition that was made anew', () => {
  it('holds a missing cluster until a release, which counts until the decision without the cluster is stored', () => {
    const held = pass(SATISFIED);
    const released = pass(held.failed, RELEASE);
    const again = pass(released.failed, RELEASE);

    expect([held, released, again].map(({ left }) => left)).toEqual([[], ['b'], ['b']]);
  });

  it('holds a missing cluster in spite of a release from before', () => {
    const held = pass(SATISFIED, RELEASE);

    expect([held, pass(held.failed, RELEASE)].map(({ left }) => left)).toEqual([[], []]);
  });
});
