/*
 * What people did: they piped the output of a command into `cat`, `head`, `jq`, a CI log or a file on a full disk. Of 147,715
 * bytes 65,536 arrived, JSON was cut in the middle, and the exit code was that of a command that had done all.
 * What is right: every byte arrives, or the exit code is not 0. As kubectl does it: a slow reader is waited for, a reader that
 * goes away ends the command with 141 and without a word, a full disk with 1 and one line, and a closed standard output is the
 * null device.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../src/api/resources.js';
import { apiVersionOf } from '../../src/runtime/vocabulary/kinds.js';
import type { KubeObject, ResourceType } from '../../src/runtime/vocabulary/meta.js';
import { rawBinding, rawCluster, rawDecision, rawPlacement, rawSet } from '../support/builders/world.js';
import { root } from '../support/repository/root.js';

const PROGRAM = path.join(root, 'dist', 'src', 'main.js');
const CLUSTERS = 3_000;
/** Clusters of a PlacementDecision, at most. */
const DECIDED = 100;
/** As long as the name of an object may be. */
const NAME = 'cluster-'.repeat(31);
/** Far more than a pipe holds. */
const LEAST_BYTES = 10 * 65_536;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'field-output-'));
  const names = Array.from({ length: CLUSTERS }, (_, at) => `${NAME}${at}`);
  const decisions = Array.from({ length: CLUSTERS / DECIDED }, (_, at) =>
    rawDecision(at + 1, names.slice(at * DECIDED, (at + 1) * DECIDED)),
  );
  const objects = [
    ...typed(
      ManagedClusters,
      names.map((name) => rawCluster(name, { set: 'production' })),
    ),
    ...typed(ManagedClusterSets, [rawSet('production')]),
    ...typed(ManagedClusterSetBindings, [rawBinding('production')]),
    ...typed(Placements, [rawPlacement({})]),
    ...typed(PlacementDecisions, decisions),
  ];
  writeFileSync(path.join(folder, 'fleet.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function typed(type: ResourceType, objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.map((one) => ({ ...one, apiVersion: apiVersionOf(type), kind: type.kind }));
}

/** Flags of a descriptor with O_NONBLOCK, in octal. */
const NON_BLOCKING = /[4567]\d{3}$/;
/** Node does it to the pipes of its standard streams until it ends, and so does ssh. */
const MAKE_NON_BLOCKING = `make_non_blocking() {
  exec 3<&0; node -e "process.$2; setInterval(() => undefined, 1000)" <&3 & other=$!
  until grep -qE 'flags:.*${NON_BLOCKING.source.replace('\\d', '[0-7]')}' /proc/$BASHPID/fdinfo/$1; do :; done
}`;

/** A script of bash, in which `$mce` is the program, `$fleet` the file of the fleet, and `$cluster` one of its clusters. */
function bash(script: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    mce: `${process.execPath} ${PROGRAM}`,
    fleet: path.join(folder, 'fleet.json'),
    cluster: `${NAME}0`,
  };
  return spawnSync('bash', ['-c', `${MAKE_NON_BLOCKING}\n${script}`], {
    encoding: 'utf8',
    env,
    timeout: 120_000,
    maxBuffer: 2 ** 26,
  });
}

const EXPLAIN = 'explain placement web -n shop --offline -f $fleet';
/** A document, and lines. */
const LONG = [`${EXPLAIN} -o json`, 'plan --offline --base $fleet --delete mclset/production -o wide'];
/** One of each way to print. */
const SHORT = [
  '--help',
  'version',
  'help plan',
  'completion bash',
  '__complete pl',
  'status --offline -f $fleet',
  'who-selects $cluster --offline -f $fleet',
];

describe('the output of a command', () => {
  it.each(LONG)('all of the output of %s arrives in a pipe, with the exit code of a file', (command) => {
    const script = `$mce ${command} > ${folder}/file; echo $? $(wc -c < ${folder}/file)
      $mce ${command} | cat > ${folder}/pipe; echo \${PIPESTATUS[0]} $(wc -c < ${folder}/pipe)`;

    const [file = '', pipe = ''] = bash(script).stdout.split('\n');

    expect(pipe).toBe(file);
    expect(Number(file.split(' ')[1])).toBeGreaterThan(LEAST_BYTES);
    expect(readFileSync(`${folder}/pipe`).equals(readFileSync(`${folder}/file`))).toBe(true);
  });

  it('all of it arrives in a pipe that another process has made non-blocking', () => {
    const { stdout, stderr } = bash(
      `{ make_non_blocking 1 stdout; $mce ${EXPLAIN} -o json; echo $? >&2; kill $other; } | cat`,
    );

    expect(stderr).toBe('0\n');
    expect(stdout).toBe(bash(`$mce ${EXPLAIN} -o json`).stdout);
    expect(stdout.length).toBeGreaterThan(LEAST_BYTES);
  });

  it('a reader that goes away ends the command as it ends kubectl: 141, and nothing on standard error', () => {
    const kubectl = bash('kubectl completion bash | true; echo ${PIPESTATUS[0]}');

    const ours = bash(`$mce ${EXPLAIN} -o json | head -c 1 > /dev/null; echo \${PIPESTATUS[0]}`);

    expect(ours).toMatchObject({ stdout: kubectl.stdout, stderr: '' });
    expect(kubectl.stdout).toBe('141\n');
  });

  it.each([`${EXPLAIN} -o json`, ...SHORT])('%s on a full disk ends with 1 and one line, as kubectl', (command) => {
    const { status, stderr } = bash(`$mce ${command} > /dev/full`);

    expect([status, stderr.split('\n').length, stderr]).toEqual([
      bash('kubectl completion bash > /dev/full 2> /dev/null').status,
      2,
      expect.stringMatching(/^multicluster-engine.*: standard output cannot be written: no space left on device/),
    ]);
  });

  it('a full disk is an error also where standard error is on it', () => {
    expect(bash('$mce version > /dev/full 2>&1').status).toBe(1);
  });

  it('a closed standard output is the null device, as for kubectl', () => {
    const kubectl = bash('kubectl completion bash >&-');

    expect(bash(`$mce ${EXPLAIN} >&-`)).toMatchObject({ status: kubectl.status, stderr: kubectl.stderr });
  });
});

describe('a pipe that is shared with other processes', () => {
  it('a command does not make it non-blocking: what the others write arrives whole', () => {
    // The watcher has the same pipe as the command.
    const watch = 'while kill -0 $! 2> /dev/null; do grep flags /proc/self/fdinfo/1; done';

    const { stdout } = bash(
      `($mce plan --offline --base $fleet --delete mclset/production -o name & ${watch}) 2>&1 | cat`,
    );

    const flags = new Set(stdout.match(/^flags:\s*\d+$/gm));
    expect([...flags].filter((line) => NON_BLOCKING.test(line))).toEqual([]);
    expect(flags.size).toBeGreaterThan(0);
  });

  it('standard input that another process has made non-blocking is read to its end, however slowly it is written', () => {
    const write = `node -e 'const bytes = fs.readFileSync("'$fleet'"); let at = 0;
      const piece = () => { fs.writeSync(1, bytes.subarray(at, at += 512)); if (at < bytes.length) setImmediate(piece); };
      piece()'`;
    const read = `{ make_non_blocking 0 stdin; $mce ${EXPLAIN.replace('$fleet', '-')}; echo $?; kill $other; }`;

    const { stdout, stderr } = bash(`${write} | ${read}`);

    expect(stderr).toBe('');
    expect(stdout).toBe(`${bash(`$mce ${EXPLAIN}`).stdout}0\n`);
  });
});
