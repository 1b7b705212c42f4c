import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { root } from '../support/repository/root.js';

const LONGEST = 'x'.repeat(72);
const TOO_LONG = 'ä'.repeat(73);

describe('tools/subjects.sh', () => {
  let folder = '';
  let script = '';

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-subjects-'));
    script = path.join(folder, 'tools', 'subjects.sh');
    mkdirSync(path.dirname(script));
    cpSync(path.join(root, 'tools', 'subjects.sh'), script);
    git('init', '--quiet');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function git(...args: readonly string[]): void {
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args]);
  }

  function commit(subject: string, date = '2030-01-01T00:00:00Z'): void {
    execFileSync('git', ['-C', folder, 'commit', '--quiet', '--allow-empty', '--message', subject], {
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: 'a',
        GIT_AUTHOR_EMAIL: 'a@example.com',
        GIT_COMMITTER_NAME: 'a',
        GIT_COMMITTER_EMAIL: 'a@example.com',
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
      },
    });
  }

  function checked(): { readonly code: number | null; readonly errors: string } {
    const { status, stderr } = spawnSync('bash', [script], { encoding: 'utf8' });
    return { code: status, errors: stderr };
  }

  it('tools/subjects.sh accepts a subject of 72 characters', () => {
    commit(LONGEST);

    expect(checked()).toEqual({ code: 0, errors: '' });
  });

  it('tools/subjects.sh names a commit whose subject has 73 characters', () => {
    commit(TOO_LONG);
    commit('short');

    expect(checked()).toEqual({
      code: 1,
      errors: expect.stringMatching(/^subjects: [0-9a-f]+ has 73 characters, at most 72: ä+\n$/),
    });
  });

  it('tools/subjects.sh accepts a long subject from before the rule', () => {
    commit(TOO_LONG, '2020-01-01T00:00:00Z');

    expect(checked()).toEqual({ code: 0, errors: '' });
  });

  it('tools/subjects.sh ignores commits that the upstream branch has, where there are newer ones', () => {
    commit(TOO_LONG);
    git('branch', 'published');
    git('branch', '--quiet', '--set-upstream-to=published');
    commit('short');

    expect(checked()).toEqual({ code: 0, errors: '' });
  });
});
