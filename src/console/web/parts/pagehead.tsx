import type { ComponentChildren, JSX } from 'preact';
import { Command } from './command.js';

export interface PageHeadProps {
  readonly title: ComponentChildren;
  /** Commands that show the same. */
  readonly commands?: readonly (readonly string[])[];
  /** What can be done with what the page is about. */
  readonly children?: ComponentChildren;
}

/** What the page is about, what can be done with it, and its commands behind a button. */
export function PageHead({ title, commands, children }: PageHeadProps): JSX.Element {
  return (
    <header class="page-head">
      <h1>{title}</h1>
      <div class="actions">
        {children}
        {commands !== undefined && (
          <details class="commands">
            <summary class="button">kubectl</summary>
            <div class="menu">
              {commands.map((words) => (
                <Command key={words.join(' ')} words={words} />
              ))}
            </div>
          </details>
        )}
      </div>
    </header>
  );
}
