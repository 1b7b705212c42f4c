import type { JSX } from 'preact';
import { VERDICTS, type VerdictWord } from '../../../api/verdicts.js';
import { SHOWS, type Cell, type Matrix, type MatrixRow, type Requirement, type Show } from '../../wire/placement.js';
import { shown } from '../command.js';
import { amend, turn } from '../navigate.js';
import type { RouteOf } from '../route.js';
import { placementPath, useLatest } from '../store.js';
import { spaced } from '../words.js';
import { HealthMark, WordMark } from './icon.js';
import { ClusterLink } from './name.js';
import { BLOCK, Rows, useNarrow } from './rows.js';
import { Empty, isWithheld, Loading, Problem } from './states.js';
import { counted, Tabs } from './tabs.js';
import { Term } from './term.js';
import { Why } from './why.js';

/** Clusters against requirements: who is in, who is near, who is out, and for what. */

export interface MatrixProps {
  readonly route: RouteOf<'placement'>;
  readonly show: Show;
  /** Whether more is known than what the decision holds. */
  readonly isKnown: boolean;
}

/** What each view is called, and what is said where it has no cluster. */
const TITLES: Readonly<Record<keyof Matrix['totals'], readonly [title: string, none: string]>> = {
  in: ['In', 'No cluster is selected.'],
  near: ['Near misses', 'No cluster lacks one requirement alone.'],
  out: ['Out', 'No cluster of the eligible sets is left out.'],
  all: ['All candidates', 'The eligible sets have no cluster.'],
};
const ROW = 40;

export function MatrixView({ route, show, isKnown }: MatrixProps): JSX.Element {
  const { q, why } = route;
  const path = placementPath(route.namespace, route.name);
  const address = (after: number, limit: number): string =>
    `${path}/matrix?show=${show}&q=${encodeURIComponent(q)}&after=${after}&limit=${limit}`;
  const loaded = useLatest<Matrix>(address(0, BLOCK));
  const { data, error } = loaded;
  const isDecided = !isWithheld(loaded, 'placementdecisions');
  const onShow = (one: Show): void => turn({ ...route, show: one });
  const onWhy = (cluster: string): void => turn({ ...route, why: cluster });
  if (data === undefined) return error === undefined ? <Loading /> : <Problem status={error} />;
  return (
    <section class="card" aria-label="Clusters and requirements">
      <div class="toolbar">
        <Tabs<Show>
          label="Clusters"
          list={SHOWS.filter((one) => isKnown || one === 'in').map((one) => [
            one,
            counted(TITLES[one][0], data.totals[one]),
          ])}
          on={show}
          onPress={onShow}
        />
        {isKnown && (
          <Tabs<Show>
            label="Verdict"
            list={WORDS.filter((one) => one in data.verdicts || one === show).map((one) => {
              return [one, counted(<WordMark word={one} />, data.verdicts[one] ?? 0)];
            })}
            on={show}
            onPress={(one) => onShow(one === show ? 'all' : one)}
          />
        )}
        <input
          type="search"
          class="small"
          aria-label="Filter clusters by name"
          placeholder="Name"
          value={q}
          onInput={(event) => amend({ ...route, q: event.currentTarget.value })}
        />
      </div>
      <MatrixRows matrix={data} isDecided={isDecided} address={address} filter={q} onWhy={onWhy} />
      {why !== '' && <Why path={path} cluster={why} onClose={() => onWhy('')} />}
    </section>
  );
}

const WORDS = Object.keys(VERDICTS) as readonly VerdictWord[];

interface MatrixRowsProps {
  readonly matrix: Matrix;
  /** Whether it is known which clusters are selected. */
  readonly isDecided: boolean;
  readonly address: (after: number, limit: number) => string;
  readonly filter: string;
  readonly onWhy: (cluster: string) => void;
}

