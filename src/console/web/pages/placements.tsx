import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Placements, PlacementRow } from '../../wire/placement.js';
import { shown } from '../command.js';
import { amend } from '../navigate.js';
import type { Route } from '../route.js';
import { useLatest } from '../store.js';
import { Commands } from '../parts/command.js';
import { spaced, WordMark } from '../parts/icon.js';
import { Count, PlacementLink, Since } from '../parts/name.js';
import { Pager, usePages } from '../parts/pager.js';
import { Empty, Show } from '../parts/states.js';

/** All Placements that can be read, with what is wrong of each. */

/** So many are drawn at a time. */
const PAGE = 100;

export function PlacementsPage({ route }: { readonly route: Extract<Route, { page: 'placements' }> }): JSX.Element {
  const loaded = useLatest<Placements>(`placements?q=${encodeURIComponent(route.q)}`);
  return (
    <>
      <header class="page-head">
        <h1>Placements</h1>
        <Commands
          list={[
            ['kubectl', 'get', 'fpl', '-A'],
            ['kubectl', 'mce', 'tree', '-A'],
          ]}
        />
      </header>
      <Show of={loaded}>{(data) => <PlacementsView data={data} q={route.q} />}</Show>
    </>
  );
}

function PlacementsView({ data, q }: { readonly data: Placements; readonly q: string }): JSX.Element {
  const phase = useSignal('');
  const rows = data.rows.filter((one) => phase.value === '' || one.phase === phase.value);
  const pages = usePages(rows.length, PAGE);
  if (data.total === 0)
    return (
      <Empty
        title="There is no Placement that you may read."
        command={['kubectl', 'apply', '-f', 'examples/placement.yaml']}
      >
        <p>A Placement selects clusters for an application. The examples have one:</p>
      </Empty>
    );
  return (
    <div class="card">
      <div class="toolbar">
        <input
          type="search"
          aria-label="Filter Placements"
          placeholder="Namespace or name"
          data-search=""
          value={q}
          onInput={(event) => amend({ page: 'placements', q: event.currentTarget.value })}
        />
        <div class="tabs" role="group" aria-label="Phase">
          <button type="button" aria-pressed={phase.value === ''} onClick={() => (phase.value = '')}>
            All <Count of={data.total} />
          </button>
          {data.phases
            .filter(({ count }) => count > 0)
            .map((one) => (
              <button
                key={one.phase}
                type="button"
                aria-pressed={phase.value === one.phase}
                onClick={() => (phase.value = phase.value === one.phase ? '' : one.phase)}
              >
                {spaced(one.phase)} <Count of={one.count} />
              </button>
            ))}
        </div>
      </div>
      {rows.length === 0 ? (
        <Empty title="No Placement matches." />
      ) : (
        <List rows={rows.slice(pages.after, pages.after + PAGE)} />
      )}
      <Pager label="Placements" {...pages} />
    </div>
  );
}

function List({ rows }: { readonly rows: readonly PlacementRow[] }): JSX.Element {
  return (
    <ul class="list steady">
      {rows.map((one) => (
        <li key={`${one.namespace}/${one.name}`}>
          <span class="strong list-name">
            <PlacementLink namespace={one.namespace} name={one.name} />
          </span>
          <WordMark word={one.phase} badge />
          {one.held && one.phase !== 'Held' && <WordMark word="Held" badge />}
          <span class="nowrap">
            <Count of={one.selected} />{' '}
            {one.wanted === undefined ? (
              <span class="muted">all that match</span>
            ) : (
              <span class="muted">of {one.wanted}</span>
            )}
          </span>
          <Since time={one.since} />
          {(one.phase !== 'Satisfied' || one.held) && one.message !== '' && (
            <p class="list-message">{shown(one.message)}</p>
          )}
        </li>
      ))}
    </ul>
  );
}
