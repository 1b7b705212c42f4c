import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { commandText } from '../command.js';

/** A command to copy; none where a name holds what a terminal may act on. */
export function Command({ words, text }: { readonly words?: readonly string[]; readonly text?: string }): JSX.Element {
  const command = text ?? commandText(words ?? []);
  if (command === undefined) return <p class="muted">No command: a name holds characters that a terminal acts on.</p>;
  return (
    <div class="command">
      <code>{command}</code>
      <CopyButton text={command} label={`Copy ${command}`} />
    </div>
  );
}

export interface CopyButtonProps {
  readonly text: string;
  /** Its name for screen readers, where it is more than what stands there. */
  readonly label?: string;
  /** What stands there; default `Copy`. */
  readonly title?: string;
}

export function CopyButton({ text, title = 'Copy', label = title }: CopyButtonProps): JSX.Element {
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1_500);
    });
  };
  return (
    <button type="button" class="quiet-button" onClick={copy} aria-label={label}>
      {copied ? 'Copied' : title}
    </button>
  );
}
