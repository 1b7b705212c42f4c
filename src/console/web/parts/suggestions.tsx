import type { JSX } from 'preact';
import { shown } from '../command.js';

/** What can follow in a field: a listbox that the field controls. */

export interface SuggestionsProps<One> {
  readonly id: string;
  readonly label: string;
  readonly list: readonly One[];
  readonly textOf: (one: One) => string;
  readonly active: number;
  readonly onTake: (one: One) => void;
  readonly style?: JSX.CSSProperties;
}

export function Suggestions<One extends { readonly note: string }>(props: SuggestionsProps<One>): JSX.Element {
  const { id, label, list, textOf, active, onTake, style = {} } = props;
  return (
    <ul role="listbox" id={id} class="suggestions" aria-label={label} style={style}>
      {list.map((one, index) => (
        <li
          key={textOf(one)}
          role="option"
          id={`${id}-${index}`}
          aria-selected={index === active}
          onMouseDown={(event) => {
            // The field keeps the focus.
            event.preventDefault();
            onTake(one);
          }}
        >
          <bdi>{shown(textOf(one))}</bdi>
          <span class="muted">{shown(one.note)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Where an arrow key leads in a list, round its ends; undefined for another key. */
export function steppedTo(key: string, active: number, length: number): number | undefined {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  return step === undefined || length === 0 ? undefined : (active + step + length) % length;
}
