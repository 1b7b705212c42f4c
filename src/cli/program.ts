import path from 'node:path';

/** How the user has called the program. */
export const PROGRAM = path.basename(process.argv[1] ?? '').startsWith('kubectl-mce')
  ? 'kubectl mce'
  : 'multicluster-engine';

/** Begins the name of the variable of each flag. */
export const VARIABLE_PREFIX = 'MULTICLUSTER_ENGINE_';
