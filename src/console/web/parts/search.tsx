import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { HEALTHS, type Fleet, type Key } from '../../wire/fleet.js';
import { hasUnseen } from '../../wire/unseen.js';
import { clustersText } from '../words.js';
import { useLoaded } from '../store.js';
import { Combobox, type Option } from './combobox.js';

/** The query of the fleet, with the fields, keys and values that can follow. */

export interface SearchProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly fault: string | undefined;
  readonly sets: Fleet['sets'];
}

const MOST = 12;

export function Search({ value, onInput, fault, sets }: SearchProps): JSX.Element {
  const isOpen = useSignal(false);
  const { data: keys = [] } = useLoaded<readonly Key[]>(isOpen.value ? 'fleet/keys' : undefined);
  const at = value.lastIndexOf(' ') + 1;
  return (
    <Combobox
      label="Filter clusters"
      placeholder="Filter: set:prod label:tier=gold health:silent"
      value={value}
      isOpen={isOpen}
      list={suggestions(value.slice(at), keys, sets)}
      onInput={onInput}
      onTake={({ text }) => {
        const isWhole = !text.endsWith(':') && !text.endsWith('=');
        onInput(`${value.slice(0, at)}${text}${isWhole ? ' ' : ''}`);
        isOpen.value = !isWhole;
      }}
      fault={fault ?? (hasUnseen(value) ? `characters that are not seen: ${value}` : undefined)}
    />
  );
}

function suggestions(last: string, keys: readonly Key[], sets: Fleet['sets']): readonly Option[] {
  const all = candidates(last, keys, sets);
  return all.filter(({ text }) => text.startsWith(last) && text !== last).slice(0, MOST);
}

function candidates(last: string, keys: readonly Key[], sets: Fleet['sets']): readonly Option[] {
  const [, source, key] = /^(label|claim):([^=!]+)!?=/.exec(last) ?? [];
  if (key !== undefined) {
    const found = keys.find((one) => one.source === source && one.key === key);
    const begin = last.slice(0, last.indexOf('=') + 1);
    return (found?.values ?? []).map(({ value, count }) => ({
      text: begin + quoted(value),
      note: clustersText(count),
    }));
  }
  if (/^(label|claim):/.test(last))
    return keys.map((one) => ({ text: `${one.source}:${one.key}=`, note: clustersText(one.clusters) }));
  if (last.startsWith('set:'))
    return sets.map(({ value, count }) => ({ text: `set:${quoted(value)}`, note: clustersText(count) }));
  if (last.startsWith('health:')) return HEALTHS.map((health) => ({ text: `health:${health}`, note: '' }));
  return FIELDS;
}

const FIELDS: readonly Option[] = [
  { text: 'set:', note: 'in a cluster set' },
  { text: 'label:', note: 'KEY, KEY=VALUE or KEY!=VALUE' },
  { text: 'claim:', note: 'KEY, KEY=VALUE or KEY!=VALUE' },
  { text: 'health:', note: 'available, silent, …' },
  { text: 'taint:', note: 'KEY' },
];

/** A value as a term of the query: in quotes where it holds blanks. */
export function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
