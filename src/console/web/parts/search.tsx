import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { HEALTHS, type Fleet, type Key } from '../../wire/fleet.js';
import { hasUnseen } from '../../wire/unseen.js';
import { shown } from '../command.js';
import { useLoaded } from '../store.js';
import { clustersText } from '../words.js';

/** The query of the fleet; the browser offers the fields, keys and values that can follow. */

export interface SearchProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly fault: string | undefined;
  readonly sets: Fleet['sets'];
}

export function Search({ value, onInput, fault, sets }: SearchProps): JSX.Element {
  const id = useId();
  const isUsed = useSignal(false);
  const { data: keys = [] } = useLoaded<readonly Key[]>(isUsed.value ? 'fleet/keys' : undefined);
  const at = value.lastIndexOf(' ') + 1;
  const wrong = fault ?? (hasUnseen(value) ? `characters that are not seen: ${value}` : undefined);
  return (
    <div class="search">
      <input
        type="search"
        list={id}
        aria-label="Filter clusters"
        aria-invalid={wrong !== undefined}
        placeholder="Filter: set:prod label:tier=gold health:silent"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        value={value}
        onFocus={() => (isUsed.value = true)}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <datalist id={id}>
        {termsAfter(value.slice(at), keys, sets).map(([term, note]) => (
          <option key={term} value={value.slice(0, at) + term}>
            {note}
          </option>
        ))}
      </datalist>
      {wrong !== undefined && (
        <p class="fault" role="alert">
          {shown(wrong)}
        </p>
      )}
    </div>
  );
}

type Term = readonly [text: string, note: string];

/** What the last term can be; the browser shows those that go on with what is written. */
function termsAfter(last: string, keys: readonly Key[], sets: Fleet['sets']): readonly Term[] {
  // The browser would show them as they are.
  return candidates(last, keys, sets).filter(([text]) => !hasUnseen(text));
}

function candidates(last: string, keys: readonly Key[], sets: Fleet['sets']): readonly Term[] {
  const [, source, key, operator = ''] = /^(label|claim):([^=!]+)(!?=)/.exec(last) ?? [];
  const values = keys.find((one) => one.source === source && one.key === key)?.values ?? [];
  return [
    ...FIELDS,
    ...HEALTHS.map((health) => [`health:${health}`, ''] as const),
    ...sets.map(({ value, count }) => [`set:${quoted(value)}`, clustersText(count)] as const),
    ...keys.map((one) => [`${one.source}:${one.key}=`, clustersText(one.clusters)] as const),
    ...values.map(({ value, count }) => [`${source}:${key}${operator}${quoted(value)}`, clustersText(count)] as const),
  ];
}

const FIELDS: readonly Term[] = [
  ['set:', 'in a cluster set'],
  ['label:', 'KEY, KEY=VALUE or KEY!=VALUE'],
  ['claim:', 'KEY, KEY=VALUE or KEY!=VALUE'],
  ['health:', 'available, silent, …'],
  ['taint:', 'KEY'],
];

/** A value as a term of the query: in quotes where it holds blanks. */
export function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
