import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { installPrograms } from '../support/processes/installedprogram.js';
import { root } from '../support/repository/root.js';

const EXAMPLE = path.join(root, 'examples', 'gitops');

interface Step {
  readonly name?: string;
  readonly run?: string;
}

const workflow = load(readFileSync(path.join(EXAMPLE, '.github', 'workflows', 'plan.yml'), 'utf8')) as {
  readonly jobs: { readonly plan: { readonly steps: readonly Step[] } };
};

/** The folder of a run, with the checked out repository before and after the change. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gitops-'));
  for (const side of ['base', 'change']) cpSync(EXAMPLE, path.join(folder, side), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a step of the workflow as GitHub does; returns its exit code. */
function step(name: string, env: Readonly<Record<string, string>> = {}): number | null {
  const script = workflow.jobs.plan.steps.find((one) => one.name === name)?.run;
  if (script === undefined) throw new Error(`the workflow has no step ${name}`);
  const PATH = installPrograms(path.join(folder, 'bin'), { gh: `echo "$@" > '${path.join(folder, 'gh.txt')}'` });
  const files = { GITHUB_STEP_SUMMARY: path.join(folder, 'summary.md'), GITHUB_OUTPUT: path.join(folder, 'output') };
  const { status } = spawnSync('bash', ['-e', '-c', script], {
    cwd: folder,
    env: { PATH, PACKAGE: 'https://fleet.example.com/multicluster-engine.tgz', ...files, ...env },
    timeout: 60_000,
  });
  return status;
}

function written(file: string): string {
  return readFileSync(path.join(folder, file), 'utf8');
}

function change(file: string, from: string, to: string): void {
  const place = path.join(folder, 'change', 'fleet', file);
  const text = readFileSync(place, 'utf8');
  expect(text).toContain(from);
  writeFileSync(place, text.replace(from, to));
}

/** Runs the steps behind the plan; returns the exit code of the last. */
function comment(): number | null {
  expect(step('Comment', { NUMBER: '7' })).toBe(0);
  expect(written('gh.txt')).toBe('pr comment 7 --edit-last --create-if-none --body-file comment.md\n');
  const [, CODE = ''] = /^code=(.*)$/m.exec(written('output')) ?? [];
  return step('Check', { CODE });
}

describe('the workflow of a fleet repository', () => {
  it('a repository that does not say which package to run fails at once, and runs none by its name', () => {
    expect(step('Plan', { PACKAGE: '' })).not.toBe(0);
    expect(existsSync(path.join(folder, 'plan.txt'))).toBe(false);
  });

  it('a pull request that changes a selection gets a comment, and passes', () => {
    change('placements.yaml', 'tier: gold', 'tier: silver');

    expect(step('Plan')).toBe(0);
    expect(written('comment.md').split('\n')).toEqual([
      '### What this change selects',
      '```text',
      'shop/web  3 -> 2 of 3 wanted, Satisfied -> PartiallySatisfied',
      '  NotAllDecisionsScheduled: 1 of 3 wanted clusters is missing: every cluster that matches is selected',
      '  - prod-us-1  label tier=gold, wanted tier=silver',
      'Plan: 0 to add, 1 to remove, 4 to stay, 0 held, in 1 of 2 Placements.',
      '```',
      '',
    ]);
    expect(written('summary.md')).toBe(written('comment.md'));
    expect(comment()).toBe(0);
  });

  it('a pull request that changes nothing passes', () => {
    expect(step('Plan')).toBe(0);
    expect(written('comment.md')).toContain('in 0 of 2 Placements.\n');
    expect(comment()).toBe(0);
  });

  it('a pull request by which a Placement loses too many clusters fails, and the comment says which', () => {
    change('sets.yaml', 'name: production', 'name: prodution');

    expect(step('Plan')).toBe(0);
    expect(written('comment.md')).toContain('  - prod-eu-1  there is no ManagedClusterSet production\n');
    expect(written('comment.md')).toContain(
      'multicluster-engine plan: --max-removals: shop/web would lose 3 of 3 clusters, and at most 2 may leave\n',
    );
    expect(comment()).toBe(1);
  });

  it('a file that cannot be read fails, and the comment says why', () => {
    change('placements.yaml', 'kind: Placement', 'kind: Placment');

    expect(step('Plan')).toBe(0);
    expect(written('comment.md')).toContain('there is no kind Placment in cluster.fleetmgmt.io/v1alpha1\n');
    expect(comment()).toBe(1);
  });
});
