import type { JSX } from 'preact';
import { VERDICTS } from '../../../api/verdicts.js';
import { shown } from '../command.js';
import { spaced } from '../words.js';
import type { ClusterHealth, Health } from '../../../answers/fleetsummary.js';
import type { TroubledHealth } from '../../wire/placement.js';
import { Since } from './name.js';

/** States by shape and color together: neither alone tells anything. */

export type Tone = 'ok' | 'warn' | 'bad' | 'quiet' | 'info';

const LINE = { stroke: 'currentColor', 'stroke-width': '2.6', 'stroke-linecap': 'round', fill: 'none' } as const;
const RING = <circle cx="8" cy="8" r="5.2" {...LINE} stroke-width="2" />;
const HALF = (
  <g>
    {RING}
    <path d="M8 2.8a5.2 5.2 0 0 0 0 10.4z" fill="currentColor" />
  </g>
);
const CROSS = <path d="M3.5 3.5l9 9m0-9l-9 9" {...LINE} />;
const BAR = <path d="M3 8h10" {...LINE} />;
const PAUSE = <path d="M5.5 3v10m5-10v10" {...LINE} stroke-linecap="butt" />;
const TRIANGLE = <path d="M8 2.2l6.3 11.3H1.7z" fill="currentColor" />;
const CHECK = <path d="M3 8.5l3.4 3.5L13 4.8" {...LINE} stroke-width="2.4" stroke-linejoin="round" />;
/** How a cell of the map looks; in the legend it has the same shape. */
export interface CellLook {
  readonly tone: Tone | 'cell-ok' | 'accent';
  readonly text: string;
  /** How much of it is full, from below: 0 to 1. */
  readonly fill: number;
  /** Across it; `dot`: nothing but a dot, for what is not asked about. */
  readonly over?: 'cross' | 'bar' | 'dot';
  readonly isDashed?: true;
  /** Whether it is counted beside a group of the map. */
  readonly isLoud?: true;
}

export const HEALTH_LOOK: Readonly<Record<Health, CellLook>> = {
  available: { tone: 'cell-ok', text: 'available', fill: 1 },
  silent: { tone: 'warn', text: 'silent', fill: 0.5, isLoud: true },
  unavailable: { tone: 'bad', text: 'unavailable', fill: 0, over: 'cross', isLoud: true },
  notJoined: { tone: 'info', text: 'not joined', fill: 0, isLoud: true },
  noAgent: { tone: 'quiet', text: 'no agent', fill: 0, isDashed: true, isLoud: true },
  deleting: { tone: 'quiet', text: 'deleting', fill: 0, over: 'bar', isLoud: true },
};

/** Of what a Placement or a plan does with a cluster. */
const MARK_LOOK: Readonly<Record<string, CellLook>> = {
  selected: { tone: 'accent', text: 'selected', fill: 1, isLoud: true },
  held: { tone: 'warn', text: 'held', fill: 0.5, isLoud: true },
  waiting: { tone: 'info', text: 'waiting', fill: 0.5, isLoud: true },
  matches: { tone: 'accent', text: 'matches', fill: 0.5 },
  near: { tone: 'accent', text: 'lacks one requirement', fill: 0.2 },
  out: { tone: 'quiet', text: 'out', fill: 0 },
  notBound: { tone: 'quiet', text: 'not in an eligible set', fill: 0, over: 'dot' },
  lost: { tone: 'bad', text: 'lost', fill: 0, over: 'cross', isLoud: true },
  leaves: { tone: 'bad', text: 'leaving', fill: 0, over: 'bar', isLoud: true },
  comesIn: { tone: 'accent', text: 'coming in', fill: 1, isLoud: true },
  same: { tone: 'quiet', text: 'as before', fill: 0, over: 'dot' },
  none: { tone: 'quiet', text: 'none', fill: 0, isDashed: true },
  unknown: { tone: 'quiet', text: 'not known', fill: 0, isDashed: true },
};

const LOOKS: Readonly<Record<string, CellLook>> = { ...MARK_LOOK, ...HEALTH_LOOK };

/** Of each row of a legend: versions and scores are shades, the first the fullest. */
export function looksOf(keys: readonly string[]): readonly CellLook[] {
  const shades = keys.filter((key) => !Object.hasOwn(LOOKS, key));
  const last = Math.max(shades.length - 1, 1);
  return keys.map((key) => {
    const text = key.replace(/^\d+: /, '');
    const known = Object.hasOwn(LOOKS, key) ? LOOKS[key] : undefined;
    return known ?? { tone: 'accent', text, fill: 1 - shades.indexOf(key) / last };
  });
}

/** In a box of 16, as `drawCell` draws it. */
function cellShape({ fill, over, isDashed }: CellLook): JSX.Element {
  if (over === 'dot') return <path d="M6 6h4v4H6z" fill="currentColor" />;
  return (
    <g>
      <path
        d="M2.8 2.8h10.4v10.4H2.8z"
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        {...(isDashed === true ? { 'stroke-dasharray': '2.4 2' } : {})}
      />
      {fill > 0 && <path d={`M2 ${14 - 12 * fill}h12V14H2z`} fill="currentColor" />}
      {over === 'cross' && CROSS}
      {over === 'bar' && BAR}
    </g>
  );
}

export function CellMark({ look }: { readonly look: CellLook }): JSX.Element {
  return (
    <span class={`mark ${look.tone}`}>
      <Shape shape={cellShape(look)} />
      <span>{look.text}</span>
    </span>
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
  Undecided: ['bad', RING],
  Paused: ['info', PAUSE],
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
  const look = HEALTH_LOOK[health];
  const { tone, text: usual } = look;
  const text = isJudged === false ? `reported ${usual}, not judged by the hub` : usual;
  return (
    <span class={`mark ${tone}`} title={text}>
      <Shape shape={cellShape(look)} />
      <span class={short === true ? 'unseen' : ''}>{text}</span>
    </span>
  );
}

/** Beside a name: that the cluster is not as it should be, and since when. */
export function TroubleMark({ of: { health, isJudged, since } }: { readonly of: TroubledHealth }): JSX.Element | null {
  return health === undefined ? null : (
    <>
      <HealthMark health={health} isJudged={isJudged} /> <Since time={since} />
    </>
  );
}

/** The word may be one of the fleet, such as `constructor`. */
function wordLook(word: string): readonly [Tone, JSX.Element] {
  return (Object.hasOwn(WORDS, word) ? WORDS[word] : undefined) ?? ['quiet', RING];
}

export function toneOf(word: string): Tone {
  return wordLook(word)[0];
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
  const [usual, shape] = wordLook(word);
  return (
    <span class={`mark ${tone ?? usual} ${badge === true ? 'badge' : ''}`}>
      <Shape shape={shape} />
      <span>{shown(text)}</span>
    </span>
  );
}
