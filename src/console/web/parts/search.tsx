import { useSignal, type Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { HEALTHS, type Fleet, type Key } from '../../wire/fleet.js';
import { hasUnseen } from '../../wire/unseen.js';
import { shown } from '../command.js';
import { useLoaded } from '../store.js';
import { clustersText } from './name.js';
import { steppedTo, Suggestions } from './suggestions.js';

/** The query of the fleet, with the fields, keys and values that can follow. */

export interface SearchProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly fault: string | undefined;
  readonly sets: Fleet['sets'];
}

interface Suggestion {
  /** What the last term becomes. */
  readonly term: string;
  readonly note: string;
}

const MOST = 12;

export function Search({ value, onInput, fault, sets }: SearchProps): JSX.Element {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { isOpen, active, found, take } = useSuggestions({ value, onInput, sets });
  const taking = (one: Suggestion): void => {
    take(one);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') isOpen.value = false;
    if (event.key === 'ArrowDown') isOpen.value = true;
    const to = steppedTo(event.key, active.value, found.length);
    const chosen = found[active.value];
    if (to !== undefined) active.value = to;
    else if (event.key === 'Enter' && chosen !== undefined) taking(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <div class="search">
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Filter clusters"
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-invalid={fault !== undefined}
        {...(found[active.value] === undefined ? {} : { 'aria-activedescendant': `${id}-${active.value}` })}
        placeholder="Filter: set:prod label:tier=gold health:silent"
        spellcheck={false}
        autocomplete="off"
        data-search=""
        value={value}
        onInput={(event) => {
          isOpen.value = true;
          active.value = -1;
          onInput(event.currentTarget.value);
        }}
        onFocus={() => (isOpen.value = true)}
        onBlur={() => (isOpen.value = false)}
        onKeyDown={onKeyDown}
      />
      {found.length > 0 && (
        <Suggestions
          id={id}
          label="Terms"
          list={found}
          textOf={({ term }) => term}
          active={active.value}
          onTake={taking}
        />
      )}
      <Fault text={fault ?? (hasUnseen(value) ? `characters that are not seen: ${value}` : undefined)} />
    </div>
  );
}

function Fault({ text }: { readonly text: string | undefined }): JSX.Element | null {
  if (text === undefined) return null;
  return (
    <p class="fault" role="alert">
      {shown(text)}
    </p>
  );
}

interface Suggesting {
  readonly isOpen: Signal<boolean>;
  readonly active: Signal<number>;
  readonly found: readonly Suggestion[];
  readonly take: (one: Suggestion) => void;
}

function useSuggestions({ value, onInput, sets }: Pick<SearchProps, 'value' | 'onInput' | 'sets'>): Suggesting {
  const isOpen = useSignal(false);
  const active = useSignal(-1);
  const { data: keys = [] } = useLoaded<readonly Key[]>(isOpen.value ? 'fleet/keys' : undefined);
  const [before, last] = splitLast(value);
  const take = ({ term }: Suggestion): void => {
    const isWhole = !term.endsWith(':') && !term.endsWith('=');
    onInput(`${before}${term}${isWhole ? ' ' : ''}`);
    if (isWhole) isOpen.value = false;
    active.value = -1;
  };
  return { isOpen, active, found: isOpen.value ? suggestions(last, keys, sets) : [], take };
}

function splitLast(value: string): readonly [before: string, last: string] {
  const at = value.lastIndexOf(' ') + 1;
  return [value.slice(0, at), value.slice(at)];
}

function suggestions(last: string, keys: readonly Key[], sets: Fleet['sets']): readonly Suggestion[] {
  const all = candidates(last, keys, sets);
  return all.filter(({ term }) => term.startsWith(last) && term !== last).slice(0, MOST);
}

function candidates(last: string, keys: readonly Key[], sets: Fleet['sets']): readonly Suggestion[] {
  const [, source, key] = /^(label|claim):([^=!]+)!?=/.exec(last) ?? [];
  if (key !== undefined) {
    const found = keys.find((one) => one.source === source && one.key === key);
    const begin = last.slice(0, last.indexOf('=') + 1);
    return (found?.values ?? []).map(({ value, count }) => ({
      term: begin + quoted(value),
      note: clustersText(count),
    }));
  }
  if (/^(label|claim):/.test(last))
    return keys.map((one) => ({ term: `${one.source}:${one.key}=`, note: clustersText(one.clusters) }));
  if (last.startsWith('set:'))
    return sets.map(({ value, count }) => ({ term: `set:${quoted(value)}`, note: clustersText(count) }));
  if (last.startsWith('health:')) return HEALTHS.map((health) => ({ term: `health:${health}`, note: '' }));
  return FIELDS;
}

const FIELDS: readonly Suggestion[] = [
  { term: 'set:', note: 'in a cluster set' },
  { term: 'label:', note: 'KEY, KEY=VALUE or KEY!=VALUE' },
  { term: 'claim:', note: 'KEY, KEY=VALUE or KEY!=VALUE' },
  { term: 'health:', note: 'available, silent, …' },
  { term: 'taint:', note: 'KEY' },
];

/** A value as a term of the query: in quotes where it holds blanks. */
export function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
