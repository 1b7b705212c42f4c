import type { JSX } from 'preact';
import type { Condition } from '../../wire/placement.js';
import { shown } from '../command.js';
import type { Tone } from './icon.js';
import { spaced, WordMark } from './icon.js';
import { Since, Text } from './name.js';

/** Conditions of which True is no good news. */
const WORRIES = new Set([
  'PlacementMisconfigured',
  'Stalled',
  'RemovalsHeld',
  'AdditionsHeld',
  'ClusterSetMissing',
  'ClusterSetEmpty',
  'HubWriteRefused',
  'Degraded',
]);

export function Conditions({ list }: { readonly list: readonly Condition[] }): JSX.Element {
  if (list.length === 0) return <p class="muted">The status has no conditions yet.</p>;
  return (
    <ul class="conditions">
      {list.map((one) => (
        <li key={one.type}>
          <WordMark word={one.status} text={spaced(one.type)} tone={toneOf(one)} />
          <span class="muted">
            {one.status} {one.reason !== '' && `· ${one.reason}`} <Since time={one.since} />
          </span>
          {one.message !== '' && <p>{shown(one.message)}</p>}
        </li>
      ))}
    </ul>
  );
}

function toneOf({ type, status }: Condition): Tone {
  if (status === 'Unknown') return 'warn';
  const isWorry = WORRIES.has(type);
  if (isWorry) return status === 'True' ? 'warn' : 'quiet';
  if (type === 'Reconciling') return status === 'True' ? 'info' : 'quiet';
  return status === 'True' ? 'ok' : 'bad';
}

export function Pairs({
  pairs,
  empty,
}: {
  readonly pairs: Readonly<Record<string, string>>;
  readonly empty: string;
}): JSX.Element {
  const list = Object.entries(pairs);
  if (list.length === 0) return <p class="muted">{empty}</p>;
  return (
    <dl class="pairs">
      {list.map(([key, value]) => (
        <div key={key}>
          <dt>
            <Text of={key} />
          </dt>
          <dd>
            <Text of={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
