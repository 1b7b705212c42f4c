import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PlacementView } from '../../wire/placement.js';
import type { Draft, Plan } from '../../wire/plan.js';
import { hasUnseen } from '../../wire/unseen.js';
import { shown } from '../command.js';
import {
  bringBackDraft,
  changeDraft,
  changesIn,
  draft,
  draftBefore,
  EMPTY_DRAFT,
  isEmptyDraft,
  replaceDraft,
  setBases,
  unfinishedIn,
} from '../draft.js';
import { amend } from '../navigate.js';
import type { RouteOf } from '../route.js';
import { usePlan, type Planned } from '../planning.js';
import { isSessionOpen, isStatus, placementPath, readNow } from '../store.js';
import { PageHead } from '../parts/pagehead.js';
import { addChip, Chips, CHIPS, focusLast } from '../parts/plan/chips.js';
import { Apply } from '../parts/plan/apply.js';
import { Editor } from '../parts/plan/editor.js';
import { Moved, PlannedView } from '../parts/plan/planned.js';
import { Stage } from '../parts/plan/stage.js';
import { capital, Empty, isWithheld, Loading, WithheldNotice } from '../parts/states.js';

/** A draft on the left, what it would do on the right. Nothing changes before somebody applies it. */

export function WhatIfPage({ route }: { readonly route: RouteOf<'whatif'> }): JSX.Element {
  const { begin } = route;
  const fault = useBeginning(begin);
  const [planned, onMoved] = usePlan();
  const isOpened = useSignal(false);
  // A question such as a loss has no manifest: the answer has the whole width.
  const isWriting = isOpened.value || draft.value.manifests !== '' || changesIn(draft.value).length === 0;
  return (
    <>
      <PageHead title="What if">
        {draftBefore.value !== undefined && (
          <button type="button" class="button" onClick={bringBackDraft}>
            Bring back the draft before
          </button>
        )}
        <button
          type="button"
          class="button"
          disabled={isEmptyDraft(draft.value)}
          onClick={() => replaceDraft(EMPTY_DRAFT)}
        >
          Clear
        </button>
      </PageHead>
      {fault !== '' && (
        <p class="notice bad" role="alert">
          {capital(shown(fault))}. The draft is the one of before.
        </p>
      )}
      <div class={`whatif ${isWriting ? 'writing' : ''}`}>
        <DraftView
          faultLine={planned.line}
          isBeginning={begin.startsWith('placement:')}
          isWriting={isWriting}
          onWrite={() => (isOpened.value = true)}
        />
        <Outcome {...planned} onMoved={onMoved} />
      </div>
    </>
  );
}

