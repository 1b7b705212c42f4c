import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { VERDICTS, type VerdictWord } from '../../../api/verdicts.js';
import {
  SHOWS,
  type Cell,
  type Matrix,
  type MatrixRow,
  type Requirement,
  type Show,
  type WhyCluster,
} from '../../wire/placement.js';
import { shown } from '../command.js';
import { amend } from '../navigate.js';
import { placementPath, useLatest, useLoaded } from '../store.js';
import { Dialog } from './dialog.js';
import { HealthMark, spaced, WordMark } from './icon.js';
import { ClusterLink, Count } from './name.js';
import { BLOCK, Rows, useNarrow } from './rows.js';
import { Empty, isWithheld, Loading, Problem } from './states.js';

/** Clusters against requirements: who is in, who is near, who is out, and for what. */

export interface MatrixProps {
  readonly namespace: string;
  readonly name: string;
  readonly show: Show;
  /** Whether more is known than what the decision holds. */
  readonly isKnown: boolean;
}

const TITLES: Readonly<Record<keyof Matrix['totals'], string>> = {
  in: 'In',
  near: 'Near misses',
  out: 'Out',
  all: 'All',
};
const ROW = 40;

export function MatrixView({ namespace, name, show, isKnown }: MatrixProps): JSX.Element {
  const filter = useSignal('');
  const why = useSignal<string | undefined>(undefined);
  const path = placementPath(namespace, name);
  const address = (after: number, limit: number): string =>
    `${path}/matrix?show=${show}&q=${encodeURIComponent(filter.value)}&after=${after}&limit=${limit}`;
  const loaded = useLatest<Matrix>(address(0, BLOCK));
  const { data, error } = loaded;
  const isDecided = !isWithheld(loaded, 'placementdecisions');
  const onShow = (one: Show): void => amend({ page: 'placement', namespace, name, show: one });
  if (data === undefined) return error === undefined ? <Loading /> : <Problem status={error} />;
  return (
    <section class="card">
      <div class="toolbar">
        <div class="tabs" role="group" aria-label="Clusters">
          {SHOWS.filter((one) => isKnown || one === 'in').map((one) => (
            <button key={one} type="button" aria-pressed={one === show} onClick={() => onShow(one)}>
              {TITLES[one]} <Count of={data.totals[one]} />
            </button>
          ))}
        </div>
        {isKnown && <Verdicts counts={data.verdicts} show={show} onShow={onShow} />}
        <input
          type="search"
          class="small"
          aria-label="Filter clusters by name"
          placeholder="Name"
          value={filter.value}
          onInput={(event) => (filter.value = event.currentTarget.value)}
        />
      </div>
      <MatrixRows
        matrix={data}
        isDecided={isDecided}
        address={address}
        filter={filter.value}
        onWhy={(cluster) => (why.value = cluster)}
      />
      {why.value !== undefined && <Why path={path} cluster={why.value} onClose={() => (why.value = undefined)} />}
    </section>
  );
}

interface VerdictsProps {
  readonly counts: Matrix['verdicts'];
  readonly show: Show;
  readonly onShow: (show: Show) => void;
}

/** A filter for each verdict that a cluster has. */
function Verdicts({ counts, show, onShow }: VerdictsProps): JSX.Element {
  const words = (Object.keys(VERDICTS) as readonly VerdictWord[]).filter((word) => word in counts || word === show);
  return (
    <div class="tabs" role="group" aria-label="Verdict">
      {words.map((word) => (
        <button
          key={word}
          type="button"
          aria-pressed={word === show}
          onClick={() => onShow(word === show ? 'all' : word)}
        >
          <WordMark word={word} /> <Count of={counts[word] ?? 0} />
        </button>
      ))}
    </div>
  );
}

interface MatrixRowsProps {
  readonly matrix: Matrix;
  /** Whether it is known which clusters are selected. */
  readonly isDecided: boolean;
  readonly address: (after: number, limit: number) => string;
  readonly filter: string;
  readonly onWhy: (cluster: string) => void;
}

