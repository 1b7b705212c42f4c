import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Found, Meaning } from '../../wire/find.js';
import { shown } from '../command.js';
import { routeOfMeaning, textOfMeaning } from '../meaning.js';
import { navigate } from '../navigate.js';
import { isStatus, readNow, useLatest, type Loaded } from '../store.js';

/** The one box: a cluster, a Placement, a set, a state or a question, from every page. It is the combobox of ARIA. */

const LABEL = 'Find or ask';
const LIST = 'box-list';

const FIELD = {
  type: 'search',
  role: 'combobox',
  'aria-label': LABEL,
  'aria-controls': LIST,
  'aria-autocomplete': 'list',
  placeholder: 'Find, or ask: lose eu',
  spellcheck: false,
  autocomplete: 'off',
  autocapitalize: 'off',
} as const;

export function Box(): JSX.Element {
  const text = useSignal('');
  const isOpen = useSignal(false);
  const active = useSignal(-1);
  const fault = useSignal<string | undefined>(undefined);
  const path = `find?q=${encodeURIComponent(text.value.trim())}`;
  const { data, withheld, isOther } = useLatest<Found>(isOpen.value ? path : undefined);
  const list = isOpen.value ? (data?.rows ?? []) : [];
  const chosen = list[active.value];
  const go = (meaning: Meaning): void => {
    [text.value, fault.value, isOpen.value, active.value] = ['', undefined, false, -1];
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    navigate(routeOfMeaning(meaning));
  };
  /** The first answer to what is written now: what is shown may be older. */
  const goFirst = async (): Promise<void> => {
    const answer = await readNow<Found>(path);
    const [first] = isStatus(answer) ? [] : answer.data.rows;
    if (first !== undefined) go(first);
    else fault.value = isStatus(answer) ? answer.message : NOTHING;
  };
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<HTMLInputElement>): void => {
    const to = steppedTo(event.key, active.value, list.length);
    if (event.key === 'Escape' && text.value === '') return event.currentTarget.blur();
    if (event.key === 'Escape') [text.value, fault.value, active.value] = ['', undefined, -1];
    if (event.key === 'ArrowDown') isOpen.value = true;
    if (to !== undefined) active.value = to;
    else if (event.key !== 'Enter' && event.key !== 'Escape') return;
    else if (chosen !== undefined) go(chosen);
    else if (text.value.trim() !== '') void goFirst();
    event.preventDefault();
  };
  return (
    <div class="search box">
      <input
        {...FIELD}
        aria-expanded={list.length > 0}
        aria-invalid={fault.value !== undefined}
        {...(chosen === undefined ? {} : { 'aria-activedescendant': `${LIST}-${active.value}` })}
        value={text.value}
        onInput={({ currentTarget }) => {
          [text.value, fault.value, isOpen.value, active.value] = [currentTarget.value, undefined, true, -1];
        }}
        onFocus={() => (isOpen.value = true)}
        onBlur={() => (isOpen.value = false)}
        onKeyDown={onKeyDown}
      />
      {isOpen.value && (
        <div class="suggestions">
          {list.length > 0 && <Meanings list={list} active={active.value} onTake={go} />}
          <Note found={isOther ? undefined : data} fault={fault.value} text={text.value} withheld={withheld} />
        </div>
      )}
    </div>
  );
}

const NOTHING = 'Nothing that you may read has this name, and it is no question.';
const EXAMPLES = 'Or a name, set:NAME, why CLUSTER PLACEMENT, lose REGION, drain CLUSTER, edit NAME, who changed NAME.';

interface NoteProps extends Pick<Loaded<Found>, 'withheld'> {
  /** What the text means; undefined while that is not known. */
  readonly found: Found | undefined;
  /** Why the text cannot be answered. */
  readonly fault: string | undefined;
  readonly text: string;
}

/** What the list does not say. */
function Note({ found, fault, text, withheld }: NoteProps): JSX.Element {
  const more = found === undefined ? 0 : found.total - found.rows.length;
  return (
    <p class={`box-note ${fault === undefined ? 'muted' : 'fault'}`} role="status">
      {shown(fault ?? (found?.total === 0 ? NOTHING : ''))}
      {more > 0 && `${more.toLocaleString('en-US')} more: write more of the name. `}
      {text === '' && EXAMPLES}
      {withheld.map(({ resource, verb }) => ` Without ${resource}: needs ${verb}.`)}
    </p>
  );
}

interface MeaningsProps {
  readonly list: readonly Meaning[];
  /** The index of the one that Enter takes. */
  readonly active: number;
  readonly onTake: (one: Meaning) => void;
}

function Meanings({ list, active, onTake }: MeaningsProps): JSX.Element {
  const box = useRef<HTMLUListElement>(null);
  useEffect(() => box.current?.children[active]?.scrollIntoView({ block: 'nearest' }), [active]);
  return (
    <ul role="listbox" id={LIST} aria-label={LABEL} ref={box}>
      {list.map((one, index) => {
        const { text, note } = textOfMeaning(one);
        return (
          <li
            key={text}
            role="option"
            id={`${LIST}-${index}`}
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
