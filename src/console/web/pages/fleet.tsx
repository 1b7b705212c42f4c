import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { HEALTHS, type Fleet, type FleetMap } from '../../wire/fleet.js';
import { hasUnseen } from '../../wire/unseen.js';
import { shown } from '../command.js';
import { amend, navigate } from '../navigate.js';
import type { Route } from '../route.js';
import { useLatest } from '../store.js';
import { ClusterTable } from '../objects/clustertable.js';
import { Combo } from '../parts/combo.js';
import { GroupSelect, Legend, MapBar, MapView, Select } from '../parts/map.js';
import { PageHead } from '../parts/pagehead.js';
import { BLOCK } from '../parts/rows.js';
import { Empty, isWithheld, Loading, NoPlacement, NothingReadable, Problem, Show } from '../parts/states.js';
import { Tabs } from '../parts/tabs.js';
import { Term } from '../parts/term.js';
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
    if (isFirst && isUnread && !isWithheld(loaded, 'placements')) amend({ page: 'placements', q: '', phase: '' });
    if (loaded.data !== undefined) isFirst = false;
  }, [isUnread, loaded]);
  return (
    <>
      <PageHead
        title="Fleet"
        commands={[
          ['kubectl', 'get', 'mcl'],
          ['kubectl', 'mce', 'status', '-o', 'wide'],
        ]}
      />
      <Show of={loaded}>
        {(fleet) =>
          fleet.total === 0 ? (
            isUnread ? (
              <NothingReadable of={loaded} kind="managedclusters" />
            ) : (
              <NoClusters />
            )
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
          <strong>
            The <Term of="brake" /> of health holds.
          </strong>{' '}
          <p>{shown(fleet.brake)}.</p>
        </div>
      )}
      <TroubleView fleet={fleet} />
      {fleet.placements === 0 && !isUnread('placements') && (
        <div class="card">
          <NoPlacement />
        </div>
      )}
      <section class="card" aria-label="Clusters">
        <div class="toolbar">
          <Combo
            label="Filter clusters"
            placeholder="Filter: set:prod label:tier=gold health:silent"
            value={q}
            onInput={filter}
            ask="filter"
            onTake={(one) => one.kind === 'filter' && filter(one.q)}
            fault={fleet.queryFault ?? (hasUnseen(q) ? `characters that are not seen: ${q}` : undefined)}
          />
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
            <ClusterTable
              total={fleet.matched}
              sort={route.sort}
              onSort={(sort) => navigate({ ...route, sort })}
              address={address}
              isUnread={isUnread}
            />
          </>
        )}
      </section>
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
