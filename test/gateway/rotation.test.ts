import { X509Certificate } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { afterEach, describe, expect, it } from '@jest/globals';

import type { ServingCertificate } from '../../src/runtime/tls/serving.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { mustConform } from './openapi/conformance.js';
import { ENGINE_YAML, ENGINES, pairFor, PLACEMENTS, startRig, type Rig } from './rig.js';
import { open, readReplies } from './rawclient.js';

let rig: Rig | undefined;

afterEach(async () => {
  await rig?.stop();
  rig = undefined;
});

/** Replaces files one after the other, each atomically. */
function put(one: Rig, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(one.folder, 'next'), text, { mode: 0o600 });
    renameSync(path.join(one.folder, 'next'), path.join(one.folder, name));
  }
}

function serving({ certificate, privateKey }: ServingCertificate): Record<string, string> {
  return { 'tls.crt': certificate, 'tls.key': privateKey };
}

/** The certificate that the server presents on a new connection. */
async function shown(one: Rig, ca: string): Promise<string> {
  const socket = await open({ ...one.wire, ca, tls: { rejectUnauthorized: false } });
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

interface Load {
  /** Waits for so many further requests. */
  more(count: number): Promise<void>;
  /** Failed requests. */
  stop(): Promise<readonly string[]>;
}

/** Sends requests over persistent and over new connections until it is stopped. */
function load(one: Rig, workers: number): Load {
  let going = true;
  let asked = 0;
  const wrong: string[] = [];
  const work = async (index: number): Promise<void> => {
    while (going) {
      asked += 1;
      const ask =
        index % 2 === 0
          ? { path: PLACEMENTS }
          : { method: 'POST', path: ENGINES, headers: { 'content-type': 'application/yaml' }, body: ENGINE_YAML };
      const outcome = await one.ask(ask).then(({ status }) => String(status), String);
      if (outcome !== '200') wrong.push(outcome);
    }
  };
  const all = Promise.all(Array.from({ length: workers }, (_, index) => work(index)));
  return {
    async more(count) {
      const until = asked + count;
      await waitFor(`${count} more requests`, () => asked >= until, { everyMs: 2 });
    },
    async stop() {
      going = false;
      await all;
      return wrong;
    },
  };
}

describe('a renewed certificate', () => {
  it('a renewed certificate is used for new connections while open ones continue, and no request under load fails', async () => {
    rig = await startRig();
    const one = rig;
    const kept = await open(one.wire);
    // The load keeps these connections: a new one would be refused by its client, which trusts the first certificate.
    await Promise.all(Array.from({ length: 8 }, () => one.ask({ path: PLACEMENTS })));
    const traffic = load(one, 8);

    for (let round = 0; round < 5; round++) {
      const next = await pairFor();
      put(one, serving(next));
      const { fingerprint256 } = new X509Certificate(next.certificate);
      await waitFor('the new certificate', async () => (await shown(one, next.certificate)) === fingerprint256, {
        everyMs: 10,
      });
      await traffic.more(20);
    }

    const wrong = await traffic.stop();
    const { replies } = await readReplies(kept, () => kept.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    kept.destroy();
    for (const one of replies) mustConform('GET', '/livez', one);
    expect(wrong).toEqual([]);
    expect(replies).toMatchObject([{ status: 200 }]);
    expect(String(await one.metrics.text())).toMatch(
      /multicluster_gateway_reloads_total\{file="certificate",result="used"\} 5/,
    );
  });

  it.each<[string, (pair: ServingCertificate, other: ServingCertificate) => Record<string, string>]>([
    ['whose key is another', (pair, other) => ({ 'tls.crt': pair.certificate, 'tls.key': other.privateKey })],
    ['that is no certificate', () => ({ 'tls.crt': 'nonsense' })],
    ['that is empty', () => ({ 'tls.crt': '' })],
    ['whose key is no key', () => ({ 'tls.key': 'nonsense' })],
  ])('a renewed certificate %s is not used: the previous one stays in use', async (_what, files) => {
    rig = await startRig();
    const one = rig;
    const before = await shown(one, one.certificate.certificate);

    put(one, files(await pairFor(), await pairFor()));

    await waitFor('the complaint', () =>
      one.log.lines.some(
        ({ level, message }) =>
          level === 'warn' && message === 'changed files cannot be used; the previous ones stay in use',
      ),
    );
    expect(await shown(one, one.certificate.certificate)).toBe(before);
    expect(one.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(JSON.stringify(one.log.lines)).not.toContain('PRIVATE KEY');
    const good = await pairFor();
    put(one, serving(good));
    await waitFor('a good one', async () => (await shown(one, good.certificate)) !== before);
  });
});

describe('a renewed CA of the API server', () => {
  it('a renewed CA of the API server is trusted from the next call on, and no request under load fails', async () => {
    rig = await startRig();
    const one = rig;
    const old = one.upstream.certificate.certificate;
    const next = await pairFor();
    const traffic = load(one, 8);

    put(one, { 'ca.crt': old + next.certificate });
    await waitFor('both authorities', async () =>
      (await one.metrics.text()).includes('file="upstream-ca",result="used"} 1'),
    );
    await traffic.more(20);
    one.upstream.present(next);
    put(one, { 'ca.crt': next.certificate });
    await waitFor('the new one alone', async () =>
      (await one.metrics.text()).includes('file="upstream-ca",result="used"} 2'),
    );

    await traffic.more(50);
    expect(await traffic.stop()).toEqual([]);
    expect((await one.ask({ path: PLACEMENTS })).status).toBe(200);
  });

  it('a renewed CA of the API server that is not a certificate is not used: the previous one stays in use', async () => {
    rig = await startRig();
    const one = rig;

    put(one, { 'ca.crt': 'nonsense' });

    await waitFor('the complaint', () => one.log.lines.some(({ level }) => level === 'warn'));
    expect((await one.ask({ path: PLACEMENTS })).status).toBe(200);
  });
});

describe('a gateway that is stopped by a signal', () => {
  it('a gateway that is stopped by a signal completes requests in progress and accepts no new connection', async () => {
    rig = await startRig();
    const one = rig;
    const stop = new AbortController();
    const run = one.gateway.run(stop.signal);
    const pending: (() => void)[] = [];
    const answer = one.upstream.script;
    one.upstream.script = (request, socket) => void pending.push(() => answer(request, socket));
    const asked = one.ask({ path: PLACEMENTS }).catch(String);
    await waitFor('the call upstream', () => pending.length === 1);

    stop.abort();

    await waitFor('the end to begin', () => one.gateway.readiness().check() === 'shutting down', { everyMs: 1 });
    for (const go of pending) go();
    expect(await asked).toMatchObject({ status: 200 });
    expect(await run).toBe(true);
    await expect(open(one.wire)).rejects.toThrow(/ECONNREFUSED/);
    rig = undefined;
    await one.upstream.stop();
  });
});
