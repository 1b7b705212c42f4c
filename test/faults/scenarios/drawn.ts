import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';

import type { PlacementSpec } from '../../../src/api/generated/placement.js';
import { ALLOW_ADDITIONS_ANNOTATION, ALLOW_REMOVALS_ANNOTATION, CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import { ManagedClusters } from '../../../src/api/resources.js';
import { slowly, type Scenario, type Step } from '../scenario.js';
import { addCluster, bind, claim, fleet, gold, join, label, leave, place, taint, unbind, unplace } from './fleet.js';
import { byClaims, byLabels } from './placement/words.js';
import { AFTER_QUIET, annotate, atOnce, cheapest, edit, editSet, pending } from './timed/words.js';

/**
 * Scenarios that nobody has written: what somebody does with a Placement and its clusters, drawn by the two numbers in its name. Who is
 * selected is judged by the second model where that covers it, and by the bounds of the spec at every moment.
 */

const PREFIX = 'drawn/';
const NAME = /^drawn\/(\d+)-(\d+)$/;
const STEPS = 6;
/** More are held for a time, when most clusters of a decision are deleted. */
const MOST_DELETED = 2;
/** Longer than any run, and a day: what has used up a budget is not forgotten meanwhile. */
const WEEK_SECONDS = 604_800;
/** An empty object that records removals goes by then, when the budget is taken out. */
const CLEARED_MINUTES = 130;
const TIERS = [{ tier: 'gold' }, { tier: 'silver' }] as const;
const REGIONS = ['eu', 'us', 'ap'];
const PRICES = ['10', '40', '70', ''];
const BOUNDS = [0, 1, 2, '0%', '20%', '34%', '50%', '100%'];
const CLOSED = { start: 'Wed 10:00', duration: '48h', timeZone: 'UTC' };
const NUMBERS = [0, 1, 2, 3, 3, 4, 5];
const TAINTS = ['NoSelect', 'NoSelect', 'NoSelectIfNew', 'PreferNoSelect'].map((effect) => [{ key: 'repair', effect }]);

/** The names of `count` scenarios: others with each seed. */
export function drawnNames(seed: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${PREFIX}${seed}-${index}`);
}

/** The scenario of a name of {@link drawnNames}; undefined for any other name. */
export function drawnScenario(name: string): Scenario | undefined {
  const [, seed, index] = NAME.exec(name) ?? [];
  if (seed === undefined) return undefined;
  const dice = new Dice(Number(seed) * 1_000 + Number(index));
  const history = new History(dice);
  const given = Array.from('abcdef', (one) => [one, history.cluster()] as const);
  return {
    name,
    isDrawn: true,
    // Other values alone are looked at within five seconds.
    quietMs: 6_000,
    given: async (hands) => {
      await fleet(hands, '');
      for (const [one, of] of given) await addCluster(hands, one, of);
    },
    steps: [place('web', history.spec()), ...Array.from({ length: STEPS }, () => history.step())].map((one) =>
      pending(one, CLEARED_MINUTES),
    ),
  };
}

class History {
  readonly #dice: Dice;
  readonly #there = new Set('abcdef');
  readonly #absent = new Set('gh');
  #deleted = 0;
  #isBound = true;
  #isBeside = false;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  cluster(): Parameters<typeof join>[1] & object {
    const labels = this.#dice.pick(TIERS);
    return { labels, claims: { price: this.#dice.pick(PRICES), region: this.#dice.pick(REGIONS) } };
  }

  spec(): PlacementSpec {
    const fields = this.#dice.some(FIELDS, this.#dice.between(1, 3));
    return Object.assign({}, ...fields.map((one) => one(this.#dice))) as PlacementSpec;
  }

  step(): Step {
    const dice = this.#dice;
    const one = dice.pick([...this.#there]);
    switch (dice.between(1, 17)) {
      case 1:
      case 2:
        return taint(one, dice.pick([[], ...TAINTS]));
      case 3:
        return claim(one, { price: dice.pick(PRICES), region: dice.pick(REGIONS) });
      case 4:
      case 5:
        return this.#deleted < MOST_DELETED ? this.#leave(one) : this.#label(one);
      case 6:
        return this.#absent.size > 0 ? this.#join() : this.#label(one);
      case 7:
        this.#isBound = !this.#isBound;
        return this.#isBound ? bind('fleet') : unbind('fleet');
      case 8:
      case 9:
      case 10:
        return edit('web', this.#edited());
      case 11:
        return annotate('web', { [dice.pick(RELEASES)]: `${AFTER_QUIET}/${dice.pick(['*', one])}` });
      case 12:
        this.#isBeside = !this.#isBeside;
        return this.#isBeside ? place('db', this.spec()) : unplace('db');
      case 13:
        return this.#many();
      case 14:
        return editSet(
          'fleet',
          dice.pick([{ paused: true }, { paused: null }, { changeWindows: [CLOSED] }, { changeWindows: null }]),
        );
      default:
        return this.#label(one);
    }
  }

  /** In or out of the predicates, or of the set. */
  #label(name: string): Step {
    const set = this.#dice.chance(0.2) ? 'other' : 'fleet';
    return label(name, { ...this.#dice.pick(TIERS), [CLUSTER_SET_LABEL]: set });
  }

  #leave(name: string): Step {
    this.#deleted += 1;
    this.#there.delete(name);
    this.#absent.add(name);
    // Without a budget, a record of it runs out meanwhile.
    return slowly(90, leave(name));
  }

  #join(): Step {
    const name = this.#dice.pick([...this.#absent]);
    this.#absent.delete(name);
    this.#there.add(name);
    return join(name, this.cluster());
  }

  /** What one command does to several clusters: seen at once. */
  #many(): Step {
    const names = this.#dice.some([...this.#there], this.#dice.between(2, 4));
    const labels = this.#dice.pick(TIERS);
    return atOnce(`clusters ${names.join('')} have the labels ${JSON.stringify(labels)}`, async (hands) => {
      for (const name of names) await hands.patch(ManagedClusters, { name }, { metadata: { labels } });
    });
  }

  /** One or two fields, each with another value or none. */
  #edited(): object {
    const dice = this.#dice;
    const fields = dice.some(FIELDS, dice.between(1, 2)).map((one) => one(dice));
    const given = Object.assign({}, ...fields) as Record<string, unknown>;
    for (const name of Object.keys(given)) if (dice.chance(0.3)) given[name] = null;
    // A spread needs a number.
    return given['numberOfClusters'] === null ? { ...given, spreadPolicy: null } : given;
  }
}

const RELEASES = [ALLOW_REMOVALS_ANNOTATION, ALLOW_ADDITIONS_ANNOTATION];

/** Each field of a spec, with some value. */
const FIELDS: readonly ((dice: Dice) => PlacementSpec)[] = [
  (dice) => ({ numberOfClusters: dice.pick(NUMBERS) }),
  (dice) => ({ numberOfClusters: dice.pick(NUMBERS) }),
  (dice) => ({ disruptionBudget: budget(dice) }),
  (dice) => ({ disruptionBudget: budget(dice) }),
  () => ({ predicates: gold }),
  (dice) => ({ predicates: [...gold, byClaims({ key: 'region', operator: 'In', values: [dice.pick(REGIONS)] })] }),
  (dice) => ({
    predicates: [byLabels({ tier: 'gold' }, dice.between(1, 2)), byLabels({ tier: 'silver' }, dice.between(1, 3))],
  }),
  () => ({ prioritizerPolicy: cheapest }),
  (dice) => ({
    numberOfClusters: dice.between(1, 5),
    spreadPolicy: {
      spreadConstraints: [
        {
          topologyKey: 'region',
          topologyKeyType: 'Claim',
          maxSkew: dice.between(1, 2),
          whenUnsatisfiable: dice.pick(['DoNotSchedule', 'ScheduleAnyway']),
        },
      ],
    },
  }),
  (dice) => ({ decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: dice.pick([1, 2, '50%']) } } }),
  () => ({ tolerations: [{ key: 'repair', operator: 'Exists' }] }),
  () => ({ paused: true }),
  (dice) => ({ changeWindows: [dice.pick([CLOSED, { ...CLOSED, start: 'Sun 00:00' }])] }),
];

function budget(dice: Dice): NonNullable<PlacementSpec['disruptionBudget']> {
  const bounds = { maxRemovals: dice.pick(BOUNDS), maxAdditions: dice.pick(BOUNDS) };
  const [one] = dice.some(['maxRemovals', 'maxAdditions'] as const, 1);
  const chosen = one === undefined || dice.chance(0.4) ? bounds : { [one]: bounds[one] };
  return { ...chosen, windowSeconds: WEEK_SECONDS };
}
