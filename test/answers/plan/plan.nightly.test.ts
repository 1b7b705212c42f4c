import { it } from '@jest/globals';
import fc from 'fast-check';
import { expectAsPlanned, someChanges } from '../../support/builders/changes.js';
import { someWorld } from '../../support/builders/world.js';

it('after each of 10,000 changes is carried out, the hub is as planned', () => {
  fc.assert(fc.property(someWorld, someChanges, expectAsPlanned), { numRuns: 10_000 });
});
