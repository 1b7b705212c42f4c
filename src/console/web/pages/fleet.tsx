import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { HEALTHS, type ClusterRow, type Fleet, type FleetMap } from '../../wire/fleet.js';
import { shown } from '../command.js';
import { amend, navigate } from '../navigate.js';
import type { Route } from '../route.js';
import { useLatest } from '../store.js';
import { Commands } from '../parts/command.js';
import { HealthMark } from '../parts/icon.js';
import { GroupSelect, Legend, MapBar, MapView, Select } from '../parts/map.js';
import { ClusterLink, Since } from '../parts/name.js';
import { BLOCK, Rows, useNarrow } from '../parts/rows.js';
import { Search } from '../parts/search.js';
import { Empty, isWithheld, Loading, NoPlacement, Problem, Show } from '../parts/states.js';
import { Tabs } from '../parts/tabs.js';
import { TroubleView } from '../parts/trouble.js';

/** All clusters: on a map, and as a table. */

/** Whether the fleet is the first page that is shown. */
let isFirst = true;

type FleetRoute = Extract<Route, { page: 'fleet' }>;

export function FleetPage({ route }: { readonly route: FleetRoute }): JSX.Element {
  const { q, sort } = route;
  const address = (after: number, limit: number): string =>
    `fleet?q=${encodeURIComponent(q)}&sort=${sort}&after=${after}&limit=${limit}`;
  const loaded = useLatest<Fleet>(address(0, BLOCK));
  const isUnread = isWithheld(loaded, 'managedclusters');
  useEffect(() => {
    // The first page of who may not read clusters is one that shows something.
    if (isFirst && isUnread) amend({ page: 'placements', q: '', phase: '' });
    if (loaded.data !== undefined) isFirst = false;
  }, [isUnread, loaded.data]);
  return (
    <>
      <header class="page-head">
        <h1>Fleet</h1>
        <Commands
          list={[
            ['kubectl', 'get', 'mcl'],
            ['kubectl', 'mce', 'status', '-o', 'wide'],
          ]}
        />
      </header>
      <Show of={loaded}>
        {(fleet) =>
          fleet.total === 0 ? (
            !isUnread && <NoClusters />
          ) : (
            <FleetView
              fleet={fleet}
              route={route}
              address={address}
              isUnread={(...plurals) => isWithheld(loaded, ...plurals)}
            />
          )
        }
      </Show>
    </>
  );
}

function NoClusters(): JSX.Element {
  return (
    <Empty title="There is no cluster yet." command={['kubectl', 'mce', 'cluster', 'add', 'edge-1']}>
      <p>A cluster joins with an agent; this command prints what to apply there:</p>
    </Empty>
  );
}

const VIEWS = [
  ['map', 'Map'],
  ['table', 'Table'],
] as const;

interface FleetViewProps {
  readonly fleet: Fleet;
  readonly route: FleetRoute;
  readonly address: (after: number, limit: number) => string;
  /** Whether it is not known what there is of one of these kinds. */
  readonly isUnread: (...plurals: readonly string[]) => boolean;
}

function FleetView({ fleet, route, address, isUnread }: FleetViewProps): JSX.Element {
  const { q, view } = route;
  const filter = (query: string): void => amend({ ...route, q: query });
  return (
    <>
      {fleet.brake !== undefined && (
        <div class="notice warn" role="status">
          <strong>The brake of health holds.</strong> <p>{fleet.brake}.</p>
        </div>
      )}
      <TroubleView fleet={fleet} />
      {fleet.placements === 0 && !isUnread('placements') && (
        <div class="card">
          <NoPlacement />
        </div>
      )}
      <div class="card">
        <div class="toolbar">
          <Search value={q} onInput={filter} fault={fleet.queryFault} sets={fleet.sets} />
          <p class="matched" role="status">
            {q.trim() === ''
              ? `${fleet.total.toLocaleString('en-US')} clusters`
              : `${fleet.matched.toLocaleString('en-US')} of ${fleet.total.toLocaleString('en-US')} match`}
          </p>
          <Tabs label="View" list={VIEWS} on={view} onPress={(one) => amend({ ...route, view: one })} />
        </div>
        {fleet.without !== undefined ? (
          <NoMatch without={fleet.without} q={q} onFilter={filter} />
        ) : view === 'map' ? (
          <FleetMapView route={route} fleet={fleet} onFilter={filter} />
        ) : (
          <>
            <MapBar legend={<HealthFilter q={q} fleet={fleet} onFilter={filter} />} />
            <FleetTable fleet={fleet} route={route} address={address} isUnread={isUnread} />
          </>
        )}
      </div>
    </>
  );
}

interface Filtering {
  readonly q: string;
  readonly onFilter: (q: string) => void;
}

/** How many clusters of the whole fleet are in each state: each a filter. */
function HealthFilter({ fleet, q, onFilter }: Filtering & Pick<FleetViewProps, 'fleet'>): JSX.Element {
  const isOn = (key: string): boolean => q.split(/\s+/).includes(`health:${key}`);
  return (
    <Legend
      rows={HEALTHS.map((key) => ({ key, count: fleet.counts[key] }))}
      filter={{
        isOn,
        onPress: (key) => {
          const rest = without(q, /^health:/);
          onFilter(isOn(key) ? rest : `${rest} health:${key} `.trimStart());
        },
      }}
    />
  );
}

