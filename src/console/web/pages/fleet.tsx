import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Fleet, FleetMap } from '../../wire/fleet.js';
import { hasUnseen } from '../../wire/unseen.js';
import { shown } from '../command.js';
import { amend, turn } from '../navigate.js';
import type { RouteOf } from '../route.js';
import { useLatest } from '../store.js';
import { ClusterTable } from '../objects/clustertable.js';
import { Combo } from '../parts/combo.js';
import { GroupSelect, MapBar, MapView, Select } from '../parts/map.js';
import { PageHead } from '../parts/pagehead.js';
import { BLOCK } from '../parts/rows.js';
import {
  Empty,
  isWithheld,
  Loading,
  NoPlacement,
  NothingReadable,
  Problem,
  Show,
  type Unread,
} from '../parts/states.js';
import { Tabs } from '../parts/tabs.js';
import { Term } from '../parts/term.js';
import { TroubleView } from '../parts/trouble.js';

/** All clusters: on a map, and as a table. */

/** Whether the fleet is the first page that is shown. */
let isFirst = true;

export function FleetPage({ route }: { readonly route: RouteOf<'fleet'> }): JSX.Element {
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
            <NoClusters of={loaded} />
          ) : (
            <FleetView fleet={fleet} route={route} address={address} of={loaded} />
          )
        }
      </Show>
    </>
  );
}

function NoClusters({ of }: { readonly of: Unread }): JSX.Element {
  if (isWithheld(of, 'managedclusters')) return <NothingReadable of={of} kind="managedclusters" />;
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
  readonly route: RouteOf<'fleet'>;
  readonly address: (after: number, limit: number) => string;
  readonly of: Unread;
}

function FleetView({ fleet, route, address, of }: FleetViewProps): JSX.Element {
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
      {fleet.placements === 0 && !isWithheld(of, 'placements') && (
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
          <Tabs label="View" list={VIEWS} on={view} onPress={(one) => turn({ ...route, view: one })} />
        </div>
        {fleet.without !== undefined ? (
          <NoMatch without={fleet.without} q={q} onFilter={filter} />
        ) : view === 'map' ? (
          <FleetMapView route={route} onFilter={filter} />
        ) : (
          <ClusterTable
            total={fleet.matched}
            sort={route.sort}
            onSort={(sort) => turn({ ...route, sort })}
            address={address}
            of={of}
          />
        )}
      </section>
    </>
  );
}

function without(q: string, term: string): string {
  return q
    .split(/\s+/)
    .filter((word) => word !== '' && word !== term)
    .join(' ');
}

interface Filtering {
  readonly q: string;
  readonly onFilter: (q: string) => void;
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

function FleetMapView({
  route,
  onFilter,
}: Pick<Filtering, 'onFilter'> & { readonly route: RouteOf<'fleet'> }): JSX.Element {
  const { q, group, color } = route;
  const { data, error } = useLatest<FleetMap>(
    `fleet/map?q=${encodeURIComponent(q)}&group=${encodeURIComponent(group)}&color=${encodeURIComponent(color)}`,
  );
  return (
    <>
      <MapBar rows={data?.color === color ? data.legend : []}>
        <GroupSelect value={group} onChange={(one) => turn({ ...route, group: one })} />
        <Select
          label="Color by"
          value={color}
          list={[...(data?.colors ?? []), ...scoresOf(color)]}
          onChange={(one) => turn({ ...route, color: one })}
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
