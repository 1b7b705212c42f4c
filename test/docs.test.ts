import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import {
  ClusterEvents,
  AgentReasons,
  BindingReasons,
  ClusterReasons,
  ClusterSetReasons,
  HealthReasons,
  InUseReasons,
} from '../src/api/clusterreasons.js';
import { ComponentReasons, EngineEvents, EngineReasons } from '../src/api/enginereasons.js';
import { MultiKueueEvents, PlacementEvents, DefaultReasons, PlacementReasons } from '../src/api/placementreasons.js';
import { isRecord } from '../src/runtime/vocabulary/json.js';
import { pages, readPage } from './support/repository/documents.js';
import { root } from './support/repository/root.js';

function read(page: string): string {
  return readFileSync(path.join(root, 'docs', page), 'utf8');
}

describe('docs/troubleshooting.md', () => {
  const entries = new Set([...read('troubleshooting.md').matchAll(/^### (\w+)$/gm)].map((match) => match[1]));
  const clusters = [AgentReasons, ClusterReasons, HealthReasons];
  const placements = [BindingReasons, ClusterSetReasons, InUseReasons, PlacementReasons];
  const tables = [...clusters, ...placements, ComponentReasons, EngineReasons, DefaultReasons];
  const reasons = new Set(tables.flatMap((table) => Object.keys(table)));

  it.each([...reasons])('docs/troubleshooting.md has an entry for the reason %s', (reason) => {
    expect(entries).toContain(reason);
  });

  it('docs/troubleshooting.md has no entry for an unknown reason', () => {
    expect([...entries].filter((entry) => entry === undefined || !reasons.has(entry))).toEqual([]);
  });
});

describe('docs/reference/events.md', () => {
  it('docs/reference/events.md lists every event with its type and when it is recorded, and no other', () => {
    const rows = [...read('reference/events.md').matchAll(/^\| (\w+) \| (Normal|Warning) \| (.+) \|$/gm)];
    const written = Object.entries({ ...EngineEvents, ...PlacementEvents, ...MultiKueueEvents, ...ClusterEvents });
    expect(rows.map(([, reason, type, when]) => [reason, { type, when }])).toEqual(written);
  });
});

describe('docs/reference/ways.md', () => {
  const WAYS = [
    'make run',
    'npx',
    'container',
    'kustomize, default',
    'kustomize, namespaced',
    'kustomize, ha',
    'make deploy',
    'one file',
    'Helm: install',
    'Helm: upgrade',
    'Helm: roll back',
    'Helm: uninstall',
    'OLM bundle',
  ];
  const rows = read('reference/ways.md')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')));

  it('docs/reference/ways.md lists every way to start or install, with a command and a measured time', () => {
    expect(rows.map(([way]) => way)).toEqual(WAYS);
    for (const [, command, , time] of rows)
      expect([command, time]).toEqual([expect.stringMatching(/^`.+`$/), expect.stringMatching(/^\d+ s$/)]);
  });

  it.each(rows.map(([way = '', , test = '']) => [way, test]))('the test of %s exists: %s', (_, test) => {
    expect(test).toMatch(/^`test\/.+\.test\.ts`$/);
    expect(existsSync(path.join(root, test.replaceAll('`', '')))).toBe(true);
  });
});

describe('docs/security.md', () => {
  const named = [...read('security.md').matchAll(/\[([^\]]+)\]\(\.\.\/(test\/[^)]+)\)/g)];

  it.each(named.map(([, name = '', file = '']) => [name, file]))('the test %j is in %s', (name, file) => {
    expect(readFileSync(path.join(root, file), 'utf8').includes(name)).toBe(true);
  });
});

/** What every installation has, what is made from it, and what is for clusters or for one machine. */
const ALWAYS = [
  'agent',
  'base',
  'components',
  'definitions',
  'helm',
  'image',
  'limits',
  'olm',
  'overlays',
  'standalone',
];

/** The rules of RBAC in a folder of `deploy/`. */
function rulesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  return files
    .flatMap((file) => loadAll(readFileSync(path.join(folder, file), 'utf8')))
    .filter(isRecord)
    .filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')
    .flatMap(({ rules }) => (Array.isArray(rules) ? rules : [])).length;
}

