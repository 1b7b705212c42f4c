import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { runBenches, type Figure } from '@multicluster-engine/kube-apiserver/testing/bench';

import { root } from '../test/support/repository/root.js';
import { bundle } from '../tools/bundle.js';
import { consoleFigures, hourFigures } from './console/figures.js';
import { fleetFigures } from './fleet/figures.js';
import { healthFigures } from './fleet/health.js';
import { attackFigures } from './gateway/attacks.js';
import { gatewayFigures } from './gateway/figures.js';
import { placementFigures, ROW_NAMES } from './placement/figures.js';
import { partsFigures } from './placement/parts.js';
import { schedulingFigures } from './placement/scheduling.js';
import { sharesFigures } from './placement/shares.js';
import { scaleFigures } from './scale/figures.js';
import { standaloneFigures } from './standalone.js';

/**
 * `npm run bench`, or `npm run bench -- NAME …`. The benches `placement-CLUSTERSxPLACEMENTS` take options:
 *   --server=embedded|real|FILE   the API server: this project's, kube-apiserver, or that of a kubeconfig (an empty hub)
 *   --runs=N                      how often each figure is measured; default 5
 *   --rows=ROW,…                  only these rows
 *   --profiles=DIR                also a CPU profile of the controller for each row, of the last run (`console`: of the console)
 *   --main=FILE                   main.js of another version of the program, to compare with (`placement-shares` too)
 */
const { values, positionals } = readArguments();
if (!/^[1-9]\d*$/.test(values.runs)) refuse(`--runs: ${JSON.stringify(values.runs)} is not an integer of at least 1`);
const askedRows = values.rows.split(',');
const unknownRow = askedRows.find((name) => !ROW_NAMES.some((row) => row === name));
if (unknownRow !== undefined) refuse(`--rows: ${JSON.stringify(unknownRow)} is none of ${ROW_NAMES.join(', ')}`);
// In the order in which they are measured, each once.
const rows = ROW_NAMES.filter((row) => askedRows.includes(row));
if (!['embedded', 'real'].includes(values.server) && !existsSync(values.server))
  refuse(`--server: ${JSON.stringify(values.server)} is neither embedded, nor real, nor a file`);

const profiles = values.profiles === undefined ? undefined : path.resolve(values.profiles);
if (profiles !== undefined) mkdirSync(profiles, { recursive: true });
const other = values.main === undefined ? undefined : path.resolve(values.main);

const PLACEMENT_SIZES = ['100x1000', '1000x200', '1000x1000', '10000x1000', '10000x10000'];

/** Each Placement selects five clusters from three of ten sets. */
const MIN_CLUSTERS = 60;

function placementBench(name: string): () => Promise<readonly Figure[]> {
  const [clusters = 0, placements = 0] = name.split('x').map(Number);
  if (clusters < MIN_CLUSTERS)
    refuse(`placement-${name}: at least ${MIN_CLUSTERS} clusters: with fewer, sets have none to replace another`);
  return async () => {
    const main = other ?? (await bundled());
    const options = { server: values.server, runs: Number(values.runs), main, rows, profiles };
    return placementFigures({ clusters, placements }, options);
  };
}

/** What is measured is what is shipped: the compiled sources load more modules, and more of each. */
async function bundled(): Promise<string> {
  const folder = path.join(root, 'dist', 'bench', 'bundle');
  await bundle(root, folder);
  return path.join(folder, 'main.js');
}

const isReal = values.server !== 'embedded';
const isProfiled = profiles !== undefined;
// What is measured of another version is no result of this one, nor with the profiler, which takes CPU time of its own; some
// rows alone do not replace all.
const otherSuffix = other === undefined ? '' : '-other';
const rowsSuffix = rows.length === ROW_NAMES.length ? '' : '-rows';
const suffix = (isReal ? '-real' : '') + rowsSuffix + (isProfiled ? '-profiled' : '') + otherSuffix;
const consoleSuffix = isProfiled ? '-profiled' : '';
const shares = `placement-shares${otherSuffix}`;
const asked = positionals.flatMap((name) => /^placement-(\d+x\d+)$/.exec(name)?.[1] ?? []);
const sizes = [...new Set([...PLACEMENT_SIZES, ...asked])];
const placements = sizes.map((size) => [`placement-${size}${suffix}`, placementBench(size)] as const);
const benches: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  gateway: gatewayFigures,
  attacks: attackFigures,
  standalone: standaloneFigures,
  fleet: fleetFigures,
  health: healthFigures,
  [`console${consoleSuffix}`]: () => consoleFigures(profiles),
  'console-hour': hourFigures,
  'placement-parts': () => partsFigures(),
  'placement-scheduling': () => Promise.resolve(schedulingFigures()),
  [shares]: () => sharesFigures(other),
  scale: () => scaleFigures(),
  ...Object.fromEntries(placements),
};
const renamed: Readonly<Record<string, string>> = { 'placement-shares': shares, console: `console${consoleSuffix}` };
const names = positionals.map((name) => (/^placement-\d/.test(name) ? `${name}${suffix}` : (renamed[name] ?? name)));
for (const name of names)
  if (benches[name] === undefined) refuse(`${JSON.stringify(name)} is none of ${Object.keys(benches).join(', ')}`);
await runBenches(root, benches, names);
process.exit();

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        server: { type: 'string', default: 'embedded' },
        runs: { type: 'string', default: '5' },
        rows: { type: 'string', default: ROW_NAMES.join(',') },
        profiles: { type: 'string' },
        main: { type: 'string' },
      },
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(problem: string): never {
  process.stderr.write(`bench: ${problem}\n`);
  process.exit(2);
}
