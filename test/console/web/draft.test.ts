import { expect, it } from '@jest/globals';
import { EMPTY_DRAFT, planWords, unfinishedIn } from '../../../src/console/web/draft.js';
import type { Draft } from '../../../src/console/wire/plan.js';

it.each<readonly [Partial<Draft>, string | undefined]>([
  [{}, undefined],
  [{ manifests: 'a: b' }, undefined],
  [{ labels: ['cluster-23:'] }, 'cluster-23:'],
  [{ labels: ['cluster-23:tier'] }, 'cluster-23:tier'],
  [{ labels: ['cluster-23:tier=', 'cluster-23:tier-'] }, undefined],
  [{ labels: ['cluster-23:tier=gold', ''] }, ''],
  [{ drains: [''] }, ''],
  [{ losses: ['label/region=eu', ''] }, ''],
  [{ each: [''] }, ''],
  [{ each: ['label/region'] }, undefined],
])('of the draft %j, %j is not finished, and it has a command where nothing is', (part, text) => {
  const draft = { ...EMPTY_DRAFT, ...part };
  expect(unfinishedIn(draft)).toBe(text);
  expect(planWords(draft) === undefined).toBe(text !== undefined);
});
