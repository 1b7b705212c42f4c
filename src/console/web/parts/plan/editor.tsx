import type { JSX } from 'preact';

/** A text area with line numbers: undo, screen readers and phones work as everywhere. */

export interface EditorProps {
  readonly label: string;
  readonly value: string;
  /** From 1: it is marked. */
  readonly faultLine: number | undefined;
  readonly isReadOnly: boolean;
  readonly onInput: (value: string) => void;
}

const LEAST_LINES = 12;

export function Editor({ label, value, faultLine, isReadOnly, onInput }: EditorProps): JSX.Element {
  const lines = Math.max(value.split('\n').length, LEAST_LINES);
  return (
    <div class="editor">
      <pre class="gutter" aria-hidden="true">
        {Array.from({ length: lines }, (_, index) => index + 1).map((line) => (
          <span key={line} class={line === faultLine ? 'bad' : ''}>
            {line === faultLine ? `▸${line}` : line}
          </span>
        ))}
      </pre>
      <textarea
        aria-label={label}
        aria-invalid={faultLine !== undefined}
        readOnly={isReadOnly}
        rows={lines + 1}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        wrap="off"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}
