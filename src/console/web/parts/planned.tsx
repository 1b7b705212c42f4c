import type { JSX } from 'preact';
import type { Plan, PlannedCluster, PlannedPlacement, PlannedState } from '../../wire/plan.js';
import { shown, shownLines } from '../command.js';
import { spaced, WordMark } from './icon.js';
import { ClusterLink, Count, PlacementLink } from './name.js';

/** What a draft does, Placement by Placement. */

/** So many clusters are named before somebody asks for all. */
const FEW = 5;

export interface PlannedProps {
  readonly plan: Plan;
  /** Whether the counts are of any Placements: not where none may be read. */
  readonly isCounted: boolean;
}

export function PlannedView({ plan, isCounted }: PlannedProps): JSX.Element {
  const { placements, refusals, summary, loss, lossOfEach, replaced } = plan;
  return (
    <>
      {isCounted && <p class="plan-summary">{shown(summary)}</p>}
      {isCounted && loss !== undefined && <p>{shown(loss)}</p>}
      {isCounted && lossOfEach !== undefined && (
        <pre tabIndex={0} role="region" aria-label="What the loss of each value does">
          {shownLines(lossOfEach)}
        </pre>
      )}
      {refusals.map((one) => (
        <p key={one} class="notice bad">
          {shown(one)}
        </p>
      ))}
      {replaced
        .filter(({ kept }) => kept.length > 0)
        .map(({ name, kept }) => (
          <p key={name} class="muted">
            {shown(name)} keeps {kept.map(shown).join(', ')}: as for kubectl apply, a field that was never applied stays
            until it is null.
          </p>
        ))}
      <ul class="planned">
        {placements.map((one) => (
          <li key={`${one.namespace}/${one.name}`}>
            <PlannedPlacementView one={one} />
          </li>
        ))}
      </ul>
    </>
  );
}

function PlannedPlacementView({ one }: { readonly one: PlannedPlacement }): JSX.Element {
  const { namespace, name, change, before, after, add, remove, held, moves, added, removed, stay } = one;
  const problem = after?.problem;
  const isKnown = change !== 'Unknown';
  return (
    <>
      <p class="planned-head">
        <span class="strong">
          <PlacementLink namespace={namespace} name={name} />
        </span>
        {change !== 'Changed' && <WordMark word={change} badge />}
        {isKnown && (
          <span class="diff">
            <span class="ok">+{added.toLocaleString('en-US')}</span>{' '}
            <span class="bad">−{removed.toLocaleString('en-US')}</span>{' '}
            <span class="muted">={stay.toLocaleString('en-US')}</span>
          </span>
        )}
        <span class="muted">
          {isKnown ? statesText(before, after) : 'what it would select is not known with your rights'}
        </span>
      </p>
      {problem !== undefined && <p class="fault">{shown(problem)}: the decision stays as it is.</p>}
      {after !== undefined && problem === undefined && after.phase !== 'Satisfied' && after.message !== '' && (
        <p class="muted">{shown(after.message)}</p>
      )}
      <Clusters list={add} total={added} sign="+" />
      <Clusters list={remove} total={removed} sign="−" />
      <Clusters list={held} total={held.length} sign="held" />
      <Clusters list={moves} total={moves.length} sign="→" />
    </>
  );
}

function statesText(before: PlannedState | undefined, after: PlannedState | undefined): string {
  const of = (state: PlannedState | undefined): string => {
    if (state === undefined) return 'none';
    const [selected, wanted] = [state.selected, state.wanted].map((count) => count?.toLocaleString('en-US'));
    return wanted === undefined ? `${selected}` : `${selected} of ${wanted}`;
  };
  const phase = after !== undefined && before?.phase !== after.phase ? `, ${spaced(after.phase)}` : '';
  return `${of(before)} → ${of(after)}${phase}`;
}

function Clusters({
  list,
  total,
  sign,
}: {
  readonly list: readonly PlannedCluster[];
  readonly total: number;
  readonly sign: string;
}): JSX.Element | null {
  if (list.length === 0) return null;
  const tone = { '+': 'ok', '−': 'bad' }[sign] ?? 'info';
  const row = (one: PlannedCluster): JSX.Element => (
    <li key={one.name}>
      <span class={tone}>{sign}</span> <ClusterLink name={one.name} /> <span class="muted">{shown(one.why)}</span>
    </li>
  );
  const rest = list.slice(FEW);
  return (
    <>
      <ul class="moves">{list.slice(0, FEW).map(row)}</ul>
      {rest.length > 0 && (
        <details class="more-moves">
          <summary>
            {sign} <Count of={total - FEW} /> more
          </summary>
          <ul class="moves">{rest.map(row)}</ul>
          {total > list.length && <p class="muted">{total - list.length} more are not listed.</p>}
        </details>
      )}
    </>
  );
}
