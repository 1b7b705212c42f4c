import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

/** A long list, a part of it at a time: what is not shown is not in the page. */

export interface Pages {
  /** The index of the first that is shown, of so many. */
  readonly after: number;
  readonly size: number;
  readonly total: number;
  readonly onMove: (after: number) => void;
}

export function usePages(total: number, size: number): Pages {
  const wanted = useSignal(0);
  const last = Math.max(Math.floor((total - 1) / size) * size, 0);
  return { after: Math.min(wanted.value, last), size, total, onMove: (after) => (wanted.value = after) };
}

export function Pager({ label, after, size, total, onMove }: Pages & { readonly label: string }): JSX.Element | null {
  if (total <= size) return null;
  const end = Math.min(after + size, total);
  return (
    <div class="pager" role="group" aria-label={`${label}: pages`}>
      <button type="button" class="button" disabled={after === 0} onClick={() => onMove(after - size)}>
        Previous
      </button>
      <span role="status">
        {(after + 1).toLocaleString('en-US')}–{end.toLocaleString('en-US')} of {total.toLocaleString('en-US')}
      </span>
      <button type="button" class="button" disabled={end >= total} onClick={() => onMove(after + size)}>
        Next
      </button>
    </div>
  );
}
