import type { Exit } from '@multicluster-engine/kube-apiserver';

/** What a process said before it ended. */
export interface TerminationMessage {
  /** Its last line; '' when it printed none. */
  readonly line: string;
  /** The file with all of it. */
  readonly log: string;
}

/**
 * How a process ended that should have gone on. What it said last is given as the cause only where it ended by itself with an error;
 * `sentence` says why it was told to end, where it was.
 */
export function exitMessage(exit: Exit, sentence: string | undefined, { line, log }: TerminationMessage): string {
  const last = line === '' ? 'it printed nothing' : `its last line: "${line}"`;
  if (sentence !== undefined) return `was ended after ${sentence}; ${last} (log: ${log})`;
  if (exit.code === null) return `was ended by ${exit.signal ?? 'a signal'}; ${last} (log: ${log})`;
  if (exit.code === 0) return `ended with code 0; ${last} (log: ${log})`;
  return `ended with code ${exit.code}: ${line === '' ? last : line} (log: ${log})`;
}
