import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Found, Meaning } from '../../wire/find.js';
import { shown } from '../command.js';
import { textOfMeaning } from '../meaning.js';
import { isStatus, readNow, useLatest } from '../store.js';
import { unreadOf } from './states.js';

/** A field with a list of what the text in it can mean: the combobox of ARIA. */

export interface ComboProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** What is asked for: a kind of {@link Meaning}; absent: all of them. */
  readonly ask?: Meaning['kind'];
  readonly onTake: (one: Meaning) => void;
  /** Whether Enter takes the first meaning where nothing was chosen; `leave`: to leave the field does, too. */
  readonly first?: 'enter' | 'leave';
  /** Whether nothing follows of the text: there is no list then. */
  readonly isWhole?: boolean;
  /** Why the text cannot be used. */
  readonly fault?: string | undefined;
  /** What the list does not say of a field that is empty. */
  readonly examples?: string;
}

export function Combo(props: ComboProps): JSX.Element {
  const { label, placeholder, value, fault } = props;
  const id = useId();
  const { isAsking, list, active, nothing, note, accept, ...field } = useCombo(props);
  return (
    <div class="search">
      <input
        type="search"
        role="combobox"
        aria-label={label}
        aria-controls={id}
        aria-autocomplete="list"
        aria-expanded={list.length > 0}
        aria-invalid={(fault ?? nothing) !== undefined}
        {...(list[active] === undefined ? {} : { 'aria-activedescendant': `${id}-${active}` })}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        value={value}
        {...field}
      />
      {isAsking && (
        <div class="suggestions">
          {list.length > 0 && <Meanings id={id} label={label} list={list} active={active} onTake={accept} />}
          <p class={`box-note ${nothing === undefined ? 'muted' : 'fault'}`} role="status">
            {shown(nothing ?? note)}
          </p>
        </div>
      )}
      {fault !== undefined && (
        <p class="fault" role="alert">
          {shown(fault)}
        </p>
      )}
    </div>
  );
}

/** What the field shows, and what keys do in it. */
function useCombo({ value, onInput, ask, onTake, first: firstBy, isWhole, examples = '' }: ComboProps) {
  const isOpen = useSignal(false);
  const active = useSignal(-1);
  /** Why the text means nothing. */
  const nothing = useSignal<string | undefined>(undefined);
  const isAsking = isOpen.value && isWhole !== true;
  const path = `find?q=${encodeURIComponent(value.trim())}&ask=${ask ?? ''}`;
  const { data, withheld, isOther } = useLatest<Found>(isAsking ? path : undefined);
  const list = isAsking ? (data?.rows ?? []) : [];
  const set = (open: boolean): void => void ([nothing.value, isOpen.value, active.value] = [undefined, open, -1]);
  const accept = (meaning: Meaning): void => (set(false), onTake(meaning));
  const change = (to: string): void => (set(true), onInput(to));
  /** The first answer to what is written now: what is shown may be older. */
  const acceptFirst = async (): Promise<void> => {
    if (value.trim() === '' || isWhole === true) return;
    const answer = await readNow<Found>(path);
    if (isStatus(answer)) nothing.value = answer.message;
    else if (answer.data.isGuess === true) nothing.value = GUESS;
    else if (answer.data.rows[0] === undefined) nothing.value = NOTHING;
    else accept(answer.data.rows[0]);
  };
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<HTMLInputElement>): void => {
    const to = steppedTo(event.key, active.value, list.length);
    const chosen = list[active.value];
    if (event.key === 'ArrowDown') isOpen.value = true;
    if (event.key === 'Escape' && value === '') return event.currentTarget.blur();
    if (event.key === 'Escape') change('');
    else if (to !== undefined) active.value = to;
    else if (event.key !== 'Enter') return;
    else if (chosen !== undefined) accept(chosen);
    else if (firstBy !== undefined) void acceptFirst();
    event.preventDefault();
  };
  const unread = unreadOf({ withheld }, ...withheld.map(({ resource }) => resource));
  const says = noteOf(isOther ? undefined : data, value === '' ? examples : '', firstBy !== undefined);
  return {
    isAsking,
    list,
    active: active.value,
    nothing: nothing.value,
    accept,
    onKeyDown,
    note: unread === undefined ? says : `${says} Not all is known: ${unread}.`,
    onInput: ({ currentTarget }: JSX.TargetedEvent<HTMLInputElement>) => change(currentTarget.value),
    onFocus: () => void (isOpen.value = true),
    onBlur: () => {
      isOpen.value = false;
      if (firstBy === 'leave') void acceptFirst();
    },
  };
}

const GUESS = 'Nothing has this name: did you mean one of these?';
const NOTHING = 'Nothing that you may read has this name, and it is no question.';

/** What the list does not say. `found`: undefined while that is not known. */
function noteOf(found: Found | undefined, examples: string, isAsking: boolean): string {
  const more = found === undefined ? 0 : found.total - found.rows.length;
  const rest = more > 0 ? `${more.toLocaleString('en-US')} more: write more of the name. ` : '';
  if (found?.isGuess === true) return GUESS;
  return found?.total === 0 && isAsking ? NOTHING : rest + examples;
}

interface MeaningsProps extends Pick<ComboProps, 'label' | 'onTake'> {
  readonly id: string;
  readonly list: readonly Meaning[];
  /** The index of the one that Enter takes. */
  readonly active: number;
}

function Meanings({ id, label, list, active, onTake }: MeaningsProps): JSX.Element {
  const box = useRef<HTMLUListElement>(null);
  useEffect(() => box.current?.children[active]?.scrollIntoView({ block: 'nearest' }), [active]);
  return (
    <ul role="listbox" id={id} aria-label={label} ref={box}>
      {list.map((one, index) => {
        const { text, note } = textOfMeaning(one);
        return (
          <li
            key={text}
            role="option"
            id={`${id}-${index}`}
            aria-selected={index === active}
            onMouseDown={(event) => {
              // The field keeps the focus.
              event.preventDefault();
              onTake(one);
            }}
          >
            <bdi>{shown(text)}</bdi>
            <span class="muted">{shown(note)}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** Where an arrow key leads in a list, round its ends; undefined for another key. */
function steppedTo(key: string, active: number, length: number): number | undefined {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined || length === 0) return undefined;
  return active < 0 && step < 0 ? length - 1 : (active + step + length) % length;
}
