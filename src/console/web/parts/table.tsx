import type { ComponentChildren, JSX } from 'preact';
import { Term } from './term.js';

/** A list of objects with the same facts: a row each, and on a narrow page a card each. */

/** Its title, which is explained where the glossary has it, and `number` for counts, `tight` for what never wraps, `rest` for the one that takes what is left. */
type Kind = 'number' | 'tight' | 'rest' | 'who' | '';

/** As pairs where two may have one title. */
export type Columns = Readonly<Record<string, Kind>> | readonly (readonly [title: string, kind: Kind])[];

function columnsIn(columns: Columns): readonly (readonly [title: string, kind: Kind])[] {
  return Array.isArray(columns) ? columns : Object.entries(columns);
}

export interface TableProps {
  readonly label?: string;
  readonly columns: Columns;
  /** A key, then a cell for each column: the first one names the row. */
  readonly rows: readonly (readonly [key: string, ...cells: readonly ComponentChildren[]])[];
}

export function Table({ label, columns, rows }: TableProps): JSX.Element {
  const [first, ...others] = columnsIn(columns);
  return (
    <table class="table cards" aria-label={label}>
      <Head columns={columns} />
      <tbody>
        {rows.map(([key, head, ...cells]) => (
          <tr key={key}>
            <th scope="row" class={first?.[1]}>
              {head}
            </th>
            {cells.map((cell, index) => {
              const [title, kind] = others[index] ?? [''];
              return (
                <td key={title} class={kind} data-label={title}>
                  {cell}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Head({ columns }: { readonly columns: Columns }): JSX.Element {
  return (
    <thead>
      <tr>
        {columnsIn(columns).map(([title, kind]) => (
          <th key={title} scope="col" class={kind}>
            <Term of={title} />
          </th>
        ))}
      </tr>
    </thead>
  );
}
