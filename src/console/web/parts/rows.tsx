import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLoaded } from '../store.js';
import { blocksOf, movedTo, windowOf } from '../window.js';

/** A long list of which only the rows in sight are drawn and read: block by block. */

export interface RowsProps<Row> {
  readonly label: string;
  readonly total: number;
  /** Of text of 16 pixels. */
  readonly rowHeight: number;
  /** The address of the block that begins with a row: it has them as `rows`. */
  readonly pathOf: (after: number, limit: number) => string;
  readonly head: ComponentChildren;
  readonly row: (row: Row) => ComponentChildren;
  readonly class?: string;
}

/** How large the person has set the text: 1 for 16 pixels. */
function textScale(): number {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
}

/** So many rows are read at once. */
export const BLOCK = 100;
/** Of a list that is shorter than the window, the height in rows. */
const MOST_SEEN = 16;

export function Rows<Row>(given: RowsProps<Row>): JSX.Element {
  const props = { ...given, rowHeight: given.rowHeight * textScale() };
  const { label, total, rowHeight, head } = props;
  const box = useRef<HTMLDivElement>(null);
  const place = useSignal<Parameters<typeof windowOf>[2]>({ top: 0, height: rowHeight * MOST_SEEN });
  const active = useSignal(0);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const measure = (): void => {
      place.value = { top: current.scrollTop, height: current.clientHeight };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    current.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener('scroll', measure);
    };
  }, [place]);
  const seen = windowOf(total, rowHeight, place.value);
  return (
    <div class={`grid ${props.class ?? ''}`} role="table" aria-label={label} aria-rowcount={total + 1}>
      <div role="rowgroup" class="grid-head">
        <div role="row" class="grid-row" aria-rowindex={1}>
          {head}
        </div>
      </div>
      <div
        ref={box}
        role="rowgroup"
        tabIndex={0}
        aria-label={`${label}, rows`}
        class="grid-body"
        style={{ height: `${Math.min(Math.max(total, 1), MOST_SEEN) * rowHeight}px` }}
        onKeyDown={(event) => onKey(event, props, active)}
      >
        <div role="presentation" class="grid-space" style={{ height: `${total * rowHeight}px` }}>
          {blocksOf(seen, BLOCK).map((after) => (
            <Block key={props.pathOf(after, BLOCK)} {...props} after={after} seen={seen} active={active} />
          ))}
        </div>
      </div>
    </div>
  );
}

type KeyEvent = JSX.TargetedKeyboardEvent<HTMLDivElement>;

/** Arrows move the row that Enter opens. */
function onKey<Row>(event: KeyEvent, { total, rowHeight }: RowsProps<Row>, active: Signal<number>): void {
  const box = event.currentTarget;
  if (event.target !== box) return;
  if (event.key === 'Enter') {
    box.querySelector<HTMLElement>('[data-active] a, [data-active] button')?.click();
    return;
  }
  const page = Math.max(Math.floor(box.clientHeight / rowHeight) - 1, 1);
  const to = movedTo(event.key, active.value, { total, page });
  if (to === undefined) return;
  event.preventDefault();
  active.value = to;
  const top = to * rowHeight;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight;
}

interface BlockProps<Row> extends RowsProps<Row> {
  readonly after: number;
  readonly seen: { readonly first: number; readonly end: number };
  readonly active: Signal<number>;
}

function Block<Row>(props: BlockProps<Row>): JSX.Element {
  const { after, seen, rowHeight, active, pathOf, row, total } = props;
  const { data } = useLoaded<{ readonly rows: readonly Row[] }>(pathOf(after, BLOCK));
  const rows = data?.rows ?? [];
  const drawn: JSX.Element[] = [];
  for (let index = Math.max(after, seen.first); index < Math.min(after + BLOCK, seen.end, total); index++) {
    const one = rows[index - after];
    const isActive = index === active.value;
    drawn.push(
      <div
        key={index}
        role="row"
        aria-rowindex={index + 2}
        class={`grid-row ${isActive ? 'active' : ''}`}
        data-active={isActive ? '' : undefined}
        style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
      >
        {one === undefined ? <span role="cell" class="grey-cell" /> : row(one)}
      </div>,
    );
  }
  return <>{drawn}</>;
}

/** Whether the page is narrow: rows are cards then. */
export function useNarrow(): boolean {
  const query = '(max-width: 45em)';
  const isNarrow = useSignal(matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const change = (): void => {
      isNarrow.value = list.matches;
    };
    list.addEventListener('change', change);
    return () => list.removeEventListener('change', change);
  }, [isNarrow]);
  return isNarrow.value;
}
