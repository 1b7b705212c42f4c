import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../support/commandline.js';

/*
 * People gave a flag that the command did not use: `cluster add edge-1 --renew --set prod` gave a new token and left the cluster
 * in its set, `check --pre -n shop` checked another namespace than they thought, and nothing said so.
 * What is right: a flag that has no meaning beside another one, or without one, is refused, and both are named. Harmless is what
 * kubectl accepts too, such as `--timeout` in a dry run.
 */

function read(line: string): ReturnType<typeof readConfig> {
  return readConfig(line.split(' '), {});
}

describe('a flag that would do nothing', () => {
  it.each([
    ['cluster add a --image r/e:1 --renew --set prod', '--set cannot be used with --renew'],
    ['explain placement web --cluster a --nearest 3', '--nearest cannot be used with --cluster'],
    ['explain placement web -o name --nearest 3', '--nearest cannot be used with --output=name'],
    ['explain placement web -f x', '--filename needs --offline'],
    ['explain placement web -f x --offline=false', '--filename needs --offline'],
    ['tree --offline', '--offline needs --filename=FILE'],
    ['status --offline -f x --context c', '--context cannot be used with --offline'],
    ['who-selects a -A -n shop', '--namespace cannot be used with --all-namespaces'],
    ['check --pre -n shop', '--namespace cannot be used with --pre'],
    ['plan --set mcl/a:b=c -R', '--recursive needs --filename=FILE or --base=FILE'],
    ['plan -f x --base y', '--base needs --offline'],
    ['plan -f x --offline --as bob', '--as cannot be used with --offline'],
  ])('%s is refused, and both flags are named', (line, text) => {
    expect(read(line)).toEqual({ command: 'usage', exitCode: 1, text: `multicluster-engine: ${text}\n` });
  });

  it.each(['check --offline -f x', 'check -w'])('%s is refused: the command has no such flag', (line) => {
    expect(read(line)).toMatchObject({ exitCode: 1, text: expect.stringContaining('unknown flag') });
  });

  it.each([
    'drain a --dry-run --yes --timeout 1m',
    'tree -n shop --all-namespaces=false',
    'status -o json --color always',
    'cluster add a --image r/e:1 --renew=false --set prod',
    'plan --offline --base y -R --delete mclset/a',
  ])('%s is accepted', (line) => {
    expect(read(line)).not.toMatchObject({ command: 'usage' });
  });
});
