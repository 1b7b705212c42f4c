import { root } from '../testing/root.js';
import { runBenches } from '../testing/bench.js';
import { serverFigures } from './server.js';
import { storeFigures } from './store.js';

/** `npm run bench`, or `npm run bench -- NAME …`, in this package's folder. */
await runBenches(root, { server: serverFigures, store: storeFigures }, process.argv.slice(2));
process.exit();
