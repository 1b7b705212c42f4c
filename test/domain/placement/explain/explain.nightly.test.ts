import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import {
  expectExplainsSchedule,
  expectFixesWork,
  expectHintsOfCandidates,
  expectIndexEqual,
} from '../../../support/builders/explained.js';
import { someWorld } from '../../../support/builders/world.js';

const RUNS = { numRuns: 12_000 };

describe('explanations of 12,000 worlds', () => {
  it('verdicts, causes, ranks and the line say what schedule does', () => {
    fc.assert(fc.property(someWorld, expectExplainsSchedule), RUNS);
  });

  it('every fix does what it says', () => {
    fc.assert(fc.property(someWorld, expectFixesWork), RUNS);
  });

  it('every hint names what candidates have', () => {
    fc.assert(fc.property(someWorld, expectHintsOfCandidates), RUNS);
  });

  it('the inputs computed from a world are those of the index', () => {
    fc.assert(fc.property(someWorld, expectIndexEqual), RUNS);
  });
});
