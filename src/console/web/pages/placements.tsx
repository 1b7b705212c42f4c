import type { JSX } from 'preact';
import { shownPhase, WORST_FIRST, type PlacementRow, type Placements } from '../../wire/placement.js';
import { shown } from '../command.js';
import { amend, turn } from '../navigate.js';
import type { RouteOf } from '../route.js';
import { useLatest } from '../store.js';
import { spaced } from '../words.js';
import { WordMark } from '../parts/icon.js';
import { Count, PlacementLink, Since } from '../parts/name.js';
import { PageHead } from '../parts/pagehead.js';
import { Pager, usePages } from '../parts/pager.js';
import { Empty, NoPlacement, Show } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { counted, Tabs } from '../parts/tabs.js';

/** All Placements that can be read, with what is wrong of each. */

/** So many are drawn at a time. */
const PAGE = 100;

export function PlacementsPage({ route }: { readonly route: RouteOf<'placements'> }): JSX.Element {
  const loaded = useLatest<Placements>(`placements?q=${encodeURIComponent(route.q)}`);
  return (
    <>
      <PageHead
        title="Placements"
        commands={[
          ['kubectl', 'get', 'fpl', '-A'],
          ['kubectl', 'mce', 'tree', '-A'],
        ]}
      />
      <Show of={loaded}>
        {(data) => (data.total === 0 ? <NoPlacement of={loaded} /> : <PlacementsView data={data} route={route} />)}
      </Show>
    </>
  );
}

type ViewProps = { readonly data: Placements; readonly route: RouteOf<'placements'> };

function PlacementsView({ data, route }: ViewProps): JSX.Element {
  const { q, phase } = route;
  const rowsOf = (wanted: string): readonly PlacementRow[] =>
    data.rows.filter((one) => wanted === '' || shownPhase(one) === wanted);
  const phases = [...new Set([...data.rows.map(shownPhase), phase])].filter((one) => one !== '');
  const tabs = ['', ...phases.sort((a, b) => placeOf(a) - placeOf(b))].map(
    (one) => [one, counted(one === '' ? 'All' : spaced(one), rowsOf(one).length)] as const,
  );
  const found = rowsOf(phase);
  // That of this very name stays first.
  const rows = q === '' ? [...found].sort((a, b) => placeOf(shownPhase(a)) - placeOf(shownPhase(b))) : found;
  const pages = usePages(rows.length, PAGE);
  return (
    <div class="card">
      <div class="toolbar">
        <Tabs label="Phase" list={tabs} on={phase} onPress={(one) => turn({ ...route, phase: one })} />
        <input
          type="search"
          aria-label="Filter Placements by name"
          placeholder="Namespace or name"
          value={q}
          onInput={(event) => amend({ ...route, q: event.currentTarget.value })}
        />
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

function placeOf(phase: string): number {
  const at = WORST_FIRST.indexOf(phase);
  return at < 0 ? WORST_FIRST.length : at;
}

function List({ rows }: { readonly rows: readonly PlacementRow[] }): JSX.Element {
  return (
    <Table
      label="Placements"
      columns={{ Placement: '', State: 'tight', Clusters: 'number', Since: 'tight', 'What is wrong': 'rest' }}
      rows={rows.map((one) => [
        `${one.namespace}/${one.name}`,
        <PlacementLink namespace={one.namespace} name={one.name} />,
        <>
          <WordMark word={one.phase} badge /> {one.held && one.phase !== 'Held' && <WordMark word="Held" badge />}
        </>,
        <>
          <Count of={one.selected} />
          {one.wanted !== undefined && <span class="muted"> of {one.wanted.toLocaleString('en-US')}</span>}
        </>,
        <Since time={one.since} />,
        <>
          {one.gone !== undefined && <span class="chip warn">{one.gone}</span>}{' '}
          {(one.phase !== 'Satisfied' || one.held) && shown(one.message)}
        </>,
      ])}
    />
  );
}
