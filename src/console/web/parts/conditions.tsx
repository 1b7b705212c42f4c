import type { JSX } from 'preact';
import type { Condition } from '../../../answers/status.js';
import { shown } from '../command.js';
import { conditionLook, isNo } from '../conditionlook.js';
import { spaced } from '../words.js';
import { WordMark } from './icon.js';
import { Since, Text } from './name.js';

export function Conditions({ list }: { readonly list: readonly Condition[] }): JSX.Element {
  if (list.length === 0) return <p class="muted">The status has no conditions yet.</p>;
  return (
    <ul class="conditions">
      {list.map((one) => (
        <li key={one.type}>
          <WordMark {...conditionLook(one)} text={isNo(one) ? `${spaced(one.type)}: no` : spaced(one.type)} />
          <span class="muted">
            {isNo(one) ? '' : one.status} {one.reason !== '' && `· ${shown(one.reason)}`} <Since time={one.since} />
          </span>
          {one.message !== '' && <p>{shown(one.message)}</p>}
        </li>
      ))}
    </ul>
  );
}

type PairsProps = { readonly pairs: Readonly<Record<string, string>>; readonly empty: string };

export function Pairs({ pairs, empty }: PairsProps): JSX.Element {
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