function without(q: string, term: string | RegExp): string {
  const isMeant = (word: string): boolean => (typeof term === 'string' ? word === term : term.test(word));
  return q
    .split(/\s+/)
    .filter((word) => word !== '' && !isMeant(word))
    .join(' ');
}

function NoMatch({ without: terms, q, onFilter }: Filtering & Pick<Required<Fleet>, 'without'>): JSX.Element {
  return (
    <Empty title="No cluster matches.">
      <p>Leave out a term:</p>
      <ul class="drop">
        {terms.map(({ term, matched }) => (
          <li key={term}>
            <button type="button" class="button" onClick={() => onFilter(without(q, term))}>
              <bdi>{shown(term)}</bdi>
            </button>{' '}
            <span class="muted">{matched.toLocaleString('en-US')} match without it</span>
          </li>
        ))}
      </ul>
    </Empty>
  );
}

interface FleetMapViewProps extends Omit<Filtering, 'q'>, Pick<FleetViewProps, 'fleet' | 'route'> {}

function FleetMapView({ route, fleet, onFilter }: FleetMapViewProps): JSX.Element {
  const { q, group, color } = route;
  const { data, error } = useLatest<FleetMap>(
    `fleet/map?q=${encodeURIComponent(q)}&group=${encodeURIComponent(group)}&color=${encodeURIComponent(color)}`,
  );
  const legend =
    color === 'health' ? (
      <HealthFilter q={q} fleet={fleet} onFilter={onFilter} />
    ) : (
      <Legend rows={data?.color === color ? data.legend : []} />
    );
  return (
    <>
      <MapBar legend={legend}>
        <GroupSelect value={group} onChange={(one) => amend({ ...route, group: one })} />
        <Select
          label="Color by"
          value={color}
          list={[...(data?.colors ?? []), ...scoresOf(color)]}
          onChange={(one) => amend({ ...route, color: one })}
        />
      </MapBar>
      {error !== undefined && <Problem status={error} />}
      {data === undefined ? (
        error === undefined && <Loading />
      ) : (
        <MapView map={data} onGroup={(term) => onFilter(`${without(q, term)} ${term} `.trimStart())} />
      )}
    </>
  );
}

/** Of the Placement by which it is colored, its scores too. */
function scoresOf(color: string): readonly string[] {
  return color.includes('/') ? [color.replace(/^score:/, 'placement:'), color.replace(/^placement:/, 'score:')] : [];
}

const COLUMNS = [
  ['name', 'Cluster'],
  ['health', 'Health'],
  ['set', 'Cluster sets'],
  ['version', 'Kubernetes'],
  ['placements', 'Placements'],
] as const;

function FleetTable({ fleet, route, address, isUnread }: FleetViewProps): JSX.Element {
  const isNarrow = useNarrow();
  const [by, order] = route.sort.split('-');
  return (
    <Rows<ClusterRow>
      label="Clusters"
      class="fleet-grid"
      total={fleet.matched}
      rowHeight={isNarrow ? 84 : 40}
      pathOf={address}
      rowsIn={(data) => (data as Fleet).rows}
      head={COLUMNS.map(([sort, title]) => {
        const isBy = by === sort;
        const next = isBy && order === undefined ? `${sort}-desc` : sort;
        return (
          <span
            key={sort}
            role="columnheader"
            aria-sort={isBy ? (order === 'desc' ? 'descending' : 'ascending') : 'none'}
          >
            <button type="button" class="sort" onClick={() => navigate({ ...route, sort: next })}>
              {title} {isBy && <span aria-hidden="true">{order === 'desc' ? '↓' : '↑'}</span>}
            </button>
          </span>
        );
      })}
      row={(row) => (
        <>
          <span role="cell" class="strong">
            <ClusterLink name={row.name} />
          </span>
          <span role="cell">
            <HealthMark health={row.health} isJudged={row.isJudged} />{' '}
            <Since time={row.health === 'available' ? undefined : row.since} />
          </span>
          <span role="cell">
            {row.sets.length === 0 ? (
              <span class="muted">{isUnread('managedclustersets') ? '?' : 'none'}</span>
            ) : (
              row.sets.map(shown).join(', ')
            )}
          </span>
          <span role="cell">{row.version === undefined ? <span class="muted">–</span> : shown(row.version)}</span>
          <span role="cell">
            {isUnread('placementdecisions') ? '?' : row.placements}{' '}
            <span class="only-narrow muted">{row.placements === 1 ? 'Placement' : 'Placements'}</span>
            {row.taints.length > 0 && (
              <span class="chip warn" title={row.taints.map(shown).join(', ')}>
                {row.taints.length === 1 ? '1 taint' : `${row.taints.length} taints`}
              </span>
            )}
          </span>
        </>
      )}
    />
  );
}
