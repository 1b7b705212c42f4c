import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { freePorts } from '@multicluster-engine/kube-apiserver';
import { version } from '../src/runtime/process/build.js';

const program = fileURLToPath(new URL('../src/main.js', import.meta.url));

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...args: string[]): Outcome {
  return runWith({}, ...args);
}

function runWith(env: NodeJS.ProcessEnv, ...args: string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 120_000,
  });
  return { code: status, stdout, stderr };
}

describe('multicluster-engine', () => {
  it('the program prints its version to standard output and ends with 0', () => {
    expect(run('--version')).toEqual({ code: 0, stdout: `${version()}\n`, stderr: '' });
  });

  it('the program prints the flags of a command to standard output and ends with 0', () => {
    expect(run('operator', '--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--settle-window'),
      stderr: '',
    });
  });

  it('the program refuses a bad flag with one line on standard error and ends with 2', () => {
    const line = 'multicluster-engine: --workers must be a whole number from 1 to 64, got "many"\n';

    expect(run('operator', '--workers=many')).toEqual({ code: 2, stdout: '', stderr: line });
  });

  it('the operator names a missing kubeconfig in one line on standard error and ends with 1', () => {
    const line =
      'multicluster-engine operator: kubeconfig /missing/config cannot be read: no such file; name another file with --kubeconfig\n';

    expect(run('operator', '--kubeconfig=/missing/config')).toEqual({ code: 1, stdout: '', stderr: line });
  });

  it('the operator names a missing file of KUBECONFIG in one line on standard error and ends with 1', () => {
    const line =
      'multicluster-engine operator: no kubeconfig was found (/missing/config): give --kubeconfig, set KUBECONFIG, or run in a pod\n';

    expect(runWith({ KUBECONFIG: '/missing/config' }, 'operator')).toEqual({ code: 1, stdout: '', stderr: line });
  });

  it.each(['status', 'cordon edge-1'])(
    '%s names the API server that does not respond in one line and ends with 1',
    async (words) => {
      const [port = 0] = await freePorts(1);
      const server = `https://127.0.0.1:${port}`;
      const folder = mkdtempSync(path.join(tmpdir(), 'unreachable-'));
      const kubeconfig = path.join(folder, 'kubeconfig');
      const config = {
        clusters: [{ name: 'main', cluster: { server } }],
        users: [{ name: 'main', user: { token: 'none' } }],
        contexts: [{ name: 'main', context: { cluster: 'main', user: 'main' } }],
        'current-context': 'main',
      };
      writeFileSync(kubeconfig, JSON.stringify(config));
      const outcome = run(...words.split(' '), `--kubeconfig=${kubeconfig}`);
      rmSync(folder, { recursive: true });

      expect(outcome).toMatchObject({ code: 1, stdout: '' });
      const [command = ''] = words.split(' ');
      expect(outcome.stderr).toMatch(
        new RegExp(
          `^multicluster-engine ${command}: .* no response from ${server} \\(context "main" of ${kubeconfig}\\): .* \\(ECONNREFUSED\\); start the server, .*\\n$`,
        ),
      );
    },
  );

  it('a command with --profile-dir writes profiles, says so on standard error alone, and does what it does without', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'profiles-'));
    const plain = run('completion', 'bash');
    const { stderr, ...profiled } = run('completion', 'bash', `--profile-dir=${folder}`);
    const files = readdirSync(folder);
    rmSync(folder, { recursive: true });

    expect({ ...profiled, stderr: '' }).toEqual(plain);
    expect(stderr).toMatch(/^multicluster-engine completion: profile written: .+\n$/);
    expect(files).toEqual([
      expect.stringMatching(/^completion-\d+-1\.cpuprofile$/),
      expect.stringMatching(/^completion-\d+-1\.heapprofile$/),
    ]);
  });
});
