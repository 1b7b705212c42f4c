import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

/** A word of this product with its meaning, on hover and focus. */

/** The terms of docs/glossary.md: the bundler puts them here. */
declare const GLOSSARY: Readonly<Record<string, string>>;

export function Term({ of, children }: { readonly of: string; readonly children: ComponentChildren }): JSX.Element {
  const id = useId();
  return (
    <span
      class="term"
      tabIndex={0}
      aria-describedby={id}
      onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
    >
      {children}
      <span role="tooltip" id={id} class="tip">
        {GLOSSARY[of]}
      </span>
    </span>
  );
}
