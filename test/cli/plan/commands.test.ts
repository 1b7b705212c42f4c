import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installPrograms } from '../../support/processes/installedprogram.js';
import { stepsIn, type Step } from '../../support/repository/markdown.js';
import { readPage } from '../../support/repository/documents.js';
import { ReaderSession } from '../../support/repository/session.js';
import { root } from '../../support/repository/root.js';

const PROGRAM = path.join(root, 'dist', 'src', 'main.js');
const FLEET = path.join(root, 'examples', 'gitops', 'fleet');
const PAGES = ['docs/reference/cli/plan.md', 'docs/how-to/move-a-fleet.md'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'plan-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(args: readonly string[], input = ''): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [PROGRAM, 'plan', '--offline', ...args], {
    encoding: 'utf8',
    input,
    env: {},
    timeout: 60_000,
  });
}

describe('plan --offline', () => {
  it('nothing on standard error and code 2 when something changes, and code 0 otherwise', () => {
    const changed = run(['--base', FLEET, '--delete', 'mcl/prod-us-1']);
    const same = run(['--base', FLEET, '-f', FLEET]);

    expect([changed.stderr, changed.status]).toEqual(['', 2]);
    expect(changed.stdout).toContain('  - prod-us-1  was deleted\n');
    expect([same.stderr, same.stdout, same.status]).toEqual([
      '',
      'Plan: 0 to add, 0 to remove, 5 to stay, 0 held, in 0 of 2 Placements.\n',
      0,
    ]);
  });

  it('a limit that is exceeded ends with code 1, after the plan', () => {
    const { status, stdout, stderr } = run(['--base', FLEET, '--delete=mclset/production', '--max-removals=10%']);

    expect(stdout).toContain('Plan: 0 to add, 3 to remove,');
    expect([stderr, status]).toEqual([
      'multicluster-engine plan: --max-removals: shop/web would lose 3 of 3 clusters, and at most 1 may leave\n',
      1,
    ]);
  });

  it('manifests come from standard input, and folders below a folder are read with -R', () => {
    const nested = path.join(folder, 'nested', 'below');
    mkdirSync(nested, { recursive: true });
    const cluster = { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'ManagedCluster', metadata: { name: 'a' } };
    writeFileSync(path.join(nested, 'cluster.json'), JSON.stringify(cluster));

    expect(run(['-f', '-'], 'kind: Placement\nmetadata: {name: x}').stderr).toContain('apiVersion: must be set');
    expect(run(['--base', path.join(folder, 'nested'), '-R', '--set', 'mcl/a:x=y']).status).toBe(0);
    expect(run(['--base', path.join(folder, 'nested'), '--set', 'mcl/a:x=y']).stderr).toBe(
      `multicluster-engine plan: "${path.join(folder, 'nested')}" has no file that ends with .json, .yaml or .yml; its subfolders were not read\n`,
    );
  });

  it.each([
    ['a file that does not exist', ['-f', 'nowhere.yaml'], 'the path "nowhere.yaml" does not exist'],
    ['a change that cannot be read', ['--base', FLEET, '--delete', 'x'], '--delete must be KIND/NAME, got "x"'],
  ])('%s ends with code 1 and one line', (_what, args, message) => {
    const { status, stdout, stderr } = run(args);

    expect([stdout, status]).toEqual(['', 1]);
    expect(stderr).toMatch(/^multicluster-engine plan: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });
});

function cases(steps: readonly Step[]): { readonly title: string; readonly step: Step }[] {
  return steps.map((step, at) => {
    const [firstLine = ''] = step.command.split('\n');
    return { title: `${at + 1}: ${firstLine.slice(0, 90)}`, step };
  });
}

describe.each(PAGES)('%s', (page) => {
  let reader: ReaderSession;
  beforeAll(() => {
    const home = mkdtempSync(path.join(folder, 'reader-'));
    reader = new ReaderSession(home, { PATH: installPrograms(path.join(folder, 'bin')), TMPDIR: home });
  });

  it.each(cases(stepsIn(readPage(page))))('a command prints what the page shows: $title', async ({ step }) => {
    await reader.shows(step);
  });
});
