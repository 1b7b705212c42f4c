import { runBenches } from '@multicluster-engine/kube-apiserver/testing/bench';

import { root } from '../test/support/repository/root.js';
import { gatewayFigures } from './gateway/figures.js';
import { standaloneFigures } from './standalone.js';

/** `npm run bench`, or `npm run bench -- NAME …`. */
await runBenches(root, { gateway: gatewayFigures, standalone: standaloneFigures }, process.argv.slice(2));
process.exit();
