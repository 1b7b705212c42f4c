import { expect, it } from '@jest/globals';
import { TurnWindow } from '../../../src/controllers/placement/turns.js';

it('of the Placements that turn in one settle window ten are explained, and as many in the next', () => {
  const turns = new TurnWindow(50);
  const admitted = (times: readonly number[]): number => times.filter((at) => turns.admits(at)).length;

  expect(admitted(Array.from({ length: 30 }, (_, n) => 1_000 + n))).toBe(10);
  expect(turns.admits(1_050)).toBe(false);
  expect(admitted(Array.from({ length: 30 }, () => 1_051))).toBe(10);
  expect(turns.admits(1_000)).toBe(false);
});
