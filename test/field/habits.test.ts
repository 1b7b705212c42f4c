import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig, type Usage } from '../support/commandline.js';
import { root } from '../support/repository/root.js';

/*
 * People type as they do with kubectl: `kubectl mce who-selects mcl/edge-1`, a name that `-o name` has printed, flags before the
 * command, `-o=json`, `--`, two times `-f -`. Half of it was refused, and the error listed all commands; `-f - -f -` was read once.
 * What is right: what kubectl takes is taken, and the rest is refused in one sentence that says what to type.
 */

function read(line: string): ReturnType<typeof readConfig> {
  return readConfig(line.split(' '), {});
}

const sentence = (line: string): string => (read(line) as Usage).text;

describe('a name', () => {
  const PLACEMENTS = ['placement', 'placements', 'Placement', 'fpl', 'placement.cluster.fleetmgmt.io'];
  const OTHERS = ['placements.cluster.fleetmgmt.io', 'placements.v1alpha1.cluster.fleetmgmt.io'];
  const CLUSTERS = ['mcl', 'fmcl', 'managedcluster', 'managedclusters', 'managedcluster.cluster.fleetmgmt.io'];

  it.each(['explain', 'history', 'tree', 'release', 'pause', 'resume'])(
    '%s takes a Placement by each of the names of its kind, as TYPE/NAME and as TYPE NAME',
    (command) => {
      for (const type of [...PLACEMENTS, ...OTHERS]) {
        expect(read(`${command} ${type}/web`)).toMatchObject({ placement: 'web' });
        expect(read(`${command} ${type} web`)).toMatchObject({ placement: 'web' });
      }
    },
  );

  it.each(['who-selects', 'cordon', 'uncordon', 'drain', 'cluster remove', 'cluster add --image=r/e:1'])(
    '%s takes a cluster alone, as TYPE/NAME and as TYPE NAME',
    (command) => {
      expect(read(`${command} a`)).toMatchObject({ cluster: 'a' });
      for (const type of CLUSTERS) {
        expect(read(`${command} ${type}/a`)).toMatchObject({ cluster: 'a' });
        expect(read(`${command} ${type} a`)).toMatchObject({ cluster: 'a' });
      }
    },
  );

  it('flags and the command of a set take what -o name prints', () => {
    const cluster = 'managedcluster.cluster.fleetmgmt.io/a';

    expect(read(`explain fpl/web --cluster ${cluster}`)).toMatchObject({ cluster: 'a' });
    expect(read(`release fpl/web --clusters ${cluster},mcl/b,c`)).toMatchObject({ clusters: ['a', 'b', 'c'] });
    expect(read('release fpl/web --clusters a --clusters b')).toMatchObject({ clusters: ['a', 'b'] });
    expect(read('clusterset bind mclset/a')).toMatchObject({ clusterSet: 'a' });
    expect(read('clusterset bind managedclusterset.cluster.fleetmgmt.io a')).toMatchObject({ clusterSet: 'a' });
    expect(read('cluster add a --image=r/e:1 --set mclset/b')).toMatchObject({ clusterSet: 'b' });
  });

  it.each([
    ['explain mcl/web', 'wrong arguments "mcl/web"; want placement NAME'],
    ['explain placement/', 'wrong arguments "placement/"; want placement NAME'],
    ['explain placement/a/b', 'wrong arguments "placement/a/b"; want placement NAME'],
    ['drain a b', 'wrong arguments "a b"; want CLUSTER'],
    ['drain mclset/a', 'the name of a cluster must be not empty, . or .., without / and %, got "mclset/a"'],
    ['explain fpl/web --cluster a,b', '--cluster must be the name of one cluster: .*, without commas, got "a,b"'],
    ['explain fpl/web --cluster a --cluster b', '--cluster is given twice, the second time as "b"'],
    ['tree -n a -n b', '-n is given twice, the second time as "b"'],
  ])('%s is refused in one sentence', (line, text) => {
    expect(sentence(line)).toMatch(new RegExp(`^multicluster-engine: ${text}\\n$`));
  });
});

