import type { JSX } from 'preact';
import { VERDICTS } from '../../../api/verdicts.js';
import { spaced } from '../words.js';
import type { ClusterHealth, Health } from '../../../answers/fleetsummary.js';

/** States by shape and color together: neither alone tells anything. */

export type Tone = 'ok' | 'warn' | 'bad' | 'quiet' | 'info';

interface Look {
  readonly tone: Tone;
  readonly text: string;
  /** In a box of 16. */
  readonly shape: JSX.Element;
}

const RING = <circle cx="8" cy="8" r="5.2" fill="none" stroke="currentColor" stroke-width="2" />;
const HALF = (
  <g>
    {RING}
    <path d="M8 2.8a5.2 5.2 0 0 0 0 10.4z" fill="currentColor" />
  </g>
);
const CROSS = (
  <path d="M3.5 3.5l9 9m0-9l-9 9" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" fill="none" />
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
const FRAME = <path d="M2.5 2.5h11v11h-11z" fill="none" stroke="currentColor" stroke-width="1.6" />;

/** As the cells of the map. */
export const HEALTH_LOOK: Readonly<Record<Health, Look>> = {
  available: { tone: 'ok', text: 'available', shape: <path d="M2 2h12v12H2z" fill="currentColor" /> },
  silent: { tone: 'warn', text: 'silent', shape: within(<path d="M2 8h12v6H2z" fill="currentColor" />) },
  unavailable: { tone: 'bad', text: 'unavailable', shape: within(CROSS) },
  notJoined: { tone: 'info', text: 'not joined', shape: FRAME },
  noAgent: { tone: 'quiet', text: 'no agent', shape: <g stroke-dasharray="2.4 2">{FRAME}</g> },
  deleting: { tone: 'quiet', text: 'deleting', shape: within(BAR) },
};

function within(shape: JSX.Element): JSX.Element {
  return (
    <g>
      {FRAME}
      {shape}
    </g>
  );
}

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

export interface HealthMarkProps extends Pick<ClusterHealth, 'health'> {
  readonly isJudged?: ClusterHealth['isJudged'] | undefined;
  readonly short?: boolean;
}

export function HealthMark({ health, isJudged, short }: HealthMarkProps): JSX.Element {
  const { tone, text: usual, shape } = HEALTH_LOOK[health];
  const text = isJudged === false ? `reported ${usual}, not judged by the hub` : usual;
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
