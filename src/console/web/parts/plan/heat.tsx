import type { JSX } from 'preact';
import type { Heat, HeatCell, HeatRow } from '../../../wire/plan.js';
import { shown } from '../../command.js';
import { hrefOf } from '../../navigate.js';
import { Count, PlacementLink, Text } from '../name.js';

/** The loss of each value of a key: a row for each value, a column for each Placement that is hurt, the worst first. */

const EFFECTS: Readonly<Record<HeatCell['effect'], readonly [level: number, mark: string, word: string]>> = {
  Empty: [3, '✕', 'empty'],
  Short: [2, '▼', 'short'],
  Moves: [1, '', 'others are selected'],
};

export function HeatView({ heat }: { readonly heat: Heat }): JSX.Element {
  const { key, columns, rows, columnsTotal, rowsTotal, notes } = heat;
  const title = `The loss of each value of ${shown(key.replace('/', ' '))}`;
  return (
    <>
      <h2>{title}</h2>
      {rows.length > 0 && (
        <div class="sideways" tabIndex={0} role="region" aria-label={title}>
          <table class="table heat">
            <thead>
              <tr>
                <th scope="col">
                  <Text of={key.slice(key.indexOf('/') + 1)} />
                </th>
                <th scope="col" class="number">
                  Clusters
                </th>
                {columns.map(({ namespace, name }) => (
                  <th key={`${namespace}/${name}`} scope="col">
                    <PlacementLink namespace={namespace} name={name} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <HeatRowView key={row.value} row={row} columns={columns} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <ul class="legend heat" aria-label="Legend">
        {Object.values(EFFECTS).map(([level, mark, word]) => (
          <li key={word}>
            <span class={`swatch heat-${level}`}>{mark}</span> {word}
          </li>
        ))}
      </ul>
      {columns.length < columnsTotal && (
        <p class="muted">{columnsTotal - columns.length} more Placements are hurt less.</p>
      )}
      {rows.length < rowsTotal && <p class="muted">{rowsTotal - rows.length} more values do less.</p>}
      {notes.map((note) => (
        <p key={note}>{shown(note)}</p>
      ))}
    </>
  );
}

function HeatRowView({ row, columns }: { readonly row: HeatRow; readonly columns: Heat['columns'] }): JSX.Element {
  const { value, target, clusters, cells } = row;
  const href = hrefOf({ page: 'whatif', begin: `lose:${target}` });
  return (
    <tr>
      <th scope="row">
        <a href={href}>
          <Text of={value === '' ? '""' : value} />
        </a>
      </th>
      <td class="number">
        <Count of={clusters} />
      </td>
      {cells.map((cell, index) => {
        const { namespace = '', name = '' } = columns[index] ?? {};
        if (cell === null) return <td key={index} />;
        const [level, mark, word] = EFFECTS[cell.effect];
        const text = `${cell.before.toLocaleString('en-US')} → ${cell.after.toLocaleString('en-US')}`;
        return (
          <td key={index}>
            <a
              href={href}
              class={`heat-${level}`}
              title={`${shown(namespace)}/${shown(name)} without ${shown(value)}: ${word}`}
            >
              {text} <span aria-hidden="true">{mark}</span>
              <span class="unseen">{word}</span>
            </a>
          </td>
        );
      })}
    </tr>
  );
}
