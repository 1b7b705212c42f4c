import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../support/commandline.js';
import { version } from '../../../src/runtime/process/build.js';

function read(line: string): ReturnType<typeof readConfig> {
  return readConfig(line.split(' '), {});
}

const source = { kind: 'api', kubeconfig: undefined, context: undefined, impersonate: undefined };
const base = { version: version(), namespace: undefined, source };

describe('the commands about clusters', () => {
  it('a cluster is added with the address of the kubeconfig and an hour to join, unless flags say otherwise', () => {
    expect(read('cluster add edge-1 --image registry.example.com/engine:1')).toEqual({
      command: 'cluster add',
      ...base,
      cluster: 'edge-1',
      clusterSet: undefined,
      hubUrl: undefined,
      validSeconds: 3_600,
      renew: false,
      image: 'registry.example.com/engine:1',
      apiEndpoint: undefined,
    });
    const flags = '--set prod --hub-url https://hub.example.com:6443/a --valid 30m --image r/e:1';
    expect(read(`cluster add edge-1 ${flags} --api-endpoint https://edge-1.example.com`)).toMatchObject({
      clusterSet: 'prod',
      hubUrl: 'https://hub.example.com:6443/a',
      validSeconds: 1_800,
      image: 'r/e:1',
      apiEndpoint: 'https://edge-1.example.com',
    });
    expect(read('cluster add edge-1 --renew --image r/e:1')).toMatchObject({ renew: true, clusterSet: undefined });
  });

  it.each([
    ['cluster remove edge-1 --force', { command: 'cluster remove', cluster: 'edge-1', force: true }],
    ['cluster list -o json', { command: 'cluster list', output: 'json', color: 'auto' }],
    ['clusterset bind prod -n shop', { command: 'clusterset bind', clusterSet: 'prod', namespace: 'shop' }],
    ['cordon edge-1 --as bob', { command: 'cordon', cluster: 'edge-1', source: { impersonate: 'bob' } }],
    ['drain edge-1', { command: 'drain', cluster: 'edge-1', dryRun: false, yes: false, timeoutMs: 600_000 }],
    ['drain edge-1 --dry-run -y --timeout 30s', { dryRun: true, yes: true, timeoutMs: 30_000 }],
    ['uncordon edge-1', { command: 'uncordon', cluster: 'edge-1' }],
  ])('%s is read', (line, expected) => {
    expect(read(line)).toMatchObject(expected);
  });

  it.each([
    ['cluster', 'missing arguments; want add NAME, remove NAME or list'],
    ['cluster drop edge-1', 'wrong arguments "drop edge-1"; want add NAME, remove NAME or list'],
    ['cluster add', 'wrong arguments "add"; want add NAME, remove NAME or list'],
    ['cluster list edge-1', 'wrong arguments "list edge-1"; want add NAME, remove NAME or list'],
    ['cluster remove edge-1 --set prod', '--set cannot be used with cluster remove'],
    ['cluster add edge-1 --force', '--force cannot be used with cluster add'],
    ['cluster list --renew', '--renew cannot be used with cluster list'],
    [
      'cluster add edge-1 --hub-url http://hub',
      '--hub-url must be an https URL, such as https://hub.example.com:6443 or https://[fd00::1]:6443, got "http://hub"',
    ],
    ['cluster add edge-1 --valid 3607s', '--valid must be a duration of whole minutes, got "3607s"'],
    ['cluster add edge-1 --valid 9m', '--valid must be a duration such as 30m or 1h, from 10m to 24h, got "9m"'],
    ['cluster add edge-1 --valid 25h', '--valid must be a duration such as 30m or 1h, from 10m to 24h, got "25h"'],
    ['cluster add edge-1 --set a/b', '--set must be the name of a cluster set, got "a/b"'],
    ['clusterset bind', 'wrong arguments "bind"; want bind SET'],
    ['drain a --timeout 8d', '--timeout must be a duration such as 30s, 10m or 1h, from 1s to 7d, got "8d"'],
    ['cordon a b', 'wrong arguments "a b"; want CLUSTER'],
  ])('%s ends with code 1 and the reason', (line, message) => {
    expect(read(line)).toEqual({ command: 'usage', exitCode: 1, text: `multicluster-engine: ${message}\n` });
  });

  it.each([
    ['help cluster add', 'add NAME', ['--set=SET', '--renew '], ['--force', '--output']],
    ['cluster remove --help', 'remove NAME', ['--force '], ['--set', '--output']],
    ['help cluster list', 'list', ['--output=FORMAT', '--color=WHEN'], ['--set', '--force']],
    ['help cluster', 'add NAME|remove NAME|list', ['--set=SET', '--force ', '--output=FORMAT'], []],
  ])('%s lists the flags that it takes, and no other', (line, usage, own, others) => {
    const found = read(line);
    const text = found.command === 'usage' ? found.text : '';

    expect(text).toMatch(`Usage: multicluster-engine cluster ${usage} [flags]\n`);
    for (const flag of [...own, '--context=NAME']) expect(text).toContain(flag);
    for (const flag of others) expect(text).not.toContain(flag);
  });

  it.each(['default', 'Edge-1', 'edge_1', 'edge-', `a${'b'.repeat(63)}`])(
    'no cluster can be added with the name %s',
    (name) => {
      expect(read(`cluster add ${name} --image r/e:1`)).toEqual({
        command: 'usage',
        exitCode: 1,
        text: `multicluster-engine: the name of a cluster must be a DNS name of at most 63 characters other than default, got "${name}"\n`,
      });
    },
  );
});
