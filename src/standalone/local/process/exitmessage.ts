import type { Exit } from '@multicluster-engine/kube-apiserver';

/** The last output of a process. */
export interface TerminationMessage {
  /** Its last line; '' when it printed nothing. */
  readonly line: string;
  /** The file with all of its output. */
  readonly log: string;
}

/**
 * Describes the exit of a process that should have kept running. Its last line is given as the cause only when it
 * exited by itself with an error. `killReason`: why the runtime has stopped it; undefined when it has not.
 */
export function exitMessage(exit: Exit, killReason: string | undefined, { line, log }: TerminationMessage): string {
  const last = line === '' ? 'it printed nothing' : `its last line: "${line}"`;
  if (killReason !== undefined) return `was stopped after ${killReason}; ${last} (log: ${log})`;
  if (exit.code === null) return `was terminated by ${exit.signal ?? 'a signal'}; ${last} (log: ${log})`;
  if (exit.code === 0) return `exited with code 0; ${last} (log: ${log})`;
  return `exited with code ${exit.code}: ${line === '' ? last : line} (log: ${log})`;
}
