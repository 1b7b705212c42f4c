import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { PlannedState } from '../../../../answers/plan/document.js';
import type { CutPlacement, Plan, PlannedCluster, PlannedClusters, PlannedPart } from '../../../wire/plan.js';
import { shown } from '../../command.js';
import { isCut, planDifferences, problemIn, totalOf } from '../../plandifference.js';
import { placementPath, useLoaded } from '../../store.js';
import { HeatView, LossCell } from './heat.js';
import { TroubleMark, WordMark } from '../icon.js';
import { ClusterLink, PlacementLink } from '../name.js';
import { Pager, usePages } from '../pager.js';
import { BLOCK, Rows } from '../rows.js';
import { Problem } from '../states.js';
import { Head } from '../table.js';

/** What a draft does, Placement by Placement. */

/** So many clusters are named before somebody asks for all. */
const FEW = 5;
/** So many Placements are drawn at a time. */
const PAGE = 20;

export interface PlannedProps {
  readonly plan: Plan;
  /** Whether the counts are of any Placements: not where none may be read. */
  readonly isCounted: boolean;
  /** Between the summary and the Placements. */
  readonly children?: ComponentChildren;
}

export function PlannedView({ plan, isCounted, children }: PlannedProps): JSX.Element {
  const { placements, refusals, totals, headline, loss = '', lossOfEach, replaced, apartComputed } = plan;
  const pages = usePages(placements.length, PAGE);
  const open = useSignal('');
  const columns = COLUMNS.filter(([, sign]) => !RARE.has(sign) || placements.some((one) => totalOf(one, sign) > 0));
  return (
    <>
      {isCounted && lossOfEach !== undefined && <HeatView heat={lossOfEach} />}
      {isCounted && headline !== undefined && <p class="headline">{shown(headline)}</p>}
      {isCounted && loss !== '' && <p>{shown(loss)}</p>}
      {children}
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
      {placements.length > 0 && (
        <table class="table cards planned" aria-label="Placements">
          <Head
            columns={[
              ['Placement', 'rest'],
              ['Selected', ''],
              ...columns.map(([title]) => [title, 'number'] as const),
              ['Then', ''],
            ]}
          />
          {placements.slice(pages.after, pages.after + PAGE).map((one) => (
            <PlannedPlacementView
              key={`${one.namespace}/${one.name}`}
              one={one}
              basedOn={plan.basedOn}
              columns={columns}
              open={open}
            />
          ))}
        </table>
      )}
      <Pager label="Placements" {...pages} />
      {isCounted && totals !== undefined && <p class="muted">All Placements together: {shown(totals)}</p>}
    </>
  );
}

/** What of a Placement is counted, and how it is marked. */
const COLUMNS = [
  ['Leave', '−', 'bad'],
  ['Come in', '+', 'ok'],
  ['Held', 'held', 'warn'],
  ['Waiting', 'waiting', 'info'],
  ['Lost, named', 'lost', 'bad'],
  ['Stay', '=', 'muted'],
] as const;
type Counted = (typeof COLUMNS)[number];
/** Those that are shown only where there are some. */
const RARE: ReadonlySet<Counted[1]> = new Set(['waiting', 'lost']);

interface PlannedPlacementProps extends Pick<Plan, 'basedOn'> {
  readonly one: CutPlacement;
  readonly columns: readonly Counted[];
  /** The list that is open: one at a time; empty for none. */
  readonly open: Signal<string>;
}

function PlannedPlacementView({ one, basedOn, columns, open }: PlannedPlacementProps): JSX.Element {
  const { namespace, name, change, after, apart, lists } = one;
  const problem = after && problemIn(after);
  const isKnown = change !== 'Unknown';
  return (
    <tbody>
      <tr>
        <th scope="row">
          <PlacementLink namespace={namespace} name={name} /> {change !== 'Changed' && <WordMark word={change} badge />}
        </th>
        {isKnown ? (
          <>
            <td class="tight">
              <Selected of={one} />
            </td>
            {columns.map(([label, sign, tone]) => {
              const count = totalOf(one, sign);
              return (
                <td key={label} data-label={`${label}:`} class={`number ${count > 0 ? tone : 'muted'}`}>
                  {`${count > 0 && '+−'.includes(sign) ? sign : ''}${count.toLocaleString('en-US')}`}
                </td>
              );
            })}
            <td class="tight">
              {isHurt(one) && after?.phase === 'Satisfied' ? (
                <span class="muted">its condition stays satisfied</span>
              ) : (
                after !== undefined && <WordMark word={after.phase} />
              )}
            </td>
          </>
        ) : (
          <td colSpan={columns.length + 2}>what it would select is not known</td>
        )}
      </tr>
      <tr>
        <td colSpan={columns.length + 3} class="detail">
          {problem !== undefined && <p class="fault">{shown(problem)}: the decision stays as it is.</p>}
          {after !== undefined &&
            problem === undefined &&
            after.phase !== 'Satisfied' &&
            after.satisfied.message !== '' && <p class="muted">{shown(after.satisfied.message)}</p>}
          {lists.map((list) => {
            const path = `plan/${basedOn}/${placementPath(namespace, name)}/${encodeURIComponent(list.sign)}`;
            const id = `${namespace}/${name} ${list.sign}`;
            const onToggle = (): string => (open.value = open.value === id ? '' : id);
            return <Clusters key={id} list={list} path={path} isOpen={open.value === id} onToggle={onToggle} />;
          })}
          {apart !== undefined && <p class="muted">{shown(apart.message)}</p>}
        </td>
      </tr>
    </tbody>
  );
}