describe('a flag', () => {
  it.each([
    ['-n shop explain placement web', { command: 'explain', namespace: 'shop', placement: 'web' }],
    ['--namespace shop explain placement web', { command: 'explain', namespace: 'shop' }],
    ['--namespace=shop -o json tree placement web', { command: 'tree', namespace: 'shop', output: 'json' }],
    ['-A tree', { command: 'tree', allNamespaces: true }],
    ['--context c --as bob cluster remove a', { command: 'cluster remove', cluster: 'a' }],
    ['explain -n shop placement --nearest 3 web', { namespace: 'shop', placement: 'web', nearest: 3 }],
    ['explain -n=shop -o=json fpl/web', { namespace: 'shop', output: 'json' }],
    ['explain -nshop -ojson fpl/web', { namespace: 'shop', output: 'json' }],
    ['tree -A=false', { allNamespaces: false }],
    ['tree -Ao=name', { allNamespaces: true, output: 'name' }],
    ['tree -Ao name', { allNamespaces: true, output: 'name' }],
    ['explain -n shop -- placement web', { namespace: 'shop', placement: 'web' }],
    ['drain a --timeout 1h30m', { timeoutMs: 5_400_000 }],
    ['tree --offline -f a -f b,c', { source: { kind: 'files', paths: ['a', 'b', 'c'] } }],
  ])('%s is read as kubectl reads it', (line, expected) => {
    expect(read(line)).toMatchObject(expected);
  });

  it.each([
    ['-n shop', 'no command after "-n" (see multicluster-engine --help)'],
    ['--nonsense tree', 'unknown flag "--nonsense" (see multicluster-engine tree --help)'],
    ['nonsense', 'unknown command "nonsense" (see multicluster-engine --help)'],
    ['tree -l a=b', 'unknown flag "-l" (see multicluster-engine tree --help)'],
    ['explain -- placement web -n shop', 'wrong arguments "placement web -n shop"; want placement NAME'],
  ])('%s is refused in one sentence', (line, text) => {
    expect(sentence(line)).toBe(`multicluster-engine: ${text}\n`);
  });

  it.each(['help tree', '-n shop help tree', 'tree --help', '-n shop tree -h'])(
    '%s prints the help of the command',
    (line) => {
      expect(sentence(line)).toMatch(/^Usage: multicluster-engine tree /);
    },
  );
});

describe('a terminal', () => {
  it.each([
    [{ TERM: 'dumb' }, 'never'],
    [{ NO_COLOR: '1' }, 'never'],
    [{ NO_COLOR: '' }, 'auto'],
    [{ TERM: 'xterm' }, 'auto'],
  ])('with the variables %j the answer has colors: %s, and with --color=always it has', (env, color) => {
    expect(readConfig(['tree'], env)).toMatchObject({ color });
    expect(readConfig(['tree', '--color=always'], env)).toMatchObject({ color: 'always' });
  });
});

describe('files', () => {
  const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));
  const placement = path.join(root, 'examples', 'placement.yaml');
  const fleet = path.join(root, 'examples', 'fleet.yaml');
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'habits-'));
    const binding = { metadata: { name: 'a', namespace: 'other' }, spec: { clusterSet: 'a' } };
    const manifest = { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'ManagedClusterSetBinding', ...binding };
    writeFileSync(path.join(folder, 'binding.json'), JSON.stringify(manifest));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function run(line: string): { readonly code: number | null; readonly stderr: string } {
    const { status: code, stderr } = spawnSync(process.execPath, [main, ...line.split(' ')], {
      input: readFileSync(placement),
      encoding: 'utf8',
    });
    return { code, stderr };
  }

  it.each(['plan -f - -f -', 'tree --offline -f - -f -', 'plan --offline -f - --base -'])(
    '%s is refused as kubectl refuses it: the second - would read nothing',
    (line) => {
      expect(run(line).stderr).toContain(': standard input cannot be used for multiple arguments\n');
    },
  );

  it.each(['explain placement web', 'tree', 'plan', 'who-selects edge-1'])(
    '%s of files without clusters, sets and bindings says what the files lack, and how to get it',
    (line) => {
      const lacks =
        'the files hold no ManagedCluster, ManagedClusterSet, ManagedClusterSetBinding: add those of the hub';
      const how = '(kubectl get managedclusters,managedclustersets,managedclustersetbindings -A -o yaml)';

      const { stderr } = run(`${line} -n shop --offline -f ${placement}`);

      expect(stderr).toContain(`${lacks} ${how}, or ask the hub, without --offline\n`);
    },
  );

  it.each(['explain placement web', 'tree', 'plan'])('%s of files that hold all of it says nothing', (line) => {
    expect(run(`${line} -n shop --offline -f ${placement} -f ${fleet}`).stderr).toBe('');
  });

  it('a binding of another namespace is one that the files hold', () => {
    const binding = path.join(folder, 'binding.json');

    expect(run(`tree -n shop --offline -f ${placement} -f ${binding}`).stderr).toContain(
      'the files hold no ManagedCluster, ManagedClusterSet: add those of the hub',
    );
  });

  it('what moves a cursor in a name is printed as text', () => {
    const { code, stderr } = run('explain placement web --offline -f \u001b[2Jno\nfile');

    expect(code).toBe(1);
    expect(stderr).toMatch(/^multicluster-engine explain: [^\p{Cc}]+\n$/u);
  });
});
