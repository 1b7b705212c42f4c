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
  const conflicts = plan.replaced.filter(({ name, live }) => (bases.value[name] ?? live) !== live);
  const deleted = deletedSince(plan);
  const reason = offReason(plan);
  // What has moved is said above, and pressing again does nothing yet.
  const isAnswered = conflicts.length + deleted.length > 0;
  const isOff = isOld || isBusy || reason !== undefined || isAnswered;
  return (
    <div class="apply">
      {conflicts.map((one) => (
        <Conflict key={one.name} {...one} />
      ))}
      {deleted.map((name) => (
        <Deleted key={name} name={name} />
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

/** Somebody else has deleted what the draft was to replace. */
function Deleted({ name }: { readonly name: string }): JSX.Element {
  const { [name]: begun = '', ...others } = bases.value;
  return (
    <div class="notice warn" role="alert">
      <strong>{shown(name)} was deleted since this draft began: applying it creates it again.</strong>
      <Whole title="The manifest that this draft began with" text={begun} />
      <div class="actions">
        <button type="button" class="button" onClick={() => setBases(others)}>
          Create it again
        </button>
      </div>
    </div>
  );
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

/** Somebody else has changed what the draft replaces: what they did, before anything is overwritten. */
function Conflict({ name, live }: Plan['replaced'][number]): JSX.Element {
  const begun = bases.value[name] ?? '';
  const [base, theirs] = [begun, live].map((text) => text.split('\n'));
  const lines = [
    ...(base ?? []).filter((line) => theirs?.includes(line) !== true).map((line) => `- ${line}`),
    ...(theirs ?? []).filter((line) => base?.includes(line) !== true).map((line) => `+ ${line}`),
  ];
  const { manifests } = draft.value;
  const isAlone = !/^---\s*\n[^]*\S/m.test(manifests.trim().replace(/^---.*\n/, ''));
  const beginAgain = (): void => replaceDraft({ ...draft.value, manifests: live }, { ...bases.value, [name]: live });
  return (
    <div class="notice warn" role="alert">
      <strong>{shown(name)} was changed since this draft began:</strong>
      <pre tabIndex={0} aria-label="The change on the hub">
        {lines.map(shown).join('\n')}
      </pre>
      <Whole title="The manifest on the hub" text={live} />
      <Whole title="The manifest that this draft began with" text={begun} />
      <div class="actions">
        <button type="button" class="button" onClick={() => setBases({ ...bases.value, [name]: live })}>
          Overwrite the change
        </button>
        {isAlone && (
          <button type="button" class="button" onClick={beginAgain}>
            Begin again with the manifest on the hub
          </button>
        )}
      </div>
    </div>
  );
}
