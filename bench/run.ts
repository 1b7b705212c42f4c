import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { root } from '../test/support/root.js';
import { circumstances, summaryOf, table, type Figure } from './figure.js';
import { gatewayFigures } from './gateway/figures.js';
import { serverFigures } from './server.js';
import { standaloneFigures } from './standalone.js';
import { storeFigures } from './store.js';

/**
 * `npm run bench`, or `npm run bench -- NAME …`: prints one table, and writes `bench/results/NAME.json` for each bench
 * with the commit, the version of node and the shape of the machine. A target that is missed fails nothing; its row
 * says by how much.
 */

/** By name. Each gives its figures, a value a run. */
const BENCHES: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  gateway: gatewayFigures,
  server: serverFigures,
  standalone: standaloneFigures,
  store: storeFigures,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(BENCHES);
for (const name of names) {
  const bench = BENCHES[name];
  if (bench === undefined) {
    process.stderr.write(`bench: ${JSON.stringify(name)} is none of ${Object.keys(BENCHES).join(', ')}\n`);
    process.exit(2);
  }
  const figures = (await bench()).map(summaryOf);
  const folder = path.join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify({ ...circumstances(), figures }, undefined, 2)}\n`);
  process.stdout.write(`${table(figures)}\n`);
}
process.exit();
