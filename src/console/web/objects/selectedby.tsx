import type { JSX } from 'preact';
import type { ClusterAnswer } from '../../../answers/cluster.js';
import { shown } from '../command.js';
import { WordMark } from '../parts/icon.js';
import { PlacementLink } from '../parts/name.js';
import { unreadOf, type Unread } from '../parts/states.js';
import { Table } from '../parts/table.js';

/** What Placements say of a cluster. */

type Row = Pick<ClusterAnswer['matchedBy'][number], 'namespace' | 'placement' | 'why' | 'rank'> & {
  readonly verdict: string;
  readonly instead?: string;
};

/** Without these nobody knows which decisions name a cluster, or that none does. */
const DECIDING = ['placements', 'placementdecisions'];
/** Without these nobody knows which others it matches. */
const MATCHING = ['managedclustersets', 'managedclustersetbindings'];

export interface SelectedByProps {
  readonly view: ClusterAnswer;
  readonly of: Unread;
}

/** What is held or waits comes first. */
export function SelectedBy({ view, of }: SelectedByProps): JSX.Element {
  const undecided = unreadOf(of, ...DECIDING);
  const unmatched = unreadOf(of, ...MATCHING);
  const { selectedBy, matchedBy, missedBy, placements } = view;
  const selected = selectedBy.map((one): Row => ({ ...one, verdict: one.word ?? 'Unknown' }));
  const others = placements - selectedBy.length - matchedBy.length - missedBy.length;
  const calm = ({ verdict }: Row): number => (verdict === 'Selected' ? 1 : 0);
  // In one table: the verdict tells them apart.
  const rows: readonly Row[] = [...selected.sort((a, b) => calm(a) - calm(b)), ...matchedBy, ...missedBy];
  if (undecided !== undefined)
    return (
      <section class="card">
        <h2>Selected by</h2>
        <p>Which decisions name it is not known: {undecided}.</p>
      </section>
    );
  return (
    <section class="card">
      <h2>
        Selected by {selectedBy.length} of {placements} {placements === 1 ? 'Placement' : 'Placements'} that you may
        read
        {unmatched === undefined &&
          `; matches ${matchedBy.length} more, and lacks one requirement of ${missedBy.length}`}
      </h2>
      {selected.length === 0 && <p class="muted">No decision names it.</p>}
      {unmatched !== undefined && <p>Which others it matches is not known: {unmatched}.</p>}
      {rows.length > 0 && (
        <Table
          label="Verdicts"
          columns={{ Placement: 'who', Verdict: 'tight', Rank: 'number', Why: 'rest', 'If it goes': 'who' }}
          rows={rows.map(({ namespace, placement, verdict, rank, why, instead }) => [
            `${namespace}/${placement}`,
            <PlacementLink namespace={namespace} name={placement} />,
            verdict === 'Selected' && instead === undefined ? (
              <WordMark word="Changed" text="selected, not published yet" badge />
            ) : (
              <WordMark word={verdict} badge />
            ),
            rank?.toLocaleString('en-US'),
            shown(why),
            instead !== undefined && shown(instead),
          ])}
        />
      )}
      {unmatched === undefined && others > 0 && (
        <p class="muted">
          Not listed: {others} {others === 1 ? 'Placement that selects' : 'Placements that select'} from other cluster
          sets, or of which it lacks more than one requirement.
        </p>
      )}
    </section>
  );
}
