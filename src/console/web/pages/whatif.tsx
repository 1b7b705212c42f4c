import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Status } from '../../wire/answer.js';
import type { Fleet, Key } from '../../wire/fleet.js';
import type { PlacementView } from '../../wire/placement.js';
import type { Plan, PlanAnswer, SchemaField } from '../../wire/plan.js';
import { shown } from '../command.js';
import { changeDraft, draft, EMPTY_DRAFT, isEmptyDraft, keepBases, setBases, whole } from '../draft.js';
import { amend } from '../navigate.js';
import type { Route } from '../route.js';
import { isStatus, placementPath, post, useLoaded } from '../store.js';
import { addChip, Chips, CHIPS } from '../parts/chips.js';
import { Apply } from '../parts/apply.js';
import { Editor } from '../parts/editor.js';
import { PlannedView } from '../parts/planned.js';
import { Empty, Loading } from '../parts/states.js';

/** A draft on the left, what it would do on the right. Nothing changes before somebody applies it. */

const WAIT_MS = 350;

export function WhatIfPage({ route }: { readonly route: Extract<Route, { page: 'whatif' }> }): JSX.Element {
  const { begin } = route;
  useBeginning(begin);
  const planned = usePlan();
  return (
    <>
      <header class="page-head">
        <h1>What if</h1>
        <div class="actions">
          <button
            type="button"
            class="button"
            disabled={isEmptyDraft(draft.value)}
            onClick={() => changeDraft(EMPTY_DRAFT)}
          >
            Clear
          </button>
        </div>
      </header>
      <div class="whatif">
        <DraftView faultLine={planned.line} />
        <Outcome {...planned} />
      </div>
    </>
  );
}

/** Takes what the address names into the draft, once. */
function useBeginning(begin: string): void {
  const [, kind = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(begin) ?? [];
  const [namespace = '', name = ''] = rest.split('/');
  const path = kind === 'placement' ? placementPath(namespace, name) : undefined;
  const { data } = useLoaded<PlacementView>(path);
  useEffect(() => {
    if (kind === 'drain') changeDraft({ drains: [...new Set([...draft.value.drains, rest])] });
    if (kind === 'labels') changeDraft({ labels: [...draft.value.labels, `${rest}:`] });
    if (kind === 'drain' || kind === 'labels') amend({ page: 'whatif', begin: '' });
  }, [kind, rest]);
  useEffect(() => {
    if (kind !== 'placement' || data === undefined) return;
    setBases({ [`Placement ${namespace}/${name}`]: data.manifest });
    changeDraft({ manifests: data.manifest });
    amend({ page: 'whatif', begin: '' });
  }, [kind, namespace, name, data]);
}

interface Planned {
  readonly plan: Plan | undefined;
  /** Why the draft as it is now has no plan; the plan before stays. */
  readonly fault: string | undefined;
  /** The line of the manifests that it is about. */
  readonly line?: number | undefined;
  readonly isPlanning: boolean;
}

/** The plan of the draft, a moment after each change. */
function usePlan(): Planned {
  const planned = useSignal<Planned>({ plan: undefined, fault: undefined, isPlanning: false });
  const latest = useRef(0);
  const { value } = draft;
  useEffect(() => {
    const turn = ++latest.current;
    if (isEmptyDraft(value)) {
      setBases({});
      planned.value = { plan: undefined, fault: undefined, isPlanning: false };
      return undefined;
    }
    planned.value = { ...planned.value, isPlanning: true };
    const timer = setTimeout(() => {
      void post<PlanAnswer>('plan', whole(value)).then((answer) => {
        if (turn !== latest.current) return;
        if (!isStatus(answer) && !('fault' in answer)) keepBases(answer);
        planned.value = plannedBy(answer, planned.value.plan);
      });
    }, WAIT_MS);
    return () => clearTimeout(timer);
  }, [value, planned]);
  return planned.value;
}

function plannedBy(answer: PlanAnswer | Status, before: Plan | undefined): Planned {
  if (isStatus(answer)) return { plan: before, fault: answer.message, isPlanning: false };
  if ('fault' in answer) return { ...answer, plan: before, isPlanning: false };
  return { plan: answer, fault: undefined, isPlanning: false };
}

function DraftView({ faultLine }: { readonly faultLine: number | undefined }): JSX.Element {
  const { value } = draft;
  const { data: schema = NO_FIELDS } = useLoaded<readonly SchemaField[]>('schema');
  const { data: keys = [] } = useLoaded<readonly Key[]>('fleet/keys');
  const { data: fleet } = useLoaded<Fleet>('fleet?limit=0');
  const adders = useRef<HTMLDivElement>(null);
  return (
    <section class="card draft" aria-label="Draft">
      <Editor
        label="Manifests"
        value={value.manifests}
        faultLine={faultLine}
        known={{ schema, keys, sets: fleet?.sets ?? [] }}
        onInput={(manifests) => changeDraft({ manifests })}
      />
      {CHIPS.map(({ field, title, hint }) => (
        <Chips
          key={field}
          field={field}
          title={title}
          hint={hint}
          list={value[field]}
          onChange={(list) => changeDraft({ [field]: list })}
        />
      ))}
      <div class="actions" ref={adders}>
        <button
          type="button"
          class="button"
          onClick={() => changeDraft({ manifests: withDocument(value.manifests, PLACEMENT) })}
        >
          + Placement
        </button>
        <button
          type="button"
          class="button"
          onClick={() => changeDraft({ manifests: withDocument(value.manifests, CLUSTER) })}
        >
          + Cluster
        </button>
        {CHIPS.map(({ field, add }) => (
          <button key={field} type="button" class="button" onClick={() => addChip(field, adders.current)}>
            + {add}
          </button>
        ))}
      </div>
    </section>
  );
}

const NO_FIELDS: readonly SchemaField[] = [];
const PLACEMENT = `apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: Placement
metadata:
  name: draft
  namespace: default
spec:
  numberOfClusters: 3
`;
const CLUSTER = `apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedCluster
metadata:
  name: new-cluster
  labels:
    cluster.fleetmgmt.io/clusterset: production
spec: {}
`;

function withDocument(text: string, document: string): string {
  return text.trim() === '' ? document : `${text.trimEnd()}\n---\n${document}`;
}

function Outcome({ plan, fault, isPlanning }: Planned): JSX.Element {
  const isOld = isPlanning || fault !== undefined;
  return (
    <section class="card outcome" aria-label="What it would do" aria-busy={isPlanning}>
      {fault !== undefined && (
        <p class="fault" role="alert">
          {shown(fault)}
        </p>
      )}
      {plan === undefined && isPlanning && <Loading rows={4} />}
      {plan === undefined && fault === undefined && !isPlanning && (
        <Empty title="Nothing is planned yet.">
          <p>
            Write a manifest, label or drain a cluster: here stands what every Placement would then select, before
            anything is changed.
          </p>
        </Empty>
      )}
      {plan !== undefined && (
        <div class={isOld ? 'old' : ''}>
          <PlannedView plan={plan} />
        </div>
      )}
      {plan !== undefined && <Apply plan={plan} isOld={isOld} />}
    </section>
  );
}
