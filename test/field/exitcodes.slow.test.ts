/*
 * What people did: they ran `check` in a pipeline with a user who may read nothing. It printed seven `?` and ended with 0, so
 * that the pipeline went on. So did `check --pre`, `status`, `tree` and `who-selects`.
 * What is right: what was not checked is not green. An answer from which something is missing that could not be read has an
 * exit code of its own, 3; an error is 1, and only a whole answer is 0.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { root } from '../support/repository/root.js';

const PROGRAM = path.join(root, 'dist', 'src', 'main.js');

describeWithServer('a user who may read nothing', {}, (server) => {
  const run = (command: string): { readonly status: number | null; readonly text: string } => {
    const args = [PROGRAM, ...command.split(' '), '--kubeconfig', server().adminKubeconfig, '--as', 'nobody'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: {},
      timeout: 60_000,
    });
    return { status, text: `${stdout}${stderr}` };
  };

  it.each(['check', 'check -o json', 'status', 'status -o json', 'tree', 'tree -A -o name', 'who-selects edge-1'])(
    '%s ends with 3 and claims nothing',
    (command) => {
      const { status, text } = run(command);

      expect(status).toBe(3);
      expect(text).not.toMatch(/✓|"Passed"|"clusters"|there is no/);
    },
  );

  it('plan ends with 3, since the change may do more than what is shown', () => {
    expect(run('plan --set mcl/edge-1:tier=gold')).toEqual({
      status: 3,
      text: expect.stringContaining('not everything could be read'),
    });
  });

  it('check --pre ends with 1 and names the missing rights, which it asks for', () => {
    const { status, text } = run('check --pre');

    expect([status, text]).toEqual([
      1,
      expect.stringMatching(/× you may not install: not create customresourcedefinitions/),
    ]);
  });

  it.each([
    'explain placement web',
    'cluster list',
    'cluster remove edge-1',
    'drain edge-1 --yes',
    'drain edge-1 --dry-run',
  ])('%s ends with 1, since there is no answer', (command) => {
    expect(run(command).status).toBe(1);
  });
});
