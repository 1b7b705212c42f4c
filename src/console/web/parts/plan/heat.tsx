import type { JSX } from 'preact';
import type { Heat, HeatCell, HeatRow } from '../../../wire/plan.js';
import { shown } from '../../command.js';
import { hrefOf } from '../../navigate.js';
import { clustersText } from '../../words.js';
import { Command } from '../command.js';
import { PlacementLink, Text } from '../name.js';
import { Pager, usePages } from '../pager.js';

/** The loss of each value of a key: a row for each Placement that is hurt, a column for each value, the worst first. */

const LEVELS: Readonly<Record<HeatCell['effect'], number>> = { Empty: 3, Short: 2, Moves: 1 };

/** What a loss does, below how many clusters are usable before and after it. */
export function LossCell({ effect, before, after }: HeatCell): JSX.Element {
  const word = effect === 'Moves' ? (after < before ? 'fewer' : 'others') : effect.toLowerCase();
  return (
    <span class={`loss heat-${LEVELS[effect]}`}>
      {before.toLocaleString('en-US')} → {after.toLocaleString('en-US')} <small>{word}</small>
    </span>
  );
}

/** So many Placements, and so many values, are drawn at a time. */
const PAGE = 20;
const WIDEST = 8;

export function HeatView({ heat }: { readonly heat: Heat }): JSX.Element {
  const { key, columns, rows, columnsTotal, rowsTotal, notes } = heat;
  const title = `The loss of each value of ${shown(key.replace('/', ' '))}`;
  const down = usePages(rows.length, PAGE);
  const across = usePages(columns.length, WIDEST);
  const values = columns.slice(across.after, across.after + WIDEST);
  return (
    <>
      <h2>{title}</h2>
      <Pager label="Values" {...across} />
      {columns.length > 0 && (
        <div class="sideways" tabIndex={0} role="region" aria-label={title}>
          <table class="table heat">
            <thead>
              <tr>
                <th scope="col">Placement</th>
                {values.map(({ value, target, clusters }) => (
                  <th key={target} scope="col">
                    <a href={hrefOf({ page: 'whatif', begin: `lose:${target}` })}>
                      <Text of={value === '' ? '""' : value} />
                    </a>
                    <small class="muted">{clustersText(clusters)}</small>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(down.after, down.after + PAGE).map(({ namespace, name, cells }) => (
                <tr key={`${namespace}/${name}`}>
                  <th scope="row">
                    <PlacementLink namespace={namespace} name={name} />
                  </th>
                  {values.map(({ value, target }, index) => (
                    <td key={target}>
                      <HurtCell
                        cell={cells[across.after + index]}
                        target={target}
                        title={`${shown(namespace)}/${shown(name)} without ${shown(value)}`}
                      />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Pager label="Placements" {...down} />
      {(columns.length < columnsTotal || rows.length < rowsTotal) && (
        <>
          <p class="muted">There are more than can be shown here: this shows all.</p>
          <Command words={['kubectl', 'mce', 'plan', '--lose-each', key, '-o', 'wide']} />
        </>
      )}
      {notes.map((note) => (
        <p key={note}>{shown(note)}</p>
      ))}
    </>
  );
}

interface HurtCellProps {
  readonly cell: HeatRow['cells'][number] | undefined;
  readonly target: string;
  readonly title: string;
}

function HurtCell({ cell, target, title }: HurtCellProps): JSX.Element | null {
  if (cell === null || cell === undefined) return null;
  return (
    <a href={hrefOf({ page: 'whatif', begin: `lose:${target}` })} title={title}>
      <LossCell {...cell} />
    </a>
  );
}
