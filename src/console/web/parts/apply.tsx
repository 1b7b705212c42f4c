import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Status } from '../../wire/answer.js';
import type { ApplyAnswer, Plan } from '../../wire/plan.js';
import { shown } from '../command.js';
import { changeDraft, draft, planWords, whole } from '../draft.js';
import { isStatus, post, refresh } from '../store.js';
import { Command } from './command.js';

/** Writes a draft: what was shown, or nothing. */

const OUTCOMES: Readonly<Record<ApplyAnswer['kind'], string>> = {
  accepted: 'ok',
  moved: 'warn',
  refused: 'bad',
};

/** First a dry run of the API server, then the change: what was shown, or nothing. */
export function Apply({ plan, isOld }: { readonly plan: Plan; readonly isOld: boolean }): JSX.Element {
  const answer = useSignal<{ readonly dryRun: boolean; readonly found: ApplyAnswer | Status } | undefined>(undefined);
  const { value } = draft;
  const send = async (dryRun: boolean): Promise<void> => {
    const found = await post<ApplyAnswer>('apply', { draft: whole(value), basedOn: plan.basedOn, dryRun });
    answer.value = { dryRun, found };
    if (!dryRun) refresh();
    // The same draft on the hub as it is now.
    if (!isStatus(found) && found.kind !== 'refused' && !dryRun) changeDraft({});
  };
  const words = planWords(value);
  const canApply = value.drains.length === 0 && value.losses.length === 0;
  return (
    <div class="apply">
      <div class="actions">
        <button type="button" class="button" disabled={isOld || !canApply} onClick={() => void send(true)}>
          Check with the API server
        </button>
        <button type="button" class="button primary" disabled={isOld || !canApply} onClick={() => void send(false)}>
          Apply with my rights
        </button>
      </div>
      {!canApply && (
        <p class="muted">Drains and deletions are made by their commands: kubectl mce drain, kubectl delete mcl.</p>
      )}
      {answer.value !== undefined && (
        <p class={`notice ${isStatus(answer.value.found) ? 'bad' : OUTCOMES[answer.value.found.kind]}`} role="status">
          {answerText(answer.value.found, answer.value.dryRun)}
        </p>
      )}
      {words !== undefined && <Command words={words} />}
    </div>
  );
}

function answerText(found: ApplyAnswer | Status, dryRun: boolean): string {
  if (isStatus(found)) return shown(found.message);
  switch (found.kind) {
    case 'accepted':
      return `${dryRun ? 'The API server accepts' : 'Applied'}: ${found.objects.map(shown).join(', ')}`;
    case 'moved':
      return 'The fleet has changed since this plan, and the outcome with it. Look at the new one before you apply it.';
    case 'refused':
      return `${shown(found.object)}: ${shown(found.message)}`;
  }
}
