import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { shown } from '../command.js';

/** A field with a list of what is meant or can follow: the combobox of ARIA. */

export interface Option {
  /** Tells it from the others of the list. */
  readonly text: string;
  readonly note: string;
}

export interface ComboboxProps<One extends Option> {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly isOpen: Signal<boolean>;
  readonly list: readonly One[];
  readonly onInput: (value: string) => void;
  readonly onTake: (one: One) => void;
  /** Enter without one of the list. */
  readonly onEnter?: () => void;
  /** What is wrong with the value. */
  readonly fault?: string | undefined;
  /** Below the list. */
  readonly children?: ComponentChildren;
  readonly class?: string;
}

export function Combobox<One extends Option>(props: ComboboxProps<One>): JSX.Element {
  const { label, placeholder, value, isOpen, onInput, onTake, fault, children } = props;
  const id = useId();
  const active = useSignal(-1);
  const list = isOpen.value ? props.list : [];
  const taking = (one: One): void => {
    active.value = -1;
    onTake(one);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = steppedTo(event.key, active.value, list.length);
    const chosen = list[active.value];
    if (event.key === 'Escape') isOpen.value = false;
    if (event.key === 'ArrowDown') isOpen.value = true;
    if (to !== undefined) active.value = to;
    else if (event.key === 'Enter' && chosen !== undefined) taking(chosen);
    else if (event.key === 'Enter' && props.onEnter !== undefined) props.onEnter();
    else return;
    event.preventDefault();
  };
  return (
    <div class={`search ${props.class ?? ''}`}>
      <input
        type="search"
        role="combobox"
        aria-label={label}
        aria-expanded={list.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-invalid={fault !== undefined}
        {...(list[active.value] === undefined ? {} : { 'aria-activedescendant': `${id}-${active.value}` })}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
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
      {isOpen.value && (list.length > 0 || children !== undefined) && (
        <div class="suggestions">
          {list.length > 0 && <Options id={id} label={label} list={list} active={active.value} onTake={taking} />}
          {children}
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

interface OptionsProps<One extends Option> extends Pick<ComboboxProps<One>, 'label' | 'list' | 'onTake'> {
  readonly id: string;
  readonly active: number;
}

function Options<One extends Option>({ id, label, list, active, onTake }: OptionsProps<One>): JSX.Element {
  const box = useRef<HTMLUListElement>(null);
  useEffect(() => box.current?.children[active]?.scrollIntoView({ block: 'nearest' }), [active]);
  return (
    <ul role="listbox" id={id} aria-label={label} ref={box}>
      {list.map((one, index) => (
        <li
          key={one.text}
          role="option"
          id={`${id}-${index}`}
          aria-selected={index === active}
          onMouseDown={(event) => {
            // The field keeps the focus.
            event.preventDefault();
            onTake(one);
          }}
        >
          <bdi>{shown(one.text)}</bdi>
          <span class="muted">{shown(one.note)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Where an arrow key leads in a list, round its ends; undefined for another key. */
function steppedTo(key: string, active: number, length: number): number | undefined {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined || length === 0) return undefined;
  return active < 0 && step < 0 ? length - 1 : (active + step + length) % length;
}
