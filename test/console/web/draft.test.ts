import { expect, it } from '@jest/globals';
import {
  bringBackDraft,
  changeDraft,
  draft as current,
  EMPTY_DRAFT,
  planWords,
  question,
  replaceDraft,
  unfinishedIn,
} from '../../../src/console/web/draft.js';
import type { Draft } from '../../../src/console/wire/plan.js';

it.each<readonly [Partial<Draft>, string | undefined]>([
  [{}, undefined],
  [{ manifests: 'a: b' }, undefined],
  [{ manifests: 'spec:\n  matchLabels:\n    region:\n' }, 'region:'],
  [{ manifests: 'spec:\n  matchLabels:\n  # none\n\n---\na: b' }, 'matchLabels:'],
  [{ manifests: 'spec: # all\n- key: a\n  values:\n  - b\n- more:\n    c: null' }, undefined],
  [{ manifests: 'spec:\n- key: a\n  values:\n- key: b' }, 'values:'],
  [{ labels: ['cluster-23:'] }, 'cluster-23:'],
  [{ labels: ['cluster-23:tier'] }, 'cluster-23:tier'],
  [{ labels: ['cluster-23:tier=', 'cluster-23:tier-'] }, undefined],
  [{ labels: ['cluster-23:tier=gold', ''] }, ''],
  [{ drains: [''] }, ''],
  [{ losses: ['label/region=eu', ''] }, ''],
  [{ losses: ['eu'] }, 'eu'],
  [{ each: [''] }, ''],
  [{ each: ['label/region'] }, undefined],
])('of the draft %j, %j is not finished, and it has a command where nothing is', (part, text) => {
  const draft = { ...EMPTY_DRAFT, ...part };
  expect(unfinishedIn(draft)).toBe(text);
  expect(planWords(draft) === undefined).toBe(text !== undefined);
});

it('another question replaces all of a draft, and an edit keeps the question', () => {
  // A browser has it.
  Object.assign(globalThis, { sessionStorage: { setItem: () => undefined } });
  const loss = { ...EMPTY_DRAFT, losses: ['label/region=eu'] };
  replaceDraft(loss);
  const asked = question.value;
  changeDraft({ drains: ['edge-1'] });
  expect(question.value).toBe(asked);

  replaceDraft({ ...EMPTY_DRAFT, manifests: 'a: b' });
  expect([current.value.losses, question.value > asked]).toEqual([[], true]);
  const then = question.value;
  bringBackDraft();
  expect([current.value, question.value > then]).toEqual([{ ...loss, drains: ['edge-1'] }, true]);
});
