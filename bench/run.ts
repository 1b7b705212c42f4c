import { runBenches } from '@multicluster-engine/kube-apiserver/testing/bench';

import { root } from '../test/support/repository/root.js';
import { fleetFigures } from './fleet/figures.js';
import { attackFigures } from './gateway/attacks.js';
import { gatewayFigures } from './gateway/figures.js';
import { standaloneFigures } from './standalone.js';

/** `npm run bench`, or `npm run bench -- NAME …`. */
await runBenches(
  root,
  { gateway: gatewayFigures, attacks: attackFigures, standalone: standaloneFigures, fleet: fleetFigures },
  process.argv.slice(2),
);
process.exit();
