import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Action } from '../../../answers/actions/action.js';
import type { Rights } from '../../wire/answer.js';
import type { Plan, PlanAnswer } from '../../wire/plan.js';
import { shown } from '../command.js';
import { EMPTY_DRAFT } from '../draft.js';
import { isLost, isStatus, post, reading, readNow } from '../store.js';
import { Command } from '../parts/command.js';
import { Moved, PlannedView } from '../parts/plan/planned.js';
import { AnsweredView, READ_MS, useWriting } from '../parts/plan/writing.js';
import { capital, isWithheld, Loading } from '../parts/states.js';

/** What somebody does to an object: first what comes of it, then the write, with the rights of the person. */

type Kind = Action['kind'];

const ACTION_TITLES: Readonly<Record<Kind, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  release: 'Release',
  releaseAdditions: 'Release additions',
  cordon: 'Cordon',
  drain: 'Drain',
  uncordon: 'Uncordon',
};

/** Whether the text is an action of a Placement, or of a cluster, which has no namespace. */
export function isActionOf(text: string, namespace: string): text is Kind {
  const isOfCluster = ['cordon', 'drain', 'uncordon'].includes(text);
  return Object.hasOwn(ACTION_TITLES, text) && isOfCluster === (namespace === '');
}

export interface ActButtonProps {
  readonly kind: Kind;
  /** The action whose panel is open. */
  readonly on: string;
  readonly onPress: (kind: Kind | '') => void;
}

/** Opens the panel of an action: nothing is written by it. */
export function ActButton({ kind, on, onPress }: ActButtonProps): JSX.Element {
  return (
    <button type="button" class="button" aria-expanded={on === kind} onClick={() => onPress(on === kind ? '' : kind)}>
      {ACTION_TITLES[kind]}…
    </button>
  );
}

/** What the action would do, and who may do it, as far as that is known. */
interface Asked {
  /** Why the first of it is not known; empty where it is, or not yet asked. */
  readonly fault: string;
  readonly plan?: Plan;
  /** The plan before, where that could not be written any more. */
  readonly seen?: Plan | undefined;
  /** Of what Placements are is not known, nothing is counted. */
  readonly isCounted?: boolean;
  /** It was shown for long enough. */
  readonly isRead?: true;
  readonly may?: boolean;
}

export interface ActPanelProps {
  readonly action: Action;
  readonly onClose: () => void;
}

/** What the action would do; the button that does it; and how one gets back. */
export function ActPanel({ action, onClose }: ActPanelProps): JSX.Element {
  const { kind, namespace, name } = action;
  const of = namespace === '' ? name : `${namespace}/${name}`;
  const [{ seen, plan, isCounted, fault, isRead, may }, ask] = useAction(action);
  const { answered, isBusy, write } = useWriting((found) => void (found.kind === 'moved' && ask()));
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  const text = plan?.action;
  const isNothing = plan !== undefined && plan.writes.length === 0;
  const found = answered?.found;
  const isDone = found?.kind === 'accepted';
  return (
    <section class="card accent act" aria-label={`${ACTION_TITLES[kind]} ${shown(of)}`}>
      <h2 ref={head} tabIndex={-1}>
        {ACTION_TITLES[kind]} <bdi>{shown(of)}</bdi>?
      </h2>
      <Computed fault={fault} isDone={plan !== undefined} />
      {plan !== undefined && text !== undefined && (
        <>
          {seen !== undefined && <Moved before={seen} after={plan} />}
          {isNothing && <p>{capital(shown(text.done))}. There is nothing to do.</p>}
          {!isNothing && !isDone && <ToDo plan={plan} isCounted={isCounted === true} />}
          <div aria-live="polite">
            {answered !== undefined && (
              <AnsweredView answered={answered}>
                <p>{capital(shown((isDone ? found.done : undefined) ?? text.done))}. To undo it:</p>
                <Command words={text.undo} />
              </AnsweredView>
            )}
          </div>
          {!isNothing && !isDone && (
            <Doing
              title={ACTION_TITLES[kind]}
              action={action}
              may={may}
              isBusy={isBusy || isRead !== true}
              onPress={() => write({ draft: { ...EMPTY_DRAFT, action }, basedOn: plan.basedOn, dryRun: false })}
            />
          )}
        </>
      )}
      <div class="actions act-end">
        {!isDone && text !== undefined ? <Command words={text.command} /> : <span />}
        <button type="button" class="quiet-button" onClick={onClose}>
          Close
        </button>
      </div>
    </section>
  );
}