/** Takes what the address names into the draft, once, as it is now; why it could not, or empty. */
function useBeginning(begin: string): string {
  const fault = useSignal('');
  /** The draft that the address stands for. */
  const begun = useRef<Draft | undefined>(undefined);
  const isOpen = isSessionOpen();
  useEffect(() => {
    const [, kind = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(begin) ?? [];
    if (kind === '' || !isOpen) return undefined;
    fault.value = '';
    if (kind === 'lose') ask({ ...EMPTY_DRAFT, losses: [rest] });
    if (kind === 'each') ask({ ...EMPTY_DRAFT, each: [rest] });
    if (kind === 'labels') ask({ ...EMPTY_DRAFT, labels: [`${rest}:`] });
    begun.current = draft.value;
    // What somebody goes on to write: the address does not have it.
    if (kind === 'labels') {
      amend({ page: 'whatif', begin: '' });
      focusLast('[data-chips="labels"] input');
    }
    if (kind !== 'placement') return undefined;
    let isLeft = false;
    void takePlacement(rest).then((why) => {
      if (isLeft) return;
      fault.value = why;
      amend({ page: 'whatif', begin: '' });
      if (why === '') focusLast('.editor textarea', /^spec:/m);
    });
    return () => void (isLeft = true);
  }, [begin, isOpen, fault]);
  useEffect(() => {
    // What somebody has changed has no address.
    if (begin !== '' && begun.current !== undefined && begun.current !== draft.value)
      amend({ page: 'whatif', begin: '' });
  }, [draft.value]);
  return fault.value;
}

/** The draft is this question alone; what was there can be brought back. */
function ask(question: Draft): void {
  if (!isSame(question, draft.value)) replaceDraft(question);
}

function isSame(one: Draft, other: Draft): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Why it is not in the draft; empty where it is. */
async function takePlacement(place: string): Promise<string> {
  const [namespace = '', name = ''] = place.split('/');
  const answer = await readNow<PlacementView>(placementPath(namespace, name));
  if (isStatus(answer)) return answer.message;
  const { manifest } = answer.data;
  const begunOn = { [`Placement ${namespace}/${name}`]: manifest };
  const question = { ...EMPTY_DRAFT, manifests: manifest };
  if (isSame(question, draft.value)) setBases(begunOn);
  else replaceDraft(question, begunOn);
  return '';
}

/** A line of the draft with characters that are not seen, or that turn the others around. */
function unseenIn(value: Draft): string | undefined {
  const lines = [...value.manifests.split('\n'), ...changesIn(value)];
  return lines.find((line) => hasUnseen(line.replaceAll('\t', '')));
}

interface DraftViewProps {
  readonly faultLine: number | undefined;
  /** A Placement is being read into the draft: what is written now would be replaced by it. */
  readonly isBeginning: boolean;
  readonly isWriting: boolean;
  /** Shows the editor. */
  readonly onWrite: () => void;
}

function DraftView({ faultLine, isBeginning, isWriting, onWrite }: DraftViewProps): JSX.Element {
  const { value } = draft;
  const unseen = unseenIn(value);
  return (
    <section class="card draft" aria-label="Draft">
      {CHIPS.map((kind) => (
        <Chips
          key={kind.field}
          kind={kind}
          list={value[kind.field]}
          onChange={(list) => changeDraft({ [kind.field]: list })}
        />
      ))}
      <div class="actions">
        {CHIPS.map(({ field, add }) => (
          <button key={field} type="button" class="button" onClick={() => addChip(field)}>
            + {add}
          </button>
        ))}
        {TEMPLATES.map(([add, text]) => (
          <button
            key={add}
            type="button"
            class="button"
            onClick={() => changeDraft({ manifests: withDocument(value.manifests, text) })}
          >
            + {add}
          </button>
        ))}
        {!isWriting && (
          <button type="button" class="button" onClick={onWrite}>
            + Manifest
          </button>
        )}
      </div>
      {isWriting && (
        <Editor
          label="Manifests"
          value={value.manifests}
          faultLine={faultLine}
          isReadOnly={isBeginning}
          onInput={(manifests) => changeDraft({ manifests })}
        />
      )}
      {unseen !== undefined && (
        <p class="fault" role="alert">
          Characters are not seen here, or turn others around: <code>{shown(unseen.trim())}</code>
        </p>
      )}
    </section>
  );
}

/** Of an object of this kind; `rest`: what follows its name. */
function template(kind: string, name: string, rest: string): string {
  return `apiVersion: cluster.fleetmgmt.io/v1alpha1\nkind: ${kind}\nmetadata:\n  name: ${name}\n  ${rest}\n`;
}

const TEMPLATES = [
  ['Placement', template('Placement', 'draft', 'namespace: default\nspec:\n  numberOfClusters: 3')],
  [
    'Cluster',
    template('ManagedCluster', 'new-cluster', 'labels:\n    cluster.fleetmgmt.io/clusterset: production\nspec: {}'),
  ],
] as const;

function withDocument(text: string, document: string): string {
  return text.trim() === '' ? document : `${text.trimEnd()}\n---\n${document}`;
}

/** Beside a plan that is not of the draft as it is now. */
const BEFORE = ' What stands here is of the draft before the last edit.';

function Outcome(props: Planned & { readonly onMoved: () => void }): JSX.Element {
  const { plan, seen, agreed, fault, isPlanning, of, onMoved } = props;
  const unfinished = unfinishedIn(draft.value);
  const isOld = isPlanning || fault !== undefined || unfinished !== undefined;
  const isCounted = !isWithheld(of, 'placements');
  return (
    <section class="card outcome" aria-label="What it would do" aria-busy={isPlanning}>
      {fault !== undefined && (
        <p class="fault" role="alert">
          {shown(fault)}
          {plan !== undefined && BEFORE}
        </p>
      )}
      {unfinished !== undefined && (
        <p class="notice info" role="status">
          <strong>Not finished</strong>
          {unfinished !== '' && <code> {shown(unfinished)}</code>}: write it to its end, or take it away.
          {plan !== undefined && BEFORE}
        </p>
      )}
      <WithheldNotice of={of} />
      {plan !== undefined && of.withheld.length > 0 && (
        <p>What it does to {isCounted ? 'the rest' : 'Placements'} is not known.</p>
      )}
      {isPlanning && (
        <p class="muted" role="status">
          Computing…{plan !== undefined && BEFORE}
        </p>
      )}
      {plan === undefined && isPlanning && <Loading rows={4} />}
      {plan === undefined && fault === undefined && !isPlanning && (
        <Empty title="Nothing is planned yet.">
          <p>
            Lose a region, drain or label a cluster, or write a manifest. What every Placement would then select is
            shown here, before anything is changed.
          </p>
        </Empty>
      )}
      {plan !== undefined && seen !== undefined && <Moved before={seen} after={plan} />}
      {plan !== undefined && (
        <div class={isOld ? 'old' : ''}>
          <PlannedView plan={plan} isCounted={isCounted}>
            {isCounted && isStaged(plan) && <Stage basedOn={plan.basedOn} draft={draft.value} />}
          </PlannedView>
        </div>
      )}
      {plan !== undefined && <Apply plan={plan} agreed={agreed ?? plan} isOld={isOld} onMoved={onMoved} />}
    </section>
  );
}

/** Whether the fleet is shown as the plan leaves it: not where that is not known, nor where a table of losses is all that is asked for. */
function isStaged({ placements, loss }: Plan): boolean {
  return (placements.length > 0 || loss !== undefined) && placements.every(({ change }) => change !== 'Unknown');
}
