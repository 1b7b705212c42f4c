import type { JSX } from 'preact';
import type { ClusterRow } from '../../wire/fleet.js';
import { shown } from '../command.js';
import { HealthMark } from '../parts/icon.js';
import { ClusterLink, Since } from '../parts/name.js';
import { Rows, useNarrow } from '../parts/rows.js';
import { isWithheld, type Unread } from '../parts/states.js';

/** Clusters of the fleet, a row each. */

const COLUMNS = [
  ['name', 'Cluster'],
  ['health', 'Health'],
  ['set', 'Cluster sets'],
  ['version', 'Kubernetes'],
  ['placements', 'Placements'],
] as const;

/** The health says so. */
const UNREACHABLE = 'cluster.fleetmgmt.io/unreachable';

/** `cluster.fleetmgmt.io/draining` → `draining`. */
function shortKey(key: string): string {
  return shown(key.slice(key.lastIndexOf('/') + 1));
}

export interface ClusterTableProps {
  readonly total: number;
  /** Where rows are: an answer of the fleet. */
  readonly address: (after: number, limit: number) => string;
  /** By which column they are sorted, `-desc` behind it for the other way round. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly of: Unread;
}

export function ClusterTable({ total, address, sort: given, onSort, of }: ClusterTableProps): JSX.Element {
  const isNarrow = useNarrow();
  const [by, order] = given.split('-');
  return (
    <Rows<ClusterRow>
      label="Clusters"
      class="fleet-grid"
      total={total}
      rowHeight={isNarrow ? 84 : 40}
      pathOf={address}
      head={COLUMNS.map(([sort, title]) => {
        const isBy = by === sort;
        const next = isBy && order === undefined ? `${sort}-desc` : sort;
        return (
          <span
            key={sort}
            role="columnheader"
            aria-sort={isBy ? (order === 'desc' ? 'descending' : 'ascending') : 'none'}
          >
            <button type="button" class="sort" onClick={() => onSort(next)}>
              {title} {isBy && <span aria-hidden="true">{order === 'desc' ? '↓' : '↑'}</span>}
            </button>
          </span>
        );
      })}
      row={(row) => (
        <>
          <span role="rowheader" class="strong">
            <ClusterLink name={row.name} />
          </span>
          <span role="cell">
            <HealthMark health={row.health} isJudged={row.isJudged} />{' '}
            <Since time={row.health === 'available' ? undefined : row.since} />{' '}
            {row.taints.filter((key) => key !== UNREACHABLE).length > 0 && (
              <span class="chip warn" title={`Taints: ${row.taints.map(shown).join(', ')}`}>
                {row.taints
                  .filter((key) => key !== UNREACHABLE)
                  .map(shortKey)
                  .join(', ')}
              </span>
            )}
          </span>
          <span role="cell">
            {row.sets.length === 0 ? (
              <span class="muted">{isWithheld(of, 'managedclustersets') ? '?' : 'none'}</span>
            ) : (
              row.sets.map(shown).join(', ')
            )}
          </span>
          <span role="cell">{row.version === undefined ? <span class="muted">–</span> : shown(row.version)}</span>
          <span role="cell">
            {isWithheld(of, 'placementdecisions') ? '?' : row.placements}{' '}
            <span class="only-narrow muted">{row.placements === 1 ? 'Placement' : 'Placements'}</span>
          </span>
        </>
      )}
    />
  );
}
