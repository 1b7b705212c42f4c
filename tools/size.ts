import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Prints the lines of `src` by room, and the words of the documents: `npm run size`. */

/** A file belongs to the room with the longest prefix of its path below `src`. */
const ROOMS: readonly (readonly [room: string, prefixes: readonly string[]])[] = [
  [
    'answers',
    [
      'answers/',
      'cli/inspect.ts',
      'cli/commands/explain.ts',
      'cli/commands/plan.ts',
      'console/wire/',
      'console/server/',
    ],
  ],
  ['console, the rest', ['console/']],
  ['cli, the rest', ['cli/', 'answers/check/']],
  [
    'domain/placement, index, its pass',
    [
      'domain/placement/',
      'domain/selectors.ts',
      'domain/comparison.ts',
      'domain/hash.ts',
      'operator/index/',
      'operator/controllers/placement/',
    ],
  ],
  [
    'inventories, SIG, MultiKueue',
    ['domain/inventories/', 'operator/controllers/inventories/', 'operator/controllers/followers/'],
  ],
  ['engine; clusters, health; agent', ['domain/', 'operator/controllers/', 'agent/']],
  ['gateway', ['gateway/']],
  ['standalone', ['standalone/']],
  ['runtime', ['runtime/']],
  ['api, main, wiring', ['api/', 'main.ts', 'operator/']],
];

const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0');
const sources = tracked.filter((file) => /^src\/.*\.tsx?$/.test(file));
const rows = ROOMS.map(([room]) => ({ room, files: 0, lines: 0 }));
for (const file of sources) {
  const below = file.slice('src/'.length);
  const lengths = ROOMS.map(([, prefixes]) =>
    Math.max(...prefixes.map((one) => (below.startsWith(one) ? one.length : 0))),
  );
  const longest = Math.max(...lengths);
  const row = longest === 0 ? undefined : rows[lengths.indexOf(longest)];
  if (row === undefined) throw new Error(`${file}: belongs to no room: add its folder to tools/size.ts`);
  row.files += 1;
  row.lines += readFileSync(file, 'utf8').split('\n').length - 1;
}
const words = tracked
  .filter((file) => file.endsWith('.md'))
  .reduce((sum, file) => sum + readFileSync(file, 'utf8').split(/\s+/).filter(Boolean).length, 0);
const sum = (of: 'files' | 'lines'): number => rows.reduce((all, row) => all + row[of], 0);

console.log('| room | files | lines |\n| --- | --- | --- |');
for (const { room, files, lines } of rows) console.log(`| ${room} | ${files} | ${lines} |`);
console.log(`| **src** | **${sum('files')}** | **${sum('lines')}** |\n`);
console.log(`${words} words in the documents`);
