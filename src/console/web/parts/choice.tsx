import type { JSX } from 'preact';
import type { PieceView, PlacementView, SpreadView } from '../../wire/placement.js';
import { shown } from '../command.js';
import { now } from '../store.js';
import { momentText } from '../time.js';
import { WordMark } from './icon.js';
import { ClusterLink, Count, Since, Text } from './name.js';

/** How a Placement chooses among the clusters that match, and what has changed in its decision. */

export function ChoiceView({ view }: { readonly view: PlacementView }): JSX.Element {
  const { spread, pieces, changes, olderChanges, explanation } = view;
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
      {changes.length > 0 && <History changes={changes} older={olderChanges} />}
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
        A domain {isStrict ? 'may' : 'should'} have at most {most} now: {maxSkew} more than the one with the fewest.
        {minDomains !== undefined && ` At least ${minDomains} domains.`}
        {without > 0 && ` ${without} selected without the key.`}
      </p>
      <ul class="bars">
        {domains.map(({ value, count }) => (
          <li key={value}>
            <Text of={value} />
            <span class="funnel-bar">
              <span style={{ width: `${(count / longest) * 100}%` }} class={count > most ? 'over' : ''} />
            </span>
            <Count of={count} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Pieces({ list }: { readonly list: readonly PieceView[] }): JSX.Element {
  return (
    <section class="card">
      <h2>Groups</h2>
      <ul class="list">
        {list.map(({ text, clusters }) => (
          <li key={text}>
            <span class="strong">{shown(text)}</span>
            <Count of={clusters.length} />
            <Names names={clusters} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** So many clusters are named. */
const FEW = 5;

function Names({ names }: { readonly names: readonly string[] }): JSX.Element {
  return (
    <span class="names">
      {names.slice(0, FEW).map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <ClusterLink name={name} />
        </span>
      ))}
      {names.length > FEW && <span class="muted"> and {names.length - FEW} more</span>}
    </span>
  );
}

type Scored = PlacementView['explanation']['clusters'];

function Scores({ clusters }: { readonly clusters: Scored }): JSX.Element {
  return (
    <section class="card">
      <h2>Scores</h2>
      <div class="sideways" tabIndex={0} role="region" aria-label="Scores">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Cluster</th>
              <th scope="col">Score</th>
              {clusters[0]?.scores?.map(({ coordinate, weight }) => (
                <th key={coordinate} scope="col">
                  {shown(coordinate)} <span class="muted">× {weight}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {clusters.map(({ name, verdict, score, scores = [] }) => (
              <tr key={name}>
                <th scope="row">
                  <WordMark word={verdict} text="" /> <span class="unseen">{verdict}</span>
                  <ClusterLink name={name} />
                </th>
                <td class="strong">{score}</td>
                {scores.map((one, index) => (
                  <td key={index}>
                    {one.score} <span class="muted">({shown(valueText(one))})</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function valueText({ value, message }: NonNullable<Scored[number]['scores']>[number]): string {
  if (value === undefined) return message ?? '-';
  return message === undefined ? value : `${value} (${message})`;
}

function History({
  changes,
  older,
}: {
  readonly changes: PlacementView['changes'];
  readonly older: number;
}): JSX.Element {
  return (
    <section class="card">
      <h2>History</h2>
      <ul class="list">
        {changes.map(({ time, trigger, added, removed, more }) => (
          <li key={time}>
            <span class="nowrap" title={time}>
              {momentText(time, now.value)} <Since time={time} />
            </span>
            <span class="muted">{shown(trigger)}</span>
            {added.length > 0 && (
              <span>
                <span class="ok">+</span> <Names names={added} />
              </span>
            )}
            {removed.map(({ clusters, why }) => (
              <span key={why}>
                <span class="bad">−</span> <Names names={clusters} /> <span class="muted">{shown(why)}</span>
              </span>
            ))}
            {unnamed(more) > 0 && <span class="muted">{unnamed(more)} more are not named</span>}
          </li>
        ))}
      </ul>
      {older > 0 && <p class="muted">{older} older changes are not kept.</p>}
    </section>
  );
}

/** How many names did not fit. */
function unnamed({ added, removed, repaired }: PlacementView['changes'][number]['more']): number {
  return added + removed + repaired;
}
