import type { Plan } from './plan.js';

/** A fault of this product that a plan has found: it stays found. */
export interface Found {
  /** What the product did. */
  readonly what: string;
  /** What it does instead. */
  readonly mendedBy: string;
  readonly plan: Plan;
}

export const FOUND: readonly Found[] = [
  {
    what: 'forgot which clusters were selected, after an object that somebody deleted could not be made again',
    mendedBy: 'what was published is kept until it is known whether a write is stored',
    plan: {
      scenario: 'placement/plain',
      seed: 0,
      faults: [
        {
          where: { step: 7, of: 'write', n: 1 },
          when: 'before',
          what: { kind: 'answer', status: 504, reason: 'Timeout' },
        },
      ],
    },
  },
];