/** Why what the action would do is not known, or not yet. */
function Computed({ fault, isDone }: { readonly fault: string; readonly isDone: boolean }): JSX.Element | null {
  if (fault === '') return isDone ? null : <Loading rows={2} />;
  return (
    <p class="notice warn" role="alert">
      {capital(shown(fault))}.
    </p>
  );
}

/** What comes of it, before it is done. */
function ToDo({ plan, isCounted }: { readonly plan: Plan; readonly isCounted: boolean }): JSX.Element {
  const { lines = [], notes = [] } = plan.action ?? {};
  return (
    <>
      {lines.map((line) => (
        <p key={line}>{shown(line)}</p>
      ))}
      <PlannedView plan={plan} isCounted={isCounted} />
      <ul class="act-notes" aria-label="Before you press">
        {notes.map((note) => (
          <li key={note}>{shown(note)}</li>
        ))}
      </ul>
    </>
  );
}

interface DoingProps {
  readonly title: string;
  readonly action: Action;
  /** Undefined while it is not known: the API server judges the write anyway. */
  readonly may: boolean | undefined;
  readonly isBusy: boolean;
  readonly onPress: () => void;
}

/** The button that writes; where it is off, why, and what to ask for. */
function Doing({ title, action: { namespace, name }, may, isBusy, onPress }: DoingProps): JSX.Element {
  const isStale = isLost.value || reading.value?.stale !== undefined;
  const object = namespace === '' ? `managedclusters/${name}` : `placements/${name}`;
  const scope = namespace === '' ? [] : ['-n', namespace];
  return (
    <>
      <div class="actions">
        <button
          type="button"
          class={`button ${title === 'Drain' || title === 'Release' ? 'danger' : 'primary'}`}
          disabled={isBusy || isStale || may === false}
          onClick={onPress}
        >
          {title} with my rights
        </button>
        {isStale && <span>Nothing is written while the hub cannot be read.</span>}
        {may === false && <span>You may not patch it: somebody who may has to run the command.</span>}
      </div>
      {may === false && <Command words={['kubectl', 'auth', 'can-i', 'patch', object, ...scope]} />}
    </>
  );
}

/** The plan of the action, asked for once; again after a write that was not made, since something has changed. */
function useAction(action: Action): readonly [asked: Asked, ask: () => Promise<void>] {
  const asked = useSignal<Asked>({ fault: '' });
  const set = (more: Partial<Asked>): void => void (asked.value = { ...asked.value, ...more });
  const ask = async (): Promise<void> => {
    const answer = await post<PlanAnswer>('plan', { ...EMPTY_DRAFT, action });
    const seen = asked.value.plan;
    if (isStatus(answer)) return set({ seen, fault: answer.message });
    if ('fault' in answer.data) return set({ seen, fault: answer.data.fault });
    set({ seen, fault: '', plan: answer.data, isCounted: !isWithheld(answer, 'placements') });
    setTimeout(() => set({ isRead: true }), READ_MS);
  };
  const { kind, namespace, name } = action;
  useEffect(() => {
    void ask();
    const query = `rights?namespace=${encodeURIComponent(namespace)}&name=${encodeURIComponent(name)}`;
    void readNow<Rights>(query).then((answer) => !isStatus(answer) && set({ may: answer.data.patch }));
  }, [kind, namespace, name]);
  return [asked.value, ask];
}
