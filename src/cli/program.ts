import path from 'node:path';

/** How the user has called the program. */
export const PROGRAM = path.basename(process.argv[1] ?? '').startsWith('kubectl-mce')
  ? 'kubectl mce'
  : 'multicluster-engine';

/** A text to print instead of running a command: to standard output with code 0, else to standard error. */
export interface Usage {
  readonly command: 'usage';
  /** 2 for an error in the command line; 1 for one of a command for users, whose code 2 has another meaning. */
  readonly exitCode: 0 | 1 | 2;
  readonly text: string;
}
