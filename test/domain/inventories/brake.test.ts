import { expect, it } from '@jest/globals';
import { isBraked } from '../../../src/domain/inventories/source.js';

it.each([
  [1, 1, false],
  [2, 2, false],
  [3, 3, true],
  [5, 3, true],
  [6, 3, false],
  [7, 4, true],
  [1000, 500, false],
  [1000, 501, true],
])('of %i clusters of an inventory, %i affected ones are held: %s', (clusters, affected, held) => {
  expect(isBraked(affected, { clusters })).toBe(held);
});
