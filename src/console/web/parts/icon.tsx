import type { JSX } from 'preact';
import { VERDICTS } from '../../../api/verdicts.js';
import type { Health } from '../../../answers/fleetsummary.js';

/** States by shape and color together: neither alone tells anything. */

export type Tone = 'ok' | 'warn' | 'bad' | 'quiet' | 'info';

interface Look {
  readonly tone: Tone;
  readonly text: string;
  /** In a box of 16. */
  readonly shape: JSX.Element;
}

const RING = <circle cx="8" cy="8" r="5.2" fill="none" stroke="currentColor" stroke-width="2" />;
const DISC = <circle cx="8" cy="8" r="6" fill="currentColor" />;
const HALF = (
  <g>
    {RING}
    <path d="M8 2.8a5.2 5.2 0 0 0 0 10.4z" fill="currentColor" />
  </g>
);
const CROSS = (
  <path d="M3.5 3.5l9 9m0-9l-9 9" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" fill="none" />
);
const DASHES = (
  <circle cx="8" cy="8" r="5.2" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="2.6 2.8" />
);
const BAR = <path d="M3 8h10" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" />;
const TRIANGLE = <path d="M8 2.2l6.3 11.3H1.7z" fill="currentColor" />;
const CHECK = (
  <path
    d="M3 8.5l3.4 3.5L13 4.8"
    stroke="currentColor"
    stroke-width="2.4"
    stroke-linecap="round"
    stroke-linejoin="round"
    fill="none"
  />
);

export const HEALTH_LOOK: Readonly<Record<Health, Look>> = {
  available: { tone: 'ok', text: 'available', shape: DISC },
  silent: { tone: 'warn', text: 'silent', shape: HALF },
  unavailable: { tone: 'bad', text: 'unavailable', shape: CROSS },
  notJoined: { tone: 'info', text: 'not joined', shape: RING },
  noAgent: { tone: 'quiet', text: 'no agent', shape: DASHES },
  deleting: { tone: 'quiet', text: 'deleting', shape: BAR },
};

const SHAPES = { check: CHECK, cross: CROSS, bar: BAR, ring: RING, triangle: TRIANGLE };

/** Of phases, verdicts and conditions; another word is quiet. */
const WORDS: Readonly<Record<string, readonly [Tone, JSX.Element]>> = {
  ...Object.fromEntries(
    Object.entries(VERDICTS).map(([word, { tone, shape }]) => [word, [tone, SHAPES[shape]] as const]),
  ),
  Satisfied: ['ok', CHECK],
  PartiallySatisfied: ['warn', HALF],
  Unsatisfied: ['bad', CROSS],
  Misconfigured: ['bad', TRIANGLE],
  Paused: ['info', BAR],
  Available: ['ok', CHECK],
  Created: ['ok', CHECK],
  Changed: ['info', HALF],
  Deleted: ['bad', CROSS],
  True: ['ok', CHECK],
  False: ['bad', CROSS],
  Warning: ['warn', TRIANGLE],
  Failed: ['bad', CROSS],
  Degraded: ['warn', TRIANGLE],
  Updating: ['info', HALF],
  Installing: ['info', HALF],
};

function Shape({ shape }: { readonly shape: JSX.Element }): JSX.Element {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" class="icon">
      {shape}
    </svg>
  );
}

export function HealthMark({ health, short }: { readonly health: Health; readonly short?: boolean }): JSX.Element {
  const { tone, text, shape } = HEALTH_LOOK[health];
  return (
    <span class={`mark ${tone}`} title={text}>
      <Shape shape={shape} />
      <span class={short === true ? 'unseen' : ''}>{text}</span>
    </span>
  );
}

export interface WordMarkProps {
  readonly word: string;
  /** Shown instead of the word. */
  readonly text?: string;
  readonly badge?: boolean;
  /** Of a condition whose True is bad. */
  readonly tone?: Tone | undefined;
}

export function WordMark({ word, text = spaced(word), badge, tone }: WordMarkProps): JSX.Element {
  const [usual, shape] = WORDS[word] ?? ['quiet', RING];
  return (
    <span class={`mark ${tone ?? usual} ${badge === true ? 'badge' : ''}`}>
      <Shape shape={shape} />
      <span>{text}</span>
    </span>
  );
}

/** `PartiallySatisfied` as `partially satisfied`. */
export function spaced(word: string): string {
  return word.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