function MatrixRows({ matrix, isDecided, address, filter, onWhy }: MatrixRowsProps): JSX.Element {
  const { requirements, totals, verdicts, show, elsewhere = [] } = matrix;
  const isNarrow = useNarrow();
  const total = isVerdict(show) ? (verdicts[show] ?? 0) : totals[show];
  const [title, none] = isVerdict(show) ? [spaced(show), 'No cluster has this verdict.'] : TITLES[show];
  if (total === 0 && show === 'in' && !isDecided) return <Empty title="Which clusters are selected is not known." />;
  if (total === 0)
    return (
      <Empty title={filter === '' ? none : 'None of these clusters has this in its name.'}>
        {elsewhere.length > 0 && <p>In none of the cluster sets that it selects from:</p>}
        {elsewhere.map((name) => (
          <p key={name}>
            <ClusterLink name={name} /> <WhyButton name={name} onWhy={onWhy} />
          </p>
        ))}
      </Empty>
    );
  const height = isNarrow ? 100 + 24 * requirements.length : ROW;
  const columns = `minmax(9rem, 1.4fr) ${requirements.map(() => 'minmax(6rem, 1fr)').join(' ')} minmax(11rem, 2fr) 3.5rem`;
  return (
    <div class="matrix" style={{ '--columns': columns }}>
      <Rows<MatrixRow>
        label={`Clusters, ${title}`}
        class="matrix-grid"
        total={total}
        rowHeight={height}
        pathOf={address}
        head={
          <>
            <span role="columnheader">Cluster</span>
            {requirements.map((one, index) => (
              <RequirementHead
                key={index}
                one={one}
                isFirst={requirements[index - 1]?.predicate !== one.predicate}
                isOnly={requirements.at(-1)?.predicate === 0}
              />
            ))}
            <span role="columnheader">
              <Term of="Verdict" />
            </span>
            <span role="columnheader">
              <span class="unseen">Explanation</span>
            </span>
          </>
        }
        row={(row) => <RowCells row={row} requirements={requirements} isNarrow={isNarrow} onWhy={onWhy} />}
      />
    </div>
  );
}

interface RowCellsProps {
  readonly row: MatrixRow;
  readonly requirements: readonly Requirement[];
  readonly isNarrow: boolean;
  readonly onWhy: (cluster: string) => void;
}

function RowCells({ row, requirements, isNarrow, onWhy }: RowCellsProps): JSX.Element {
  return (
    <>
      <span role="rowheader" class="matrix-cluster">
        {row.health !== undefined && <HealthMark health={row.health} short />}
        <ClusterLink name={row.name} />
      </span>
      {requirements.map((one, index) => (
        <CellView key={index} cell={row.cells[index]} label={isNarrow ? titleOf(one) : undefined} />
      ))}
      <span role="cell" class="matrix-verdict">
        {/* Of a cell it would be read as well as what it holds. */}
        <span title={`${spaced(row.verdict)}: ${shown(row.why)}`}>
          <WordMark word={row.verdict} />
          <span class="unseen">:</span>{' '}
          <span class="muted">
            {row.rank !== undefined && `rank ${row.rank.toLocaleString('en-US')}, `}
            {shown(row.why)}
          </span>
        </span>
      </span>
      <span role="cell">
        <WhyButton name={row.name} onWhy={onWhy} />
      </span>
    </>
  );
}

function WhyButton({ name, onWhy }: Pick<MatrixRowsProps, 'onWhy'> & { readonly name: string }): JSX.Element {
  return (
    <button type="button" class="quiet-button" onClick={() => onWhy(name)} aria-label={`Why ${shown(name)}`}>
      Why
    </button>
  );
}

function isVerdict(show: Show): show is VerdictWord {
  return show in VERDICTS;
}

/** Most are of labels; of a claim that has the name of a label it has to be said. */
function titleOf({ source, text }: Requirement): string {
  return source === 'label' ? text : `${source} ${text}`;
}

interface RequirementHeadProps {
  readonly one: Requirement;
  /** Of its predicate. */
  readonly isFirst: boolean;
  /** Whether there is one predicate alone. */
  readonly isOnly: boolean;
}

function RequirementHead({ one, isFirst, isOnly }: RequirementHeadProps): JSX.Element {
  const { predicate, source, text, met, failsAlone } = one;
  return (
    <span
      role="columnheader"
      class={`requirement ${isFirst ? 'first' : ''}`}
      title={`predicate ${predicate}: ${source} ${shown(text)}`}
    >
      {!isOnly && (
        <small>
          {isFirst && predicate > 0 && 'or '}
          {isFirst ? <Term of="predicate">{`predicate ${predicate}`}</Term> : 'and'}
        </small>
      )}
      <bdi>{shown(titleOf(one))}</bdi>
      <small>
        {met.toLocaleString('en-US')} meet it
        {failsAlone > 0 && `, ${failsAlone.toLocaleString('en-US')} lack it alone`}
      </small>
    </span>
  );
}

interface CellViewProps {
  readonly cell: Cell | undefined;
  /** Of a card, which has no column heads. */
  readonly label: string | undefined;
}

function CellView({ cell, label }: CellViewProps): JSX.Element {
  if (cell === undefined) return <span role="cell">–</span>;
  const text = cell.found === undefined ? 'none' : shown(cell.found);
  const says = cell.met ? 'meets it' : 'does not meet it';
  return (
    <span role="cell" class={`cell ${cell.isSpare === true ? 'spare' : ''}`}>
      {label !== undefined && <span class="muted cell-label">{shown(label)}</span>}
      <span title={`${text}: ${says}`}>
        <WordMark word={cell.met ? 'True' : 'False'} text={text} />
        <span class="unseen">{says}</span>
      </span>
    </span>
  );
}
