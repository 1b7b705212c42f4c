import type { JSX } from 'preact';
import type { PieceView, PlacementView, SpreadView } from '../../wire/placement.js';
import { shown } from '../command.js';
import { WordMark } from '../parts/icon.js';
import { ClusterLink, Count, Names, Text } from '../parts/name.js';
import { Table } from '../parts/table.js';
import { Term } from '../parts/term.js';

/** How a Placement chooses among the clusters that match. */

export function ChoiceView({ view }: { readonly view: PlacementView }): JSX.Element {
  const { spread, pieces, explanation } = view;
  const { clusters } = explanation;
  return (
    <>
      {(spread.length > 0 || pieces.length > 0) && (
        <div class="columns">
          {spread.map((one) => (
            <Spread key={one.key} one={one} />
          ))}
          {pieces.length > 0 && <Pieces list={pieces} />}
        </div>
      )}
      {clusters.length > 0 && <Scores clusters={clusters} />}
    </>
  );
}

/** A bar for each domain; the mark is what one may have now. */
function Spread({ one }: { readonly one: SpreadView }): JSX.Element {
  const { key, domains, most, maxSkew, minDomains, isStrict, without } = one;
  const longest = Math.max(most, ...domains.map(({ count }) => count), 1);
  return (
    <section class="card">
      <h2>
        Spread by <Text of={key} />
      </h2>
      <p class="muted">
        A <Term of="domain" /> {isStrict ? 'may' : 'should'} have at most {most} now, where the mark is: {maxSkew} more
        than the one with the fewest.
        {minDomains !== undefined && ` At least ${minDomains} domains.`}
        {without > 0 && ` ${without} selected without the key.`}
      </p>
      <ul class="bars">
        {domains.map(({ value, count }) => (
          <li key={value}>
            <Text of={value} />
            <Bar of={count} most={longest} mark={most} />
            <span>
              <Count of={count} />
              {count > most && <span class="warn"> over</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface BarProps {
  readonly of: number;
  /** What the whole width stands for. */
  readonly most: number;
  /** Where a mark stands; absent for none. */
  readonly mark?: number;
}

/** What it shows is said beside it. */
function Bar({ of, most, mark }: BarProps): JSX.Element {
  const at = (value: number): string => `${Math.min(Math.max(value / most, 0), 1) * 100}%`;
  return (
    <span class="bar-track" aria-hidden="true">
      <span class={mark !== undefined && of > mark ? 'over' : ''} style={{ width: at(of) }} />
      {mark !== undefined && <span class="most" style={{ left: at(mark) }} />}
    </span>
  );
}

function Pieces({ list }: { readonly list: readonly PieceView[] }): JSX.Element {
  return (
    <section class="card">
      <h2>Groups</h2>
      <ul class="list">
        {list.map(({ text, clusters }, index) => (
          <li key={index}>
            <span class="strong">{shown(text)}</span>
            <Count of={clusters.length} />
            <Names names={clusters} />
          </li>
        ))}
      </ul>
    </section>
  );
}

type Scored = PlacementView['explanation']['clusters'];

/** Scores of one coordinate are 0 to 100, or from -100 where clusters report them. */
const MOST_SCORE = 100;

function Scores({ clusters }: { readonly clusters: Scored }): JSX.Element {
  const most = Math.max(...clusters.map(({ score = 0 }) => score), 1);
  return (
    <section class="card">
      <h2>Scores</h2>
      <Table
        label="Scores"
        columns={[
          ['Cluster', 'tight'],
          ['Score', ''],
          ...(clusters[0]?.scores ?? []).map(
            ({ coordinate, weight }) => [`${shown(coordinate)} × ${weight}`, ''] as const,
          ),
        ]}
        rows={clusters.map(({ name, verdict, score = 0, scores = [] }) => [
          name,
          <>
            <WordMark word={verdict} text="" /> <span class="unseen">{verdict}</span>
            <ClusterLink name={name} />
          </>,
          <Score of={score} most={most} />,
          ...scores.map((one) => <Score of={one.score} most={MOST_SCORE} value={valueText(one)} />),
        ])}
      />
    </section>
  );
}

function Score({ of, most, value }: Omit<BarProps, 'mark'> & { readonly value?: string }): JSX.Element {
  return (
    <span class="score">
      <strong>{of}</strong> <span class="muted">{value !== undefined && `from ${value}`}</span>
      <Bar of={of} most={most} />
    </span>
  );
}

function valueText({ value, message }: NonNullable<Scored[number]['scores']>[number]): string {
  return shown(value === undefined ? (message ?? '-') : `${value}${message === undefined ? '' : ` (${message})`}`);
}
