import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TAINTS } from '../../../../src/api/names.js';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';
import { taintsAgainstSelected, taintsOfSelected } from '../../../../src/domain/placement/select/standing.js';
import type { Taint } from '../../../../src/domain/placement/spec/taint.js';
import { otherTaintText, otherTaints, selectedTaintsText } from '../../../../src/domain/placement/explain/taints.js';
import { cluster } from '../../../support/builders/placement.js';
import { someTaints, someTolerations, taint } from '../../../support/builders/taints.js';

interface Case {
  readonly taints: readonly Taint[];
  readonly tolerations?: readonly object[];
  readonly inDecision?: boolean;
}

function textOf({ taints, tolerations = [], inDecision = true }: Case): string | undefined {
  return selectedTaintsText({ cluster: cluster('edge-1', { taints }), inDecision }, compileSpec({ tolerations }));
}

const cordoned = taint(TAINTS.cordoned, { effect: 'NoSelectIfNew', since: undefined });
const maintenance = taint('maintenance');
const exists = (key: string, over: object = {}): object => ({ key, operator: 'Exists', ...over });
const CORDONED = 'taint cluster.fleetmgmt.io/cordoned:NoSelectIfNew, which removes no selected cluster';

describe('the taints of a selected cluster', () => {
  it.each([
    {
      of: 'a cordoned cluster says that this taint does not remove it, and what does',
      given: { taints: [cordoned] },
      text: `${CORDONED} (kubectl mce drain edge-1 does)`,
    },
    {
      of: 'a cordoned cluster names no drain where the Placement tolerates its taint',
      given: { taints: [cordoned], tolerations: [{ operator: 'Exists' }] },
      text: CORDONED,
    },
    {
      of: 'a cluster with a taint that is tolerated for ever names the first toleration that does so',
      given: {
        taints: [maintenance],
        tolerations: [
          exists('other'),
          exists('maintenance', { tolerationSeconds: 60 }),
          exists('maintenance'),
          exists('maintenance'),
        ],
      },
      text: 'taint maintenance:NoSelect since 1970-01-01T00:00:00Z, tolerated for ever by spec.tolerations[2]',
    },
    {
      of: 'a cluster with a taint of the hub names the toleration of every key',
      given: { taints: [taint(TAINTS.unreachable)], tolerations: [{ operator: 'Exists' }] },
      text: 'taint cluster.fleetmgmt.io/unreachable:NoSelect since 1970-01-01T00:00:00Z, tolerated for ever by spec.tolerations[0]',
    },
    {
      of: 'a cluster with a taint that is tolerated for a time says until when',
      given: { taints: [maintenance], tolerations: [exists('maintenance', { tolerationSeconds: 60 })] },
      text: 'taint maintenance:NoSelect since 1970-01-01T00:00:00Z, tolerated until 1970-01-01T00:01:00Z',
    },
    {
      of: 'a cluster with several taints names the one whose toleration ends, and counts the others',
      given: {
        taints: [cordoned, taint('disks'), maintenance],
        tolerations: [exists('disks'), exists('maintenance', { tolerationSeconds: 60 })],
      },
      text: 'taint maintenance:NoSelect since 1970-01-01T00:00:00Z, tolerated until 1970-01-01T00:01:00Z (and 2 more)',
    },
    {
      of: 'a cordoned cluster with a taint that is tolerated for ever names the latter, which could remove it',
      given: { taints: [cordoned, maintenance], tolerations: [exists('maintenance')] },
      text: 'taint maintenance:NoSelect since 1970-01-01T00:00:00Z, tolerated for ever by spec.tolerations[0] (and 1 more)',
    },
    {
      of: 'a cordoned cluster that comes in names the toleration that lets it in',
      given: { taints: [cordoned], tolerations: [exists(TAINTS.cordoned)], inDecision: false },
      text: 'taint cluster.fleetmgmt.io/cordoned:NoSelectIfNew, tolerated for ever by spec.tolerations[0]',
    },
    {
      of: 'a cluster with the taint PreferNoSelect names none',
      given: { taints: [taint('slow', { effect: 'PreferNoSelect' })], tolerations: [exists('slow')] },
      text: undefined,
    },
    { of: 'a cluster without taints names none', given: { taints: [] }, text: undefined },
  ])('$of', ({ given, text }) => {
    expect(textOf(given)).toBe(text);
  });

  it('each taint of a selected cluster has a text of its own, NoSelect first', () => {
    const rules = compileSpec({ tolerations: [exists('maintenance')] });
    const subject = { cluster: cluster('edge-1', { taints: [cordoned, maintenance] }), inDecision: true };

    expect(otherTaints(subject, rules).map((one) => otherTaintText(one, subject, rules))).toEqual([
      'taint maintenance:NoSelect since 1970-01-01T00:00:00Z, tolerated for ever by spec.tolerations[0]',
      `${CORDONED} (kubectl mce drain edge-1 does)`,
    ]);
  });

  it('each taint but PreferNoSelect makes a selected cluster leave, now or later, or does not', () => {
    fc.assert(
      fc.property(someTaints, someTolerations, (taints, items) => {
        const { tolerations } = compileSpec({ tolerations: items });
        const found = [...taintsAgainstSelected(taints, tolerations), ...taintsOfSelected(taints, tolerations, true)];

        expect(found.map((one) => one.taint.key).sort()).toEqual(
          taints.flatMap(({ key, effect }) => (effect === 'PreferNoSelect' ? [] : [key])).sort(),
        );
      }),
    );
  });
});
