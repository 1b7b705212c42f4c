import type { Program, ProgramSpec } from './hub/program.js';
import type { Hands } from './hub/hands.js';
import type { Simulation } from './hub/time.js';

/** What people and clusters do, one step after the other; each step leads to one state, whatever happens on the way. */
export interface Scenario {
  readonly name: string;
  readonly programs: readonly ProgramSpec[];
  /** What is there before the programs start. */
  readonly given: (hands: Hands) => Promise<void>;
  readonly steps: readonly Step[];
  /** How long a state has to stay as it is to be the end of a step, ms; default 3 s. */
  readonly quietMs?: number;
}

export interface Step {
  /** For people: what is done. */
  readonly title: string;
  readonly act: (world: Stage) => Promise<void>;
}

/** What a step may use. */
export interface Stage {
  readonly hands: Hands;
  readonly simulation: Simulation;
  readonly programs: readonly Program[];
}

/** A step in which time passes: in small steps up to five minutes, longer ones at once. */
export function wait(minutes: number): Step {
  const ms = minutes * 60_000;
  return {
    title: `${minutes} min pass`,
    act: ({ simulation }) => (ms <= 300_000 ? simulation.pass(ms) : simulation.leap(ms)),
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
