import { ALLOW_REMOVALS_ANNOTATION, TAINTS } from '../../../../src/api/names.js';
import { slowly, wait, scenarios, type Step } from '../../scenario.js';
import { gold, join, label, leave, place, tiers, unlabelDecision } from '../fleet.js';
import {
  annotate,
  at,
  edit,
  joinAll,
  leaveAtOnce,
  note,
  noted,
  pending,
  redefine,
  selectedBy,
  taintSince,
} from './words.js';

const given = { labels: { tier: 'gold' } };

const silent = { key: TAINTS.unreachable, effect: 'NoSelect', timeAdded: at('09:00') };

function falls(name: string): Step {
  const act: Step['act'] = (stage) => {
    const timeAdded = new Date(stage.simulation.now()).toISOString();
    return taintSince(name, [{ ...silent, timeAdded }]).act(stage);
  };
  return pending({ title: `cluster ${name} is silent`, act }, 10);
}

/** One step of many, `seconds` apart: each is seen before the next one. */
const inTurn = (seconds: number, steps: readonly Step[]): Step => ({
  title: `${steps.map(({ title }) => title).join('; ')}: ${seconds} s apart`,
  act: async (stage) => {
    for (const one of steps) {
      await one.act(stage);
      await stage.simulation.pass(seconds * 1_000);
    }
  },
});

export const ABSENCES = scenarios('timed', {
  tolerations: {
    selects: 'abcd abcd abcd abcd acd acd ad',
    given: tiers('abcd'),
    steps: [
      place('web', { tolerations: [{ key: 'repair', operator: 'Exists', tolerationSeconds: 3_600 }] }),
      pending(taintSince('a', [{ key: 'repair', effect: 'NoSelect' }]), 75),
      pending(taintSince('b', [{ key: 'repair', effect: 'NoSelect', timeAdded: at('10:30') }]), 120),
      pending(wait(40), 80),
      wait(80),
      taintSince('a', []),
      taintSince('c', [{ key: 'repair', effect: 'NoSelect', timeAdded: at('10:30') }]),
    ],
  },
  /** Where its taint is tolerated, a cluster that is not healthy comes last, and one that has never joined does not come. */
  unhealthy: {
    selects: '- - cde acde acde',
    given: tiers('abcde'),
    steps: [
      taintSince('a', [silent]),
      taintSince('b', [{ key: TAINTS.unreachable, effect: 'NoSelectIfNew' }]),
      place('web', { numberOfClusters: 3, tolerations: [{ key: TAINTS.unreachable, operator: 'Exists' }] }),
      edit('web', { numberOfClusters: 4 }),
      edit('web', { numberOfClusters: 5 }),
    ],
  },
  /** A taint of health that the spec does not name is tolerated for 300 s, and longer where nobody takes the place. */
  implied: {
    selects: 'ac ac ac bc bc bc',
    // A fault can take as long as the toleration.
    isTimed: true,
    given: tiers('abc'),
    steps: [place('web', { numberOfClusters: 2 }), falls('a'), pending(wait(4), 10), wait(4), falls('b'), wait(8)],
  },
  definitions: {
    selects: 'abcd abcd abcd abc bc',
    given: tiers('abcd'),
    steps: [
      place('web', { predicates: gold }),
      redefine,
      joinAll('abc', given),
      annotate('web', { [ALLOW_REMOVALS_ANNOTATION]: `${at('23:00')}/d` }),
      label('a', { tier: 'silver' }),
    ],
  },
  'bulk-deletion': {
    selects: 'abcdefgh abcdefgh abcdefgh abcdefgh abcfgh abcdfgh fgh',
    given: tiers('abcdefgh'),
    steps: [
      place('web', { predicates: gold }),
      pending(leaveAtOnce('abcde'), 40),
      pending(join('a', given), 40),
      pending(joinAll('bc', given), 40),
      wait(40),
      join('d', given),
      // They are held for 15 minutes.
      slowly(8 * 60, noted(12, leaveAtOnce('abcd'), selectedBy('web'))),
    ],
    stores: [note(7, 'abcdfgh')],
  },
  /** A release that was given for something else. */
  'release-before-loss': {
    selects: 'abc abc abc abc',
    given: tiers('abc'),
    steps: [
      place('web', { predicates: gold }),
      annotate('web', { [ALLOW_REMOVALS_ANNOTATION]: `${at('23:00')}/*` }),
      redefine,
      joinAll('ab', given),
    ],
  },
  /** What changes while a pass is under way, or a watch is gone, has its effect after it. */
  'changes-in-turn': {
    selects: 'abcdefgh cdefgh efgh fgh',
    given: tiers('abcdefgh'),
    steps: [
      place('web', { predicates: gold }),
      inTurn(1, [label('a', { tier: 'silver' }), label('b', { tier: 'silver' })]),
      inTurn(1, [leave('c'), leave('d')]),
      inTurn(1, [label('e', { tier: 'silver' }), unlabelDecision('web-decision-1')]),
    ],
  },
  'deletions-in-turn': {
    selects: 'abcdefgh efgh',
    isTimed: true,
    mostPasses: 12,
    given: tiers('abcdefgh'),
    steps: [
      place('web', { predicates: gold }),
      pending(
        inTurn(
          5,
          Array.from('abcde', (name) => leave(name)),
        ),
        40,
      ),
    ],
  },
  /** One command that writes several clusters, which together are more than the budget lets through. */
  'one-command': {
    selects: 'abcdef abcdef',
    isTimed: true,
    given: tiers('abcdef'),
    steps: [
      place('web', { predicates: gold, disruptionBudget: { maxRemovals: 2 } }),
      inTurn(
        1,
        Array.from('abc', (name) => label(name, { tier: 'silver' })),
      ),
    ],
  },
});
