import { describe, expect, it } from '@jest/globals';
import { readConfig, type Config, type Usage } from '../support/commandline.js';
import { version } from '../../src/runtime/process/build.js';

function read(line: string): Config | Usage {
  return readConfig(line.split(' '), {});
}

const API = { kind: 'api', kubeconfig: undefined, context: undefined, impersonate: undefined };

describe('the commands that show the state of a hub', () => {
  it.each([
    ['who-selects a', { command: 'who-selects', cluster: 'a' }],
    ['tree', { command: 'tree', placement: undefined }],
    ['tree placement/web', { command: 'tree', placement: 'web' }],
    ['tree --by label/tier', { command: 'tree', by: { source: 'label', key: 'tier' } }],
    ['check', { command: 'check', pre: false, operatorNamespace: 'multicluster-engine-operator' }],
    ['check --pre --operator-namespace=x', { command: 'check', pre: true, operatorNamespace: 'x' }],
  ])('%s has these settings, and else the defaults', (line, own) => {
    const shared = { namespace: undefined, allNamespaces: false, output: 'text', color: 'auto', source: API };
    expect(read(line)).toEqual({ version: version(), ...shared, ...own });
  });

  it.each(['who-selects a', 'tree', 'status', 'check'])('%s takes the flags of all commands', (line) => {
    const flags = '-A -o wide --kubeconfig f --context c --as bob --color never';
    expect(read(`${line} ${flags}`)).toMatchObject({
      allNamespaces: true,
      output: 'wide',
      color: 'never',
      source: { kind: 'api', kubeconfig: 'f', context: 'c', impersonate: 'bob' },
    });
  });

  it.each(['who-selects a', 'tree', 'status', 'check', 'explain placement a', 'plan --delete mcl/a', 'cluster list'])(
    '%s takes a template of kubectl',
    (line) => {
      const action = { kind: 'action', path: [{ kind: 'field', name: 'kind' }] };
      expect(read(`${line} -o jsonpath={.kind}`)).toMatchObject({ output: [action] });
    },
  );

  it.each([
    ['JSON', 'json'],
    ['Yaml', 'yaml'],
    ['', 'text'],
  ])('as with kubectl, -o %j is %s', (given, output) => {
    expect(read(`tree --output=${given}`)).toMatchObject({ output });
  });

  it.each(['who-selects a', 'tree', 'status'])('%s reads files', (line) => {
    expect(read(`${line} --offline -f dir`)).toMatchObject({ source: { kind: 'files', paths: ['dir'] } });
  });

  it.each([
    ['who-selects', 'missing arguments; want CLUSTER'],
    ['who-selects a b', 'wrong arguments "a b"; want CLUSTER'],
    ['tree --by region', '--by must be claim/KEY or label/KEY, got "region"'],
    ['tree web', 'wrong arguments "web"; want [placement NAME]'],
    ['status web', 'unexpected arguments "web": the command takes none'],
    ['tree -o jsonpath', 'template format specified but no template given'],
    ['tree -o jsonpath=', 'template format specified but no template given'],
    [
      'tree -o json=a',
      'unable to match a printer suitable for the output format "json=a", allowed formats are: json,jsonpath,name,wide,yaml',
    ],
    ['status -o jsonpath={end}', 'error parsing jsonpath {end}, not in range, nothing to end'],
    ['check web', 'unexpected arguments "web": the command takes none'],
    ['check --offline -f x', 'unknown flag "--offline" (see multicluster-engine check --help)'],
  ])('%s ends with code 1 and the reason', (line, message) => {
    expect(read(line)).toEqual({ command: 'usage', exitCode: 1, text: `multicluster-engine: ${message}\n` });
  });

  it('the help of a command without arguments names none', () => {
    expect(read('status --help')).toMatchObject({
      exitCode: 0,
      text: expect.stringMatching(/^Usage: multicluster-engine status \[flags\]\n/),
    });
  });
});