/** How many are selected before and after; of a loss that leaves fewer, how many are usable. */
function Selected({ of }: { readonly of: CutPlacement }): JSX.Element {
  const { before, after, loss } = of;
  if (!isHurt(of) || loss === undefined || loss.effect === 'None')
    return <>{`${selectedText(before)} → ${selectedText(after)}`}</>;
  return (
    <>
      <LossCell effect={loss.effect} before={before?.selected ?? 0} after={loss.usable} /> usable
      {after?.wanted !== undefined && ` of ${after.wanted.toLocaleString('en-US')}`}
    </>
  );
}

function isHurt({ before, loss }: Pick<CutPlacement, 'before' | 'loss'>): boolean {
  return loss !== undefined && loss.usable < (before?.selected ?? 0);
}

function selectedText(state: PlannedState | undefined): string {
  if (state === undefined) return 'none';
  const [selected, wanted] = [state.selected, state.wanted].map((count) => count?.toLocaleString('en-US'));
  return wanted === undefined ? `${selected}` : `${selected} of ${wanted}`;
}

interface ClustersProps {
  readonly list: PlannedClusters;
  /** Where all of them are. */
  readonly path: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** The first clusters of a list; all of them once somebody opens it. */
function Clusters({ list, path, isOpen, onToggle }: ClustersProps): JSX.Element {
  const { sign, rows, total } = list;
  return (
    <>
      {isOpen && rows.length < total ? (
        <AllClusters list={list} path={path} />
      ) : (
        <ul class="moves">
          {(isOpen ? rows : rows.slice(0, FEW)).map((one) => (
            <li key={one.name}>{clusterOf(sign, one)}</li>
          ))}
        </ul>
      )}
      {total > FEW && (
        <button type="button" class="quiet-button" aria-expanded={isOpen} onClick={onToggle}>
          {isOpen ? 'Fewer' : `${sign} ${(total - FEW).toLocaleString('en-US')} more`}
        </button>
      )}
    </>
  );
}

function clusterOf(sign: PlannedClusters['sign'], { name, why, ...of }: PlannedCluster): JSX.Element {
  const tone = sign === '+' ? 'ok' : sign === '−' || sign === 'lost' ? 'bad' : 'info';
  return (
    <>
      <span class={tone}>{sign}</span> <ClusterLink name={name} /> <TroubleMark of={of} />{' '}
      <span class="muted">{shown(why)}</span>
    </>
  );
}

function AllClusters({ list: { sign, total }, path }: Pick<ClustersProps, 'list' | 'path'>): JSX.Element {
  const address = (after: number, limit: number): string => `${path}?after=${after}&limit=${limit}`;
  const { data, error } = useLoaded<PlannedPart>(address(0, BLOCK));
  if (error !== undefined) return <Problem status={error} />;
  const { listed = total } = data ?? {};
  return (
    <>
      <Rows<PlannedCluster>
        label={`Clusters, ${sign}`}
        class="moves-grid"
        total={listed}
        rowHeight={28}
        pathOf={address}
        head={<span role="columnheader">Cluster</span>}
        row={(one) => <span role="cell">{clusterOf(sign, one)}</span>}
      />
      {listed < total && <p class="muted">{(total - listed).toLocaleString('en-US')} more are not listed.</p>}
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
        Something has moved since you wrote this. It would still move{' '}
        {after.placements.some(isCut) ? 'as many' : 'the same'} clusters.
      </p>
    );
  return (
    <div class="notice info" role="status">
      <strong>The fleet has moved since you wrote this. It would now do something else:</strong>
      <ul class="moves">
        {differences.map((one) => (
          <li key={one}>{shown(one)}</li>
        ))}
      </ul>
    </div>
  );
}