describe('docs/reference/hubs.md', () => {
  const [hubs = [], options = []] = read('reference/hubs.md')
    .split('\n## ')
    .map((section) =>
      section
        .split('\n')
        .filter((line) => line.startsWith('| '))
        .slice(2)
        .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, ''))),
    );

  it('says how many rules of RBAC each optional folder of deploy/ adds', () => {
    const said = options.flatMap(([option = '', rules = '']) =>
      [...option.matchAll(/`(deploy\/.+?)`/g)].map(([, folder = '']) => [folder, Number.parseInt(rules, 10)]),
    );
    const optional = readdirSync(path.join(root, 'deploy'))
      .filter((name) => !ALWAYS.includes(name))
      .map((name) => `deploy/${name}`);

    expect(new Map(said.map(([folder, rules]) => [folder, rules]))).toEqual(
      new Map(optional.map((folder) => [folder, rulesIn(path.join(root, folder))])),
    );
  });

  it.each(hubs.map(([hub = '', , ...cells]) => ({ hub, cells })))(
    'names an existing test for what it says of $hub',
    ({ cells }) => {
      const tests = cells
        .slice(0, 4)
        .map((cell) => [...cell.matchAll(/`(test\/.+?\.test\.ts)`/g)].map(([, file = '']) => file));

      expect(tests.flat()).not.toEqual([]);
      expect(tests.flatMap((files, at) => (files.length === 0 && cells[at] !== '—' ? [cells[at]] : []))).toEqual([]);
      expect(tests.flat().filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    },
  );
});

describe('the commands of the pages', () => {
  it('wait for no number that depends on what somebody did before: a condition is of the last edit by itself', () => {
    const numbers = pages().flatMap((page) =>
      [...readPage(page).matchAll(/kubectl wait .*(?:[gG]eneration|resourceVersion)\}'=\d+.*/g)].map(([line]) => [
        page,
        line,
      ]),
    );

    expect(numbers).toEqual([]);
  });
});

describe('the pages about the repository', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const PAGES = /^(CONTRIBUTING\.md|docs\/design\/[^/]+\.md|(src\/.+|packages\/[^/]+|test)\/README\.md)$/;
  /** Every end of the path of a file or a folder: a page writes paths as from the folder that it is about. */
  const ends = new Set(
    files.flatMap((file) => {
      const parts = file.split('/');
      return parts.flatMap((_, from) =>
        parts.slice(from).map((_part, to) => parts.slice(from, from + to + 1).join('/')),
      );
    }),
  );

  /** Names of files and paths; no package (`@`), nothing that is made (`.run`, `dist`), no placeholder (`<`, `*`). */
  function pathsIn(text: string): string[] {
    const quoted = [...text.matchAll(/`([\w-][\w.-]*(?:\/[\w-][\w.-]*)*\/?)`/g)].map(([, one = '']) => one);
    return quoted.filter((one) => /\/|\.(?:tsx?|js|json|yaml|md|sh)$/.test(one) && !one.startsWith('dist/'));
  }

  it.each(files.filter((file) => PAGES.test(file)))('the files and folders that %s names exist', (page) => {
    expect(pathsIn(readPage(page)).filter((one) => !ends.has(one.replace(/\/$/, '')))).toEqual([]);
  });

  it('a path that does not exist is found, a package and a placeholder are none', () => {
    const text = '`a/b.ts` `gone.ts` `x/` `@a/b` `src/<name>/run.ts` `dist/web` `a b` `.run/x`';
    expect(pathsIn(text)).toEqual(['a/b.ts', 'gone.ts', 'x/']);
  });
});
