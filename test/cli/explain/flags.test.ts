import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../support/commandline.js';
import { version } from '../../../src/runtime/process/build.js';
import type { Usage } from '../../support/commandline.js';
import type { ExplainConfig } from '../../../src/cli/commands/explain.js';

function read(line: string, env: Readonly<Record<string, string>> = {}): ExplainConfig {
  const config = readConfig(['explain', ...line.split(' ')], env);
  if (config.command !== 'explain') throw new Error(config.command === 'usage' ? config.text : config.command);
  return config;
}

function usage(...argv: readonly string[]): Usage {
  const config = readConfig(['explain', ...argv], {});
  if (config.command !== 'usage') throw new Error('the command line was accepted');
  return config;
}

describe('explain', () => {
  it('every setting has its default without flags, whatever the variables of other commands say', () => {
    expect(
      read('placement web', { MULTICLUSTER_ENGINE_NAMESPACE: 'other', MULTICLUSTER_ENGINE_KUBECONFIG: 'f' }),
    ).toEqual({
      command: 'explain',
      version: version(),
      placement: 'web',
      namespace: undefined,
      allNamespaces: false,
      cluster: undefined,
      nearest: 10,
      scores: false,
      output: 'text',
      color: 'auto',
      source: { kind: 'api', kubeconfig: undefined, context: undefined, impersonate: undefined },
    });
  });

  it('flags stand before and after the arguments, and have short forms', () => {
    const config = read('-n shop placement web -o json --cluster=a --kubeconfig f --context c --as bob');

    expect(config).toMatchObject({ namespace: 'shop', placement: 'web', output: 'json', cluster: 'a' });
    expect(read('placement web --nearest 0').nearest).toBe(0);
    expect(config.source).toEqual({ kind: 'api', kubeconfig: 'f', context: 'c', impersonate: 'bob' });
  });

  it.each(['placement/web', 'placements web', 'Placement web'])('%s names the Placement', (line) => {
    expect(read(line).placement).toBe('web');
  });

  it('the flags that name a hub and its parts count as not given when they are empty, as for kubectl', () => {
    const given = ['kubeconfig', 'context', 'as', 'namespace'].map((name) => `--${name}=`);

    expect(read(`placement web ${given.join(' ')}`)).toEqual(read('placement web'));
  });

  it('files are read offline, and - is standard input', () => {
    expect(read('placement web --offline -f -').source).toEqual({ kind: 'files', paths: ['-'] });
    expect(read('placement web --offline --filename=dir').source).toEqual({ kind: 'files', paths: ['dir'] });
  });

  it.each([
    ['auto', {}, 'auto'],
    ['auto', { NO_COLOR: '1' }, 'never'],
    ['auto', { NO_COLOR: '' }, 'auto'],
    ['always', { NO_COLOR: '1' }, 'always'],
  ])('--color=%s with the variables %j means %s', (flag, env, color) => {
    expect(read(`placement web --color=${flag}`, env).color).toBe(color);
  });

  it.each([
    [[], 'missing arguments; want placement NAME'],
    [['web'], 'wrong arguments "web"; want placement NAME'],
    [['placement', 'a', 'b'], 'wrong arguments "placement a b"; want placement NAME'],
    [
      ['placement', 'a', '-o', 'xml'],
      'unable to match a printer suitable for the output format "xml", allowed formats are: json,jsonpath,name,wide,yaml',
    ],
    [['placement', 'a', '--nearest=-1'], '--nearest must be a whole number from 0 to 10000, got "-1"'],
    [['placement', 'a', '-A', '-n', 'x'], '--namespace cannot be used with --all-namespaces'],
    [['placement', 'a', '-x'], 'unknown flag "-x" (see multicluster-engine explain --help)'],
    [['placement', 'a', '-f', 'x'], '--filename needs --offline'],
    [['placement', 'a', '--offline'], '--offline needs --filename=FILE'],
    [['placement', 'a', '--offline', '-f', 'x', '--as', 'bob'], '--as cannot be used with --offline'],
    [['placement', 'a', '--as', 'a\r\nb'], '--as must be a user name, got "a\\r\\nb"'],
  ])('the arguments %j end with code 1 and the reason', (argv, message) => {
    expect(usage(...argv)).toEqual({ command: 'usage', exitCode: 1, text: `multicluster-engine: ${message}\n` });
  });

  it('the help has the arguments and the short forms, and no variables', () => {
    const { exitCode, text } = usage('--help');

    expect(exitCode).toBe(0);
    expect(text).toMatch(/^Usage: multicluster-engine explain placement NAME \[flags\]\n/);
    expect(text).toContain('-n, --namespace=NAMESPACE ');
    expect(text).not.toContain('MULTICLUSTER_ENGINE_');
  });
});
