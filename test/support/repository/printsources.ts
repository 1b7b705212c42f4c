import { root } from './root.js';
import { readSources } from './source.js';

/** Prints what the TypeScript files below the folders of the command line import, and the shapes of their functions: JSON. */
process.stdout.write(JSON.stringify(process.argv.slice(2).flatMap((folder) => readSources(root, folder))));
