import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';
import { quietWindow } from '@multicluster-engine/kube-apiserver/testing/wait';
import { argumentsOf, integerOf, seedOf } from '../arguments.js';
import { soakFaults } from './faults.js';
import { slopeOf, slopeRow } from './slopes.js';
import { SoakWorld } from './world.js';

const USAGE = `npm run soak -- --minutes N [--seed S]: kube-apiserver with 5,000 clusters and 1,000 Placements, the program, and a fault
every ten seconds. Ends with the growth of each figure from the second third on; the exit code is 0 only when all are flat.`;
const options = { minutes: { type: 'string' }, seed: { type: 'string' } } as const;

const { minutes, seed } = argumentsOf('soak', USAGE, options, (values) => ({
  minutes: integerOf('minutes', values.minutes ?? '30', 3),
  seed: seedOf(values.seed),
}));

const EVERY_MS = 10_000;
const FAULTS_PER_SAMPLE = 3;

/** Growth in an hour that counts as flat, as a share of the mean. */
const BOUNDS: Readonly<Record<string, number>> = {
  'heap, MiB': 0.02,
  'resident memory, MiB': 0.05,
  'file descriptors': 0.05,
  'timers and handles': 0.05,
  'series of metrics': 0.01,
  'stored, MiB': 0.02,
};

interface Sample {
  /** Since the start, ms. */
  readonly at: number;
  readonly figures: Readonly<Record<string, number>>;
}

/** Lets faults happen, and returns what was sampled between them. */
async function soak(world: SoakWorld): Promise<readonly Sample[]> {
  const dice = new Dice(seed);
  const faults = soakFaults(dice);
  const samples: Sample[] = [];
  const began = performance.now();
  const since = (): number => performance.now() - began;
  const say = (text: string): void => console.log(`${(since() / 60_000).toFixed(1).padStart(5)} min  ${text}`);
  for (let slot = 0, isKilled = false; since() < minutes * 60_000; slot++) {
    if (slot % FAULTS_PER_SAMPLE === 0) {
      const figures = await world.sample();
      samples.push({ at: since(), figures });
      say(
        Object.entries(figures)
          .map(([name, value]) => `${name} ${Number(value.toFixed(1))}`)
          .join('; '),
      );
    }
    // Once, in the first third: what follows is measured on one process.
    if (!isKilled && since() > minutes * 10_000) {
      isKilled = true;
      say('the program is killed and started again');
      await world.program.kill('SIGKILL');
      await world.start();
    } else {
      const [name, happen] = faults.next().value;
      say(name);
      await happen(world, dice);
    }
    await quietWindow(Math.max((slot + 1) * EVERY_MS - since(), 1_000));
  }
  return samples;
}

const opening = performance.now();
const world = await SoakWorld.open();
console.log(`the fleet is there after ${Math.round((performance.now() - opening) / 1_000)} s`);
const over = new AbortController();
const renewing = world.renew(over.signal);
try {
  const samples = (await soak(world)).filter(({ at }) => at >= minutes * 20_000);
  await world.settled();
  const times = samples.map(({ at }) => at / 3_600_000);
  const slopes = Object.entries(BOUNDS).map(([name, bound]) => {
    const slope = slopeOf(
      samples.map(({ figures }) => figures[name] ?? NaN),
      times,
      bound,
    );
    console.log(slopeRow(name, slope));
    return slope;
  });
  const growing = slopes.filter(({ grows }) => grows).length;
  console.log(`${samples.length} samples from the second third on: ${growing} figures grow`);
  process.exitCode = growing === 0 ? 0 : 1;
} finally {
  over.abort();
  await renewing;
  await world.close();
}
