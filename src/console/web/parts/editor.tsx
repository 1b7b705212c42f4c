import { useSignal, type Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { completionAt, type Known, type Suggestion } from '../completion.js';
import { steppedTo, Suggestions } from './suggestions.js';

/** A text area with line numbers and completion: undo, screen readers and phones work as everywhere. */

export interface EditorProps {
  readonly label: string;
  readonly value: string;
  readonly known: Known;
  /** From 1: it is marked. */
  readonly faultLine: number | undefined;
  readonly isReadOnly: boolean;
  readonly onInput: (value: string) => void;
}

interface Open {
  readonly typed: string;
  readonly list: readonly Suggestion[];
  readonly active: number;
  readonly line: number;
  readonly column: number;
}

const LEAST_LINES = 12;
const LINE_EM = 1.5;

export function Editor({ label, value, known, faultLine, isReadOnly, onInput }: EditorProps): JSX.Element {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const open = useSignal<Open | undefined>(undefined);
  const lines = Math.max(value.split('\n').length, LEAST_LINES);
  const close = (): void => {
    open.value = undefined;
  };
  const suggest = (): void => {
    open.value = area.current === null ? undefined : openAt(area.current, known);
  };
  useLateFields(known, area, suggest);
  const take = (one: Suggestion): void => {
    const typed = open.value?.typed ?? '';
    open.value = undefined;
    if (area.current === null) return;
    insert(area.current, one.text, typed);
    onInput(area.current.value);
    if (one.text.endsWith(' ')) suggest();
  };
  const now = open.value;
  return (
    <div class="editor">
      <Gutter lines={lines} faultLine={faultLine} />
      <textarea
        ref={area}
        aria-label={label}
        aria-describedby={`${id}-hint`}
        aria-invalid={faultLine !== undefined}
        aria-autocomplete="list"
        {...(now === undefined ? {} : { 'aria-controls': id, 'aria-activedescendant': `${id}-${now.active}` })}
        readOnly={isReadOnly}
        rows={lines + 1}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        wrap="off"
        value={value}
        onInput={(event) => {
          onInput(event.currentTarget.value);
          suggest();
        }}
        onKeyDown={(event) => onKey(event, open, { suggest, take })}
        onClick={close}
        onBlur={close}
      />
      {now !== undefined && (
        <Suggestions
          id={id}
          label="What can follow"
          list={now.list}
          textOf={({ text }) => text}
          active={now.active}
          onTake={take}
          style={placeOf(now)}
        />
      )}
      <Hint id={`${id}-hint`} />
    </div>
  );
}

/** Suggests for what was typed before the fields were read. */
function useLateFields({ schema }: Known, { current }: { current: HTMLElement | null }, suggest: () => void): void {
  useEffect(() => {
    if (current !== null && document.activeElement === current) suggest();
  }, [schema]);
}

/** Below the caret. */
function placeOf({ line, column }: Open): JSX.CSSProperties {
  return { top: `calc(${line * LINE_EM}em + 14px)`, left: `min(calc(3.6em + ${column}ch), 40%)` };
}

function Gutter({ lines, faultLine }: { readonly lines: number; readonly faultLine: number | undefined }): JSX.Element {
  return (
    <pre class="gutter" aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => index + 1).map((line) => (
        <span key={line} class={line === faultLine ? 'bad' : ''}>
          {line === faultLine ? `▸${line}` : line}
        </span>
      ))}
    </pre>
  );
}

function Hint({ id }: { readonly id: string }): JSX.Element {
  return (
    <span id={id} class="unseen">
      Control and Space shows what can follow. Escape closes it; then Tab leaves the editor.
    </span>
  );
}

function openAt({ value, selectionStart: caret }: HTMLTextAreaElement, known: Known): Open | undefined {
  const found = completionAt(value, caret, known);
  if (found === undefined) return undefined;
  const before = value.slice(0, caret).split('\n');
  return { ...found, active: 0, line: before.length, column: (before.at(-1) ?? '').length - found.typed.length };
}

/** Puts the text in the place of what was typed. */
function insert(area: HTMLTextAreaElement, text: string, typed: string): void {
  area.focus();
  const caret = area.selectionStart;
  area.setSelectionRange(caret - typed.length, caret);
  // The only way into the undo history of the browser.
  if (!document.execCommand('insertText', false, text)) area.setRangeText(text, caret - typed.length, caret, 'end');
}

interface Acting {
  readonly suggest: () => void;
  readonly take: (one: Suggestion) => void;
}

function onKey(event: KeyboardEvent, open: Signal<Open | undefined>, { suggest, take }: Acting): void {
  const now = open.value;
  const to = now && steppedTo(event.key, now.active, now.list.length);
  const chosen = now?.list[now.active];
  if (event.key === ' ' && event.ctrlKey) suggest();
  else if (now === undefined) return;
  else if (to !== undefined) open.value = { ...now, active: to };
  else if (event.key === 'Escape') open.value = undefined;
  else if ((event.key === 'Enter' || event.key === 'Tab') && chosen !== undefined) take(chosen);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
