import type { JSX } from 'preact';
import type { PlannedState } from '../../../answers/plan/document.js';
import type { CutPlacement, Plan } from '../../wire/plan.js';
import { shown, shownLines } from '../command.js';
import {
  clustersIn,
  planDifferences,
  problemIn,
  type PlannedCluster,
  type PlannedClusters,
} from '../plandifference.js';
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
  const { placements, refusals, summary, loss, lossOfEach, replaced, apartComputed } = plan;
  return (
    <>
      {isCounted && <p class="plan-summary">{shown(summary.text)}</p>}
      {isCounted && loss !== undefined && <p>{shown(loss)}</p>}
      {isCounted && lossOfEach !== undefined && (
        <pre tabIndex={0} role="region" aria-label="What the loss of each value does">
          {shownLines(lossOfEach)}
        </pre>
      )}
      {refusals.map(({ kind, name }) => (
        <p key={name} class="notice bad">
          {kind} {shown(name)} is in use: its deletion is refused
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
      {apartComputed === false && <p class="muted">What so many changes do one after the other is not computed.</p>}
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

function PlannedPlacementView({ one }: { readonly one: CutPlacement }): JSX.Element {
  const { namespace, name, change, before, after, counts, apart } = one;
  const problem = after && problemIn(after);
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
            <span class="ok">+{counts.add.toLocaleString('en-US')}</span>{' '}
            <span class="bad">−{counts.remove.toLocaleString('en-US')}</span>{' '}
            <span class="muted">={counts.stay.toLocaleString('en-US')}</span>
          </span>
        )}
        <span class="muted">
          {isKnown ? statesText(before, after) : 'what it would select is not known with your rights'}
        </span>
      </p>
      {problem !== undefined && <p class="fault">{shown(problem)}: the decision stays as it is.</p>}
      {after !== undefined &&
        problem === undefined &&
        after.phase !== 'Satisfied' &&
        after.satisfied.message !== '' && <p class="muted">{shown(after.satisfied.message)}</p>}
      {clustersIn(one).map((list) => (
        <Clusters key={list.sign} {...list} />
      ))}
      {apart !== undefined && <p class="muted">{shown(apart.message)}</p>}
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

function Clusters({ list, total, sign }: PlannedClusters): JSX.Element | null {
  if (list.length === 0) return null;
  const tone = sign === '+' ? 'ok' : sign === '−' ? 'bad' : 'info';
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

/** That the fleet has moved since the draft was written, and what is planned otherwise now. */
export function Moved({ before, after }: { readonly before: Plan; readonly after: Plan }): JSX.Element | null {
  if (before.basedOn === after.basedOn) return null;
  const differences = planDifferences(before, after);
  if (differences.length === 0)
    return (
      <p class="notice info" role="status">
        Something has moved since you wrote this. It would still move the same clusters.
      </p>
    );
  return (
    <div class="notice info" role="status">
      <strong>The fleet has moved since you wrote this. It would now do something else:</strong>
      <ul class="moves">
        {differences.map(({ placement, lines }) => (
          <li key={placement}>
            {shown(placement)}: {lines.map(shown).join('; ')}
          </li>
        ))}
      </ul>
    </div>
  );
}
