import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Action } from '../../../answers/actions/action.js';
import type { Answer, Rights, Status } from '../../wire/answer.js';
import type { ApplyAnswer, Plan, PlanAnswer } from '../../wire/plan.js';
import { shown } from '../command.js';
import { EMPTY_DRAFT } from '../draft.js';
import { isLost, isStatus, post, reading, readNow, refresh } from '../store.js';
import { Command } from '../parts/command.js';
import { Moved, PlannedView } from '../parts/plan/planned.js';
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

/** The second click of a double click must not do what nobody has read. */
const READ_MS = 1_500;

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

interface Asked {
  readonly plan: Plan;
  /** Of what Placements are is not known, nothing is counted. */
  readonly isCounted: boolean;
}

export interface ActPanelProps {
  readonly action: Action;
  readonly onClose: () => void;
}

/** What the action would do; the button that does it; and how one gets back. */
export function ActPanel({ action, onClose }: ActPanelProps): JSX.Element {
  const { kind, namespace, name } = action;
  const of = namespace === '' ? name : `${namespace}/${name}`;
  const { seen, asked, fault, outcome, isBusy, may, send } = useAction(action);
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  const { plan, isCounted } = asked.value ?? {};
  const text = plan?.action;
  const isNothing = plan !== undefined && plan.writes.length === 0;
  const isDone = outcome.value?.kind === 'accepted';
  return (
    <section class="card accent act" aria-label={`${ACTION_TITLES[kind]} ${shown(of)}`}>
      <h2 ref={head} tabIndex={-1}>
        {ACTION_TITLES[kind]} <bdi>{shown(of)}</bdi>?
      </h2>
      {fault.value !== '' && (
        <p class="notice warn" role="alert">
          {capital(shown(fault.value))}.
        </p>
      )}
      {plan === undefined && fault.value === '' && <Loading rows={2} />}
      {plan !== undefined && text !== undefined && (
        <>
          {seen.value !== undefined && <Moved before={seen.value} after={plan} />}
          {isNothing && <p>{capital(shown(text.done))}. There is nothing to do.</p>}
          {!isNothing && !isDone && (
            <>
              {text.lines.map((line) => (
                <p key={line}>{shown(line)}</p>
              ))}
              <PlannedView plan={plan} isCounted={isCounted === true} />
              <ul class="act-notes" aria-label="Before you press">
                {text.notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            </>
          )}
          <div aria-live="polite">{outcome.value !== undefined && <Outcome answer={outcome.value} text={text} />}</div>
          {!isNothing && !isDone && (
            <Doing title={ACTION_TITLES[kind]} action={action} may={may.value} isBusy={isBusy.value} onPress={send} />
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

type Text = NonNullable<Plan['action']>;

function Outcome({ answer, text }: { readonly answer: ApplyAnswer; readonly text: Text }): JSX.Element {
  switch (answer.kind) {
    case 'accepted':
      return (
        <div class="notice ok" role="status">
          <p>{capital(shown(answer.done ?? text.done))}. To undo it:</p>
          <Command words={text.undo} />
        </div>
      );
    case 'moved':
      return (
        <p class="notice warn" role="status">
          Nothing was written: something has changed since you have read this. Look again, and press again.
        </p>
      );
    case 'refused':
      return (
        <p class="notice bad" role="status">
          {answer.written.length === 0 ? 'Nothing was written. ' : ''}
          {shown(answer.object)}: {shown(answer.message)}
        </p>
      );
  }
}

/** The plan of the action, asked for once; again after a write that was not made, since something has changed. */
function useAction(action: Action) {
  const asked = useSignal<Asked | undefined>(undefined);
  const seen = useSignal<Plan | undefined>(undefined);
  const fault = useSignal('');
  const outcome = useSignal<ApplyAnswer | undefined>(undefined);
  const isBusy = useSignal(true);
  const may = useSignal<boolean | undefined>(undefined);
  const draft = { ...EMPTY_DRAFT, action };
  const ask = async (): Promise<void> => {
    const answer = await post<PlanAnswer>('plan', draft);
    seen.value = asked.value?.plan;
    fault.value = faultIn(answer);
    if (isStatus(answer) || 'fault' in answer.data) return;
    asked.value = { plan: answer.data, isCounted: !isWithheld(answer, 'placements') };
    setTimeout(() => (isBusy.value = false), READ_MS);
  };
  const send = async (): Promise<void> => {
    const basedOn = asked.value?.plan.basedOn;
    isBusy.value = true;
    const answer = await post<ApplyAnswer>('apply', { draft, basedOn, dryRun: false });
    fault.value = isStatus(answer) ? answer.message : '';
    outcome.value = isStatus(answer) ? undefined : answer.data;
    if (outcome.value?.kind === 'moved') return ask();
    isBusy.value = false;
    if (outcome.value?.kind === 'accepted') void refresh();
  };
  const { kind, namespace, name } = action;
  useEffect(() => {
    void ask();
    const query = `rights?namespace=${encodeURIComponent(namespace)}&name=${encodeURIComponent(name)}`;
    void readNow<Rights>(query).then((answer) => {
      if (!isStatus(answer)) may.value = answer.data.patch;
    });
  }, [kind, namespace, name]);
  return { asked, seen, fault, outcome, isBusy, may, send: () => void send() };
}

function faultIn(answer: Answer<PlanAnswer> | Status): string {
  if (isStatus(answer)) return answer.message;
  return 'fault' in answer.data ? answer.data.fault : '';
}
