import type { JSX } from 'preact';
import type { Plan } from '../../../wire/plan.js';
import { shown, shownLines } from '../../command.js';
import { bases, changeDraft, deletedSince, draft, planWords, replaceDraft, setBases } from '../../draft.js';
import { isLost, reading } from '../../store.js';
import { Command } from '../command.js';
import { capital } from '../states.js';
import { AnsweredView, useWriting } from './writing.js';

/** What applies a draft, and what others have done to its objects since it began. */

interface ApplyProps {
  /** On the fleet as it is now. */
  readonly plan: Plan;
  /** The plan that is applied, or nothing is. */
  readonly agreed: Plan;
  readonly isOld: boolean;
  /** Nothing was applied, since the plan is another one now. */
  readonly onMoved: () => void;
}

/** First a dry run of the API server, then the change: what was shown, or nothing. */
export function Apply({ plan, agreed, isOld, onMoved }: ApplyProps): JSX.Element {
  const { value } = draft;
  const { answered, isBusy, write } = useWriting(({ kind }, dryRun) => {
    if (kind === 'moved') onMoved();
    if (dryRun || kind !== 'accepted') return;
    setBases({});
    // The same draft on the hub as it is now.
    changeDraft({});
  });
  const send = (dryRun: boolean): void => write({ draft: value, basedOn: agreed.basedOn, dryRun });
  const words = planWords(value);
  const conflicts: readonly ConflictProps[] = [
    ...plan.replaced.filter(({ name, live }) => (bases.value[name] ?? live) !== live),
    ...deletedSince(plan).map((name) => ({ name, live: undefined })),
  ];
  const reason = offReason(plan);
  // What has moved is said above, and pressing again does nothing yet.
  const isAnswered = conflicts.length > 0;
  const isOff = isOld || isBusy || reason !== undefined || isAnswered;
  return (
    <div class="apply">
      {conflicts.map(({ name, live }) => (
        <Conflict key={name} name={name} live={live} />
      ))}
      <div class="actions">
        <button type="button" class="button" disabled={isOff} onClick={() => send(true)}>
          Check with the API server
        </button>
        <button type="button" class="button primary" disabled={isOff} onClick={() => send(false)}>
          Apply with my rights
        </button>
      </div>
      {reason !== undefined && !isOld && <p class="muted">{capital(shown(reason))}.</p>}
      {answered !== undefined && !isAnswered && <AnsweredView answered={answered} />}
      {words !== undefined && <Command words={words} />}
    </div>
  );
}

/** Why nothing can be applied, whatever the draft does; undefined where it can. */
function offReason({ notApplied, writes, replaced }: Plan): string | undefined {
  if (notApplied !== undefined) return notApplied;
  const { labels } = draft.value;
  if (writes.length === 0)
    return `nothing to apply: ${replaced.length + labels.length === 0 ? 'the draft has no object' : 'the hub has it so already'}`;
  return isLost.value || reading.value?.stale !== undefined
    ? 'nothing is applied while the hub cannot be read'
    : undefined;
}

function Whole({ title, text }: { readonly title: string; readonly text: string }): JSX.Element {
  return (
    <details>
      <summary>{title}</summary>
      <pre tabIndex={0} aria-label={title}>
        {shownLines(text)}
      </pre>
    </details>
  );
}

interface ConflictProps {
  readonly name: string;
  /** As it is now; undefined: deleted. */
  readonly live: string | undefined;
}

/** Somebody else has changed or deleted what the draft replaces: what they did, before anything is overwritten. */
function Conflict({ name, live }: ConflictProps): JSX.Element {
  const { [name]: begun = '', ...others } = bases.value;
  const [base, theirs] = [begun, live ?? ''].map((text) => text.split('\n'));
  const lines = [
    ...(base ?? []).filter((line) => theirs?.includes(line) !== true).map((line) => `- ${line}`),
    ...(theirs ?? []).filter((line) => base?.includes(line) !== true).map((line) => `+ ${line}`),
  ];
  const { manifests } = draft.value;
  const isAlone = !/^---\s*\n[^]*\S/m.test(manifests.trim().replace(/^---.*\n/, ''));
  const goOn = (): void => setBases(live === undefined ? others : { ...others, [name]: live });
  const beginAgain = (text: string): void =>
    replaceDraft({ ...draft.value, manifests: text }, { ...others, [name]: text });
  return (
    <div class="notice warn" role="alert">
      <strong>
        {shown(name)} was {live === undefined ? 'deleted' : 'changed'} since this draft began
        {live === undefined ? ': applying it creates it again.' : ':'}
      </strong>
      {live !== undefined && (
        <>
          <pre tabIndex={0} aria-label="The change on the hub">
            {lines.map(shown).join('\n')}
          </pre>
          <Whole title="The manifest on the hub" text={live} />
        </>
      )}
      <Whole title="The manifest that this draft began with" text={begun} />
      <div class="actions">
        <button type="button" class="button" onClick={goOn}>
          {live === undefined ? 'Create it again' : 'Overwrite the change'}
        </button>
        {live !== undefined && isAlone && (
          <button type="button" class="button" onClick={() => beginAgain(live)}>
            Begin again with the manifest on the hub
          </button>
        )}
      </div>
    </div>
  );
}
