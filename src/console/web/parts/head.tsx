import type { JSX } from 'preact';

/** The head of a table: titles, each with the class of its column, such as `number`. */
export function Head({ list }: { readonly list: readonly (readonly [title: string, column?: string])[] }): JSX.Element {
  return (
    <thead>
      <tr>
        {list.map(([title, column = '']) => (
          <th key={title} scope="col" class={column}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}
