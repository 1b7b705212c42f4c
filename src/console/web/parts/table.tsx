import type { ComponentChildren, JSX } from 'preact';
import { Term } from './term.js';

/** A list of objects with the same facts: a row each, and on a narrow page a card each. */

/** Its title, which is explained where the glossary has it, and `number` for counts, `tight` for what never wraps, `rest` for the one that takes what is left. */
export type Column = readonly [title: string, kind?: 'number' | 'tight' | 'rest' | 'who'];

export interface TableProps {
  readonly label?: string;
  readonly columns: readonly Column[];
  /** A key, then a cell for each column: the first one names the row. */
  readonly rows: readonly (readonly [key: string, ...cells: readonly ComponentChildren[]])[];
}

export function Table({ label, columns, rows }: TableProps): JSX.Element {
  return (
    <table class="table cards" aria-label={label}>
      <Head columns={columns} />
      <tbody>
        {rows.map(([key, head, ...cells]) => (
          <tr key={key}>
            <th scope="row" class={columns[0]?.[1]}>
              {head}
            </th>
            {cells.map((cell, index) => {
              const [title, kind] = columns[index + 1] ?? [''];
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

export function Head({ columns }: { readonly columns: readonly Column[] }): JSX.Element {
  return (
    <thead>
      <tr>
        {columns.map(([title, kind]) => (
          <th key={title} scope="col" class={kind}>
            <Term of={title} />
          </th>
        ))}
      </tr>
    </thead>
  );
}
