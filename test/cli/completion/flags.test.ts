import { describe, expect, it } from '@jest/globals';
import type { CompleteConfig } from '../../../src/cli/commands/completion.js';
import { readConfig } from '../../support/commandline.js';

/** What can follow the words, the last of which is being typed. */
function after(...words: readonly string[]): CompleteConfig {
  const config = readConfig(['__complete', ...words], {});
  if (config.command !== '__complete') throw new Error(config.command);
  return config;
}

const bare = (words: readonly string[]): readonly string[] => words.map((word) => word.split('\t')[0] ?? '');

describe('completion', () => {
  it('the commands follow the name of the program, with what they do', () => {
    const { words, prefix } = after('wh');

    expect(prefix).toBe('wh');
    expect(bare(words)).toContain('who-selects');
    expect(words.every((word) => /^[a-z-]+\t\S/.test(word))).toBe(true);
  });

  it.each([
    [['explain', ''], { words: ['placement'] }],
    [['explain', 'placement', 'w'], { live: 'placements', prefix: 'w' }],
    [['explain', '-n', 'shop', 'placement', ''], { live: 'placements', namespace: 'shop' }],
    [['explain', '--namespace=shop', 'placement', ''], { live: 'placements', namespace: 'shop' }],
    [['explain', 'placement', 'web', ''], { words: [], live: undefined }],
    [['tree', '-A', 'placement', ''], { live: 'placements', allNamespaces: true }],
    [['who-selects', ''], { live: 'managedclusters' }],
    [
      ['who-selects', '--context', 'c', '--as', 'bob', ''],
      { source: { kind: 'api', kubeconfig: undefined, context: 'c', impersonate: 'bob' } },
    ],
    [['explain', '-n', 's'], { live: 'namespaces', prefix: 's' }],
    [['explain', '--namespace=s'], { live: 'namespaces', prefix: 's' }],
    [['explain', '--context', ''], { live: 'contexts' }],
    [['explain', '--cluster', ''], { live: 'managedclusters' }],
    [['explain', '-o', 'j'], { words: ['json', 'yaml', 'name', 'wide', 'jsonpath='], prefix: 'j' }],
    [['explain', '--output=j'], { words: ['json', 'yaml', 'name', 'wide', 'jsonpath='], prefix: 'j' }],
    [['explain', '--offline', '-f', ''], { files: true }],
    [['cluster', ''], { words: ['add', 'remove', 'list'] }],
    [['cluster', 'remove', ''], { live: 'managedclusters' }],
    [['cluster', 'add', 'edge-1', '--set', 'p'], { live: 'managedclustersets', prefix: 'p' }],
    [['plan', '--set', ''], { words: [], live: undefined }],
    [['clusterset', 'bind', ''], { live: 'managedclustersets' }],
    [['cordon', ''], { live: 'managedclusters' }],
    [['uncordon', ''], { live: 'managedclusters' }],
    [['drain', ''], { live: 'managedclusters' }],
    [['completion', ''], { words: ['bash', 'zsh', 'fish'] }],
    [['version', '-o', ''], { words: ['json', 'yaml'] }],
    [['help', 'cluster', ''], { words: ['add', 'remove', 'list'] }],
    [['status', ''], { words: [], live: undefined, files: false }],
    [['nonsense', ''], { words: [], live: undefined }],
    [['-n', 's'], { live: 'namespaces', prefix: 's' }],
    [['-n', 'shop', 'explain', 'placement', ''], { live: 'placements', namespace: 'shop' }],
    [['explain', '--nonsense', 'placement', ''], { live: 'placements' }],
  ])('%j can be followed by %j', (typed, expected) => {
    expect(after(...typed)).toMatchObject(expected);
  });

  it('the flags of a command follow a dash, each with its help', () => {
    const { words } = after('explain', 'placement', 'web', '-');

    expect(bare(words)).toEqual(expect.arrayContaining(['--namespace', '--cluster', '--nearest']));
    expect(words).toContain('--context\tcontext of the kubeconfig');
    expect(words?.filter((one) => !/^-\S+\t\S/.test(one))).toEqual([]);
  });

  it.each([
    [['cluster', 'remove', 'a', '-'], ['--force'], ['--set', '--renew', '--output']],
    [
      ['cluster', 'list', '-'],
      ['--output', '--color'],
      ['--set', '--force'],
    ],
    [['cluster', '-'], ['--set', '--force', '--output'], []],
    [['check', '-'], ['--pre'], ['--offline', '--filename']],
    [['help', 'drain', '-'], [], ['--yes']],
  ])(
    '%j is completed with flags that the command takes there, and not with those of other commands',
    (typed, own, others) => {
      const words = bare(after(...typed).words);

      expect(words).toEqual(expect.arrayContaining([...own]));
      for (const one of others) expect(words).not.toContain(one);
    },
  );

  it.each([
    [['completion'], 'missing arguments; want one of bash, zsh, fish'],
    [['completion', 'csh'], 'wrong arguments "csh"; want one of bash, zsh, fish'],
  ])('%j ends with code 1 and the reason', (argv, message) => {
    expect(readConfig(argv, {})).toEqual({ command: 'usage', exitCode: 1, text: `multicluster-engine: ${message}\n` });
  });
});

describe('help', () => {
  it('help prints the commands, and with a command its flags', () => {
    expect(readConfig(['help'], {})).toEqual(readConfig(['--help'], {}));
    expect(readConfig(['help', 'explain'], {})).toEqual(readConfig(['explain', '--help'], {}));
    expect(readConfig(['help', 'nope'], {})).toMatchObject({ exitCode: 1 });
  });
});
