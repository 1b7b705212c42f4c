import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ApiSession, type ApiAnswer } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { Standalone } from '../../support/processes/standalone.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

/** Many times what a test takes, in ms: machines and their disks are slow and busy. */
const LONG = 600_000;
const MAPS = '/api/v1/namespaces/default/configmaps';
/** More than an empty store needs, far less than a segment may have. */
const LIMIT = 3_000_000;
const limited = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0 ? it : it.skip;

let folder: string;
const running: Standalone[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'standalone-disk-'));
});

afterEach(async () => {
  for (const one of running.splice(0)) await one.kill();
  rmSync(folder, { recursive: true, force: true });
}, LONG);

async function start(): Promise<Standalone> {
  const standalone = await Standalone.start(folder);
  running.push(standalone);
  return standalone;
}

/** How one ends that does not come up, and what it says last. */
async function refused(): Promise<readonly unknown[]> {
  const standalone = await Standalone.launch(folder);
  running.push(standalone);
  return standalone.refusal();
}

function session(): ApiSession {
  const url = /server: (\S+)/.exec(readFileSync(path.join(folder, 'kubeconfig'), 'utf8'))?.[1] ?? '';
  return new ApiSession({
    url,
    caFile: path.join(folder, 'ca.crt'),
    token: readFileSync(path.join(folder, 'admin.token'), 'utf8').trim(),
  });
}

function create(api: ApiSession, name: string, size: number): Promise<ApiAnswer> {
  return api.call({ method: 'POST', path: MAPS, body: { metadata: { name }, data: { text: 'x'.repeat(size) } } });
}

async function names(api: ApiSession): Promise<string[]> {
  const { body } = await api.call({ path: MAPS });
  return (body.items ?? [])
    .map(({ metadata }) => metadata?.name ?? '')
    .filter((name) => name.startsWith('map-'))
    .sort();
}

/** A store that holds `map-0` … `map-9`, of a process that was killed; the file that they are in. */
async function filled(): Promise<string> {
  const standalone = await start();
  const api = session();
  for (let count = 0; count < 10; count++) expect((await create(api, `map-${count}`, 100)).status).toBe(201);
  await standalone.kill();
  const store = path.join(folder, 'store');
  const [segment = ''] = readdirSync(store)
    .filter((name) => name.startsWith('segment-'))
    .sort()
    .slice(-1);
  return path.join(store, segment);
}

const ALL = Array.from({ length: 10 }, (_, count) => `map-${count}`);

describe('a standalone whose disk is full', () => {
  limited(
    'a standalone whose disk is full refuses writes with 503, serves reads and watches, and accepts writes again when there is space',
    async () => {
      const { pid } = await start();
      const api = session();
      execFileSync('prlimit', ['--pid', String(pid), `--fsize=${LIMIT}:unlimited`]);
      const end = new AbortController();
      const watched: string[] = [];
      const watching = api.stream(
        `${MAPS}?watch=true`,
        (line) => watched.push(/"name":"(map-\d+)"/.exec(line)?.[1] ?? ''),
        end.signal,
      );
      const answered: string[] = [];
      let full: ApiAnswer | undefined;
      for (let count = 0; full === undefined && count < 100; count++) {
        const answer = await create(api, `map-${count}`, 200_000);
        if (answer.status === 201) answered.push(`map-${count}`);
        else full = answer;
      }

      expect(full?.body).toMatchObject({
        kind: 'Status',
        status: 'Failure',
        code: 503,
        reason: 'ServiceUnavailable',
        message: expect.stringContaining('the store is full'),
      });
      expect(answered.length).toBeGreaterThan(5);
      expect(await names(api)).toEqual([...answered].sort());
      expect((await create(api, 'map-1000', 200_000)).status).toBe(503);
      expect((await api.call({ path: '/readyz' })).status).toBe(200);

      execFileSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:unlimited']);
      expect((await create(api, 'map-1001', 200_000)).status).toBe(201);
      answered.push('map-1001');
      await waitFor(
        'the watch to tell of all',
        () =>
          [...new Set(watched)]
            .filter((name) => name !== '')
            .sort()
            .join() === [...answered].sort().join(),
      );
      end.abort();
      await watching;
      await running.pop()?.kill();
      await start();
      expect(await names(session())).toEqual([...answered].sort());
    },
    LONG,
  );
});

describe('a standalone that was killed', () => {
  it(
    'a standalone that was killed truncates what the kill left incomplete, and removes a snapshot that was not finished',
    async () => {
      const segment = await filled();
      const { size } = statSync(segment);
      writeFileSync(segment, Buffer.alloc(700, 0xa5), { flag: 'a' });
      const draft = path.join(path.dirname(segment), 'snapshot-000000000009.log.tmp');
      copyFileSync(segment, draft);
      truncateSync(draft, Math.floor(size / 2));
      await start();

      expect(await names(session())).toEqual(ALL);
      expect(readdirSync(path.dirname(segment)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    },
    LONG,
  );

  it(
    'a standalone does not start on a store that is damaged in the middle: it names file and offset, and changes nothing',
    async () => {
      const segment = await filled();
      const bytes = readFileSync(segment);
      const at = bytes.indexOf('"map-3"');
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      writeFileSync(segment, bytes);

      const message = expect.stringMatching(
        /^multicluster-engine standalone: \S+segment-\d+\.log is damaged at offset \d+: a record cannot be read, and a later one follows at offset \d+; nothing was changed: /,
      );
      expect(await refused()).toEqual([1, message]);
      expect(await refused()).toEqual([1, message]);
      expect(readFileSync(segment).equals(bytes)).toBe(true);

      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      writeFileSync(segment, bytes);
      await start();
      expect(await names(session())).toEqual(ALL);
    },
    LONG,
  );
});
