import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../support/commandline.js';
import { version } from '../../../src/runtime/process/build.js';
import type { Usage } from '../../support/commandline.js';
import type { PlanConfig } from '../../../src/cli/commands/plan.js';

function read(line: string, env: Readonly<Record<string, string>> = {}): PlanConfig {
  const config = readConfig(['plan', ...line.split(' ')], env);
  if (config.command !== 'plan') throw new Error(config.command === 'usage' ? config.text : config.command);
  return config;
}

function usage(...argv: readonly string[]): Usage {
  const config = readConfig(['plan', ...argv], {});
  if (config.command !== 'usage') throw new Error('the command line was accepted');
  return config;
}

describe('plan', () => {
  it('every setting has its default without flags', () => {
    expect(read('-f placement.yaml', { MULTICLUSTER_ENGINE_NAMESPACE: 'other' })).toEqual({
      command: 'plan',
      version: version(),
      namespace: undefined,
      files: ['placement.yaml'],
      recursive: false,
      deletions: [],
      labels: [],
      lost: [],
      loseEach: undefined,
      isFromOcm: false,
      maxRemovals: undefined,
      output: 'text',
      color: 'auto',
      source: { kind: 'api', kubeconfig: undefined, context: undefined, impersonate: undefined },
    });
  });

  it('files, deletions and labels are given several times, or with commas', () => {
    const config = read('-f a -f b,c --delete mcl/a --delete=mcl/b --set mcl/c:x=y -R');

    expect(config).toMatchObject({
      files: ['a', 'b', 'c'],
      deletions: ['mcl/a', 'mcl/b'],
      labels: ['mcl/c:x=y'],
      recursive: true,
    });
  });

  it('what is lost needs no change beside it', () => {
    expect(read('--lose claim/region=eu,mclset/edge --lose mcl/a')).toMatchObject({
      lost: ['claim/region=eu', 'mclset/edge', 'mcl/a'],
      files: [],
    });
    expect(read('--offline --base old --lose-each label/zone').loseEach).toBe('label/zone');
    expect(read('--offline -f new --lose-each label/zone').source).toEqual({ kind: 'files', base: undefined });
  });

  it.each([
    ['3', { kind: 'number', value: 3 }],
    ['10%', { kind: 'percent', value: 10 }],
    ['0%', { kind: 'percent', value: 0 }],
  ])('--max-removals=%s is %j', (text, expected) => {
    expect(read(`-f a --max-removals=${text}`).maxRemovals).toEqual(expected);
    expect(read(`-f a --max-additions=${text}`).maxAdditions).toEqual(expected);
  });

  it('files are compared offline', () => {
    expect(read('--offline --base old -f new').source).toEqual({ kind: 'files', base: 'old' });
    expect(read('--offline -f new').source).toEqual({ kind: 'files', base: undefined });
  });

  it.each([
    [[], 'nothing would change: give --filename, --delete, --set, --lose or --lose-each'],
    [['--offline', '--lose', 'mcl/a'], 'with --offline, --lose and --lose-each need --base=FILE or --filename=FILE'],
    [['--lose', 'mcl/a', '--lose-each', 'claim/x'], '--lose cannot be used with --lose-each'],
    [['--from-ocm'], '--from-ocm needs --filename=FILE'],
    [['--from-ocm', '-f', 'a', '-o', 'wide'], '--from-ocm cannot be used with --output=wide'],
    [['--from-ocm', '-f', 'a', '--lose', 'mcl/a'], '--from-ocm cannot be used with --lose'],
    [['--lose-each', 'claim/x', '--max-removals', '1'], '--lose-each cannot be used with --max-removals'],
    [['web', '-f', 'a'], 'unexpected arguments "web": the command takes none'],
    [['-f', 'a,,b'], '--filename must be words with commas between them, got "a,,b"'],
    [
      ['-f', 'a', '-o', 'xml'],
      'unable to match a printer suitable for the output format "xml", allowed formats are: json,jsonpath,name,wide,yaml',
    ],
    [['-f', 'a', '-n', 'x', '-n', 'y'], '-n is given twice, the second time as "y"'],
    [['-f', 'a', '--base', 'b'], '--base needs --offline'],
    [['--offline', '--delete', 'mcl/a'], 'with --offline, --delete and --set need --base=FILE'],
    [['--offline', '-f', 'a', '--context', 'x'], '--context cannot be used with --offline'],
    [
      ['-f', 'a', '--max-removals=101%'],
      '--max-removals must be a number, or a percentage from 0% to 100%, got "101%"',
    ],
  ])('the arguments %j end with code 1 and the reason', (argv, message) => {
    expect(usage(...argv)).toEqual({ command: 'usage', exitCode: 1, text: `multicluster-engine: ${message}\n` });
  });

  it('the help has no arguments and no variables', () => {
    const { exitCode, text } = usage('--help');

    expect(exitCode).toBe(0);
    expect(text).toMatch(/^Usage: multicluster-engine plan \[flags\]\n/);
    expect(text).not.toContain('MULTICLUSTER_ENGINE_');
  });
});
