import type { ManagerConfig } from '../../src/operator/flags.js';
import type { Content } from './checks/contents.js';
import type { Clients } from './hub/clients.js';
import type { Process } from './hub/process.js';
import type { ProgramSpec } from './hub/program.js';
import type { Hands } from './hub/hands.js';
import type { Simulation } from './hub/time.js';

/** What people and clusters do, one step after the other; each step leads to one state, whatever happens on the way. */
export interface Scenario {
  readonly name: string;
  /** Absent: one operator that runs the controller of Placements alone. */
  readonly programs?: readonly ProgramSpec[];
  /** Whether a gateway runs, and clients ask it. */
  readonly isServed?: boolean;
  /** The managed clusters on which agents may run, by the names of their machines; absent: none. */
  readonly homes?: readonly string[];
  /** What is there before the programs start. */
  readonly given: (hands: Hands) => Promise<void>;
  readonly steps: readonly Step[];
  /**
   * Whom Placement `web` selects at the end of each step, by the documented rules: a letter each, `-` for nobody, a blank between
   * steps. For what the second model does not cover.
   */
  readonly selects?: string;
  /** What is stored at the end of steps: what nobody but the program itself could say else. The run without faults is judged. */
  readonly stores?: readonly Content[];
  /** What is selected depends on when changes are seen: only the run without faults is judged. */
  readonly isTimed?: boolean;
  /** How many passes a key may have in a step, at most; default 5. */
  readonly mostPasses?: number;
  /** How long after the first start of the programs all is as it has to be, ms; default 0. */
  readonly startMs?: number;
  /** Nobody has looked at what it stores: that is not recorded. */
  readonly isDrawn?: boolean;
  /** Whether people edit the objects of decisions. */
  readonly othersEdit?: boolean;
  /** How long a state has to stay as it is to be the end of a step, ms; default 3 s. */
  readonly quietMs?: number;
  /** What goes on is said again and again in Events: they do not count as writes in quiet. */
  readonly repeatsEvents?: boolean;
}

export type Unnamed = Omit<Scenario, 'name'>;

/** The scenarios of a folder, by what follows it in their names. */
export function scenarios(folder: string, byName: Readonly<Record<string, Unnamed>>): Scenario[] {
  return Object.entries(byName).map(([name, one]) => ({ name: `${folder}/${name}`, ...one }));
}

export function programsOf({ programs }: Scenario): readonly ProgramSpec[] {
  return programs ?? [{ name: 'operator', controllers: ['placement'] }];
}

export interface Step {
  /** For people: what is done. */
  readonly title: string;
  readonly act: (world: Stage) => Promise<void>;
  /** Time alone brings one more change within so many minutes: a run that ends here waits for it. */
  readonly pendingMinutes?: number;
  /** The programs are started again with these flags, and have them from then on. */
  readonly config?: Partial<ManagerConfig>;
  /** How long nothing happens but that time passes; absent: something is done. */
  readonly minutes?: number;
}

/** What a step may use. */
export interface Stage {
  readonly hands: Hands;
  readonly simulation: Simulation;
  readonly programs: readonly Process[];
  /** Of the gateway. */
  readonly clients?: Clients | undefined;
}

/** The longest that passes at once: shorter than a Lease. */
const LEAP_MINUTES = 12 * 60;

/** A step in which time passes: in small steps up to five minutes, longer ones at once. */
export function wait(minutes: number): Step {
  return {
    title: `${minutes} min pass`,
    minutes,
    act: async ({ simulation, programs }) => {
      if (minutes <= 5) await simulation.pass(minutes * 60_000);
      for (let left = minutes; minutes > 5 && left > 0; left -= LEAP_MINUTES)
        await simulation.leap(Math.min(left, LEAP_MINUTES) * 60_000);
      // Each leap has a pass of every key: that of the resync.
      if (minutes > LEAP_MINUTES) for (const { passes } of programs) passes.clear();
    },
  };
}

/** A step, and time after it, in small pieces: what it leads to is seen only then. */
export function slowly(seconds: number, { act, title, ...rest }: Step): Step {
  return {
    ...rest,
    title: `${title}, and ${seconds} s pass`,
    act: async (stage) => {
      await act(stage);
      await stage.simulation.pass(seconds * 1_000);
    },
  };
}

export function step(title: string, act: (hands: Hands) => Promise<unknown>): Step {
  return {
    title,
    act: async ({ hands }) => {
      await act(hands);
    },
  };
}
