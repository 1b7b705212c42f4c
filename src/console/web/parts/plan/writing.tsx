import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { Status } from '../../../wire/answer.js';
import type { ApplyAnswer, ApplyRequest } from '../../../wire/plan.js';
import { shown } from '../../command.js';
import { isStatus, post, refresh } from '../../store.js';

/** Writes what was shown, with the rights of the person, or nothing. */

/** The second click of a double click must not do what nobody has read. */
export const READ_MS = 1_500;

interface Answered {
  readonly dryRun: boolean;
  readonly found: ApplyAnswer | Status;
}

/** What was answered last, whether it may be pressed again, and what writes. `onAnswer`: what else follows. */
export function useWriting(onAnswer: (found: ApplyAnswer, dryRun: boolean) => void) {
  const answered = useSignal<Answered | undefined>(undefined);
  const isBusy = useSignal(false);
  const write = async (request: ApplyRequest): Promise<void> => {
    const { dryRun } = request;
    isBusy.value = true;
    const sent = await post<ApplyAnswer>('apply', request);
    const found = isStatus(sent) ? sent : sent.data;
    const isMoved = !isStatus(found) && found.kind === 'moved';
    setTimeout(() => (isBusy.value = false), isMoved ? READ_MS : 0);
    answered.value = { dryRun, found };
    if (!dryRun) void refresh();
    if (!isStatus(found)) onAnswer(found, dryRun);
  };
  return { answered: answered.value, isBusy: isBusy.value, write: (request: ApplyRequest) => void write(request) };
}

const TONES: Readonly<Record<ApplyAnswer['kind'], string>> = { accepted: 'ok', moved: 'warn', refused: 'bad' };

export interface AnsweredProps {
  readonly answered: Answered;
  /** Said of what was accepted, instead of the names of the objects. */
  readonly children?: ComponentChildren;
}

export function AnsweredView({ answered: { dryRun, found }, children }: AnsweredProps): JSX.Element {
  const isAccepted = !isStatus(found) && found.kind === 'accepted';
  return (
    <div class={`notice ${isStatus(found) ? 'bad' : TONES[found.kind]}`} role="status">
      {isAccepted && children !== undefined ? children : <p>{answerText(found, dryRun)}</p>}
    </div>
  );
}

function answerText(found: ApplyAnswer | Status, dryRun: boolean): string {
  if (isStatus(found)) return shown(found.message);
  switch (found.kind) {
    case 'accepted':
      return `${dryRun ? 'The API server accepts' : 'Applied'}: ${found.objects.map(shown).join(', ')}`;
    case 'moved':
      return 'Nothing was applied: the fleet has moved since this plan. Look at what differs, and press again for the new one.';
    case 'refused': {
      const { object, message, written } = found;
      const before = written.length === 0 ? '' : `Applied: ${written.map(shown).join(', ')}. Not applied: `;
      return `${before}${shown(object)}: ${shown(message)}`;
    }
  }
}
