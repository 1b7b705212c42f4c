import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

/** A word of this product with its meaning, on hover and focus. */

/** The terms of docs/glossary.md: the bundler puts them here. */
declare const GLOSSARY: Readonly<Record<string, string>>;

export interface TermProps {
  /** The word, whatever its case; one that the glossary does not have is not explained. */
  readonly of: string;
  /** What stands there; absent: the word. */
  readonly children?: ComponentChildren;
}

export function Term({ of, children = of }: TermProps): JSX.Element {
  const id = useId();
  const word = of.toLowerCase();
  if (!Object.hasOwn(GLOSSARY, word)) return <>{children}</>;
  return (
    <span
      class="term"
      tabIndex={0}
      aria-describedby={id}
      onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
    >
      {children}
      <span role="tooltip" id={id} class="tip">
        {GLOSSARY[word]}
      </span>
    </span>
  );
}