function MatrixRows({ matrix, isDecided, address, filter, onWhy }: MatrixRowsProps): JSX.Element {
  const { requirements, totals, verdicts, show } = matrix;
  const isNarrow = useNarrow();
  const total = isVerdict(show) ? (verdicts[show] ?? 0) : totals[show];
  const title = isVerdict(show) ? spaced(show) : TITLES[show];
  if (total === 0 && show === 'in' && !isDecided)
    return <Empty title="Which clusters are selected is not known with your rights." />;
  if (total === 0)
    return (
      <Empty title={filter !== '' ? 'No cluster has this in its name.' : isVerdict(show) ? NO_VERDICT : EMPTY[show]} />
    );
  const height = isNarrow ? 76 + 24 * requirements.length : ROW;
  const columns = `minmax(9rem, 1.4fr) ${requirements.map(() => 'minmax(6rem, 1fr)').join(' ')} minmax(11rem, 2fr) 3.5rem`;
  return (
    <div class="matrix" style={{ '--columns': columns }}>
      <Rows<MatrixRow>
        label={`Clusters, ${title}`}
        class="matrix-grid"
        total={total}
        rowHeight={height}
        pathOf={address}
        rowsIn={(data) => (data as Matrix).rows}
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
            <span role="columnheader">Verdict</span>
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
      <span role="cell" class="matrix-cluster">
        {row.health !== undefined && <HealthMark health={row.health} short />}
        <ClusterLink name={row.name} />
      </span>
      {requirements.map((one, index) => (
        <CellView
          key={index}
          cell={row.cells[index]}
          isSpare={isSpare(row, requirements, one.predicate)}
          label={isNarrow ? titleOf(one) : undefined}
        />
      ))}
      <span role="cell" class="matrix-verdict" title={`${spaced(row.verdict)}: ${shown(row.why)}`}>
        <WordMark word={row.verdict} />{' '}
        <span class="muted">
          {row.rank !== undefined && `rank ${row.rank.toLocaleString('en-US')}, `}
          {shown(row.why)}
        </span>
      </span>
      <span role="cell">
        <button
          type="button"
          class="quiet-button"
          onClick={() => onWhy(row.name)}
          aria-label={`Why ${shown(row.name)}`}
        >
          Why
        </button>
      </span>
    </>
  );
}

const EMPTY: typeof TITLES = {
  in: 'No cluster is selected.',
  near: 'No cluster lacks one requirement alone.',
  out: 'No cluster of the eligible sets is left out.',
  all: 'The eligible sets have no cluster.',
};
const NO_VERDICT = 'No cluster has this verdict.';

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
      {!isOnly && <small>{isFirst ? `${predicate > 0 ? 'or ' : ''}predicate ${predicate}` : 'and'}</small>}
      <bdi>{shown(titleOf(one))}</bdi>
      <small>
        {met.toLocaleString('en-US')} meet it
        {failsAlone > 0 && `, ${failsAlone.toLocaleString('en-US')} lack it alone`}
      </small>
    </span>
  );
}

/** Whether the cluster matches another predicate: then this one does not matter. */
function isSpare({ cells }: MatrixRow, requirements: readonly Requirement[], predicate: number): boolean {
  const others = new Set(requirements.map((one) => one.predicate).filter((one) => one !== predicate));
  const isMatched = (other: number): boolean =>
    requirements.every((one, index) => one.predicate !== other || cells[index]?.met === true);
  return [...others].some(isMatched);
}

interface CellViewProps {
  readonly cell: Cell | undefined;
  readonly isSpare: boolean;
  /** Of a card, which has no column heads. */
  readonly label: string | undefined;
}

function CellView({ cell, isSpare: spare, label }: CellViewProps): JSX.Element {
  if (cell === undefined) return <span role="cell">–</span>;
  const text = cell.found === undefined ? 'none' : shown(cell.found);
  const says = cell.met ? 'meets it' : 'does not meet it';
  return (
    <span role="cell" class={`cell ${spare && !cell.met ? 'spare' : ''}`} title={`${text}: ${says}`}>
      {label !== undefined && <span class="muted cell-label">{shown(label)}</span>}
      <WordMark word={cell.met ? 'True' : 'False'} text={text} />
      <span class="unseen">{says}</span>
    </span>
  );
}

function Why({
  path,
  cluster,
  onClose,
}: {
  readonly path: string;
  readonly cluster: string;
  readonly onClose: () => void;
}): JSX.Element {
  const { data, error } = useLoaded<WhyCluster>(`${path}/why/${encodeURIComponent(cluster)}`);
  return (
    <Dialog title={`Why ${shown(cluster)}?`} onClose={onClose}>
      {error !== undefined && <Problem status={error} />}
      {data === undefined && error === undefined && <Loading rows={3} />}
      {data !== undefined && (
        <div class="why">
          {data.lines.map((line, index) => (
            <p key={index} class={`why-${/^ {4}/.test(line) ? 'deep' : /^ {2}/.test(line) ? 'in' : 'head'}`}>
              {shown(line.trim())}
            </p>
          ))}
        </div>
      )}
    </Dialog>
  );
}
