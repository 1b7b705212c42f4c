import type { JSX } from 'preact';
import type { ClusterAnswer } from '../../../answers/cluster.js';
import { shown } from '../command.js';
import { WordMark } from '../parts/icon.js';
import { PlacementLink } from '../parts/name.js';
import { Table, type Column } from '../parts/table.js';

/** What Placements say of a cluster. */

type Row = Pick<ClusterAnswer['matchedBy'][number], 'namespace' | 'placement' | 'why' | 'rank'> & {
  readonly verdict: string;
  readonly instead?: string;
};

/** What is held or waits comes first. */
export function SelectedBy({ view }: { readonly view: ClusterAnswer }): JSX.Element {
  const { selectedBy, matchedBy, missedBy, placements } = view;
  const selected = selectedBy.map((one): Row => ({ ...one, verdict: one.word ?? 'Unknown' }));
  const calm = ({ verdict }: Row): number => (verdict === 'Selected' ? 1 : 0);
  return (
    <section class="card">
      <h2>
        Selected by {selectedBy.length} of {placements} {placements === 1 ? 'Placement' : 'Placements'} that you may
        read
      </h2>
      {selected.length === 0 ? (
        <p class="muted">No decision names it.</p>
      ) : (
        <Verdicts title="Selected by" list={selected.sort((a, b) => calm(a) - calm(b))} />
      )}
      <Candidacies title={`Matches ${matchedBy.length} more`} list={matchedBy} />
      <Candidacies title={`Lacks one requirement of ${missedBy.length}`} list={missedBy} />
    </section>
  );
}

function Candidacies({ title, list }: { readonly title: string; readonly list: readonly Row[] }): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <Verdicts title={title} list={list} />
    </>
  );
}

const IF_IT_GOES: readonly Column[] = [['If it goes', 'who']];

function Verdicts({ title, list }: { readonly title: string; readonly list: readonly Row[] }): JSX.Element {
  const isSelected = list.some(({ instead }) => instead !== undefined);
  return (
    <Table
      label={title}
      columns={[
        ['Placement', 'who'],
        ['Verdict', 'who'],
        ['Rank', 'number'],
        ['Why', 'rest'],
        ...(isSelected ? IF_IT_GOES : []),
      ]}
      rows={list.map(({ namespace, placement, verdict, rank, why, instead }) => [
        `${namespace}/${placement}`,
        <PlacementLink namespace={namespace} name={placement} />,
        verdict === 'Selected' && instead === undefined ? (
          <WordMark word="Changed" text="selected, not published yet" badge />
        ) : (
          <WordMark word={verdict} badge />
        ),
        rank?.toLocaleString('en-US'),
        shown(why),
        ...(instead === undefined ? [] : [shown(instead)]),
      ])}
    />
  );
}
