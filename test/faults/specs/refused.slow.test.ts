/**
 * The memory server decides which specs the controllers get at all: what it takes and what it refuses, and with which words, has
 * to be what kube-apiserver takes and refuses.
 */
import { beforeAll, expect, it } from '@jest/globals';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';

import { collectionPath, objectPath } from '../../../src/runtime/client/path.js';
import { field, recordsIn, type JsonRecord } from '../../../src/runtime/vocabulary/json.js';
import { manifest } from '../scenarios/engine/words.js';
import { changeText } from './forms.js';
import { RESTORED, subresourceOf, WRITTEN, type Subject } from './subjects.js';
import { Tries } from './tries.js';

const SAMPLE = 200;
const LONG_MS = 600_000;
const NAMESPACE = 'specs';

interface Asked {
  readonly text: string;
  readonly value: unknown;
  readonly code: number;
  readonly answer: JsonRecord;
}

/** The good value of each subject, and what the memory server answers to changes of it. The simulation needs a process without sockets. */
async function sampled(): Promise<readonly { subject: Subject; good: unknown; asked: readonly Asked[] }[]> {
  const tries = await Tries.start();
  const dice = new Dice(1);
  const all = [...WRITTEN, ...RESTORED];
  const samples: { subject: Subject; good: unknown; asked: readonly Asked[] }[] = [];
  for (const subject of all) {
    const changes = await tries.changes(subject);
    const asked: Asked[] = [];
    const share = process.env['NIGHTLY'] === 'true' ? changes.length : Math.ceil(SAMPLE / all.length);
    for (const change of dice.some(changes, share)) {
      const value = await tries.changed(subject, [change]);
      asked.push({ text: changeText(change), value, ...(await tries.ask(subject, value)) });
    }
    samples.push({ subject, good: await tries.changed(subject, []), asked });
  }
  await tries.close();
  return samples;
}

const samples = await sampled();

describeWithServer('specs on kube-apiserver', { real: true, own: true }, (server) => {
  beforeAll(async () => {
    await installCrds(server(), 'crds');
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
    await server().call({ method: 'POST', path: '/api/v1/namespaces', body });
  }, LONG_MS);

  const nameOf = ({ type, object }: Subject): Subject['object'] =>
    type.namespaced ? { ...object, namespace: NAMESPACE } : object;

  /** Puts the part there as it is when it is good, and returns what is stored. */
  async function prepared(subject: Subject, value: unknown): Promise<JsonRecord> {
    const { type, part } = subject;
    const name = nameOf(subject);
    const spec = type.kind === 'ManagedClusterSetBinding' ? { spec: { clusterSet: name.name } } : {};
    const good = { ...spec, [part]: value };
    await server().call({ method: 'DELETE', path: objectPath(type, name) });
    const path = collectionPath(type, name.namespace);
    const made = await server().call({ method: 'POST', path, body: manifest(type, name, good) });
    expect([made.status, made.status === 201 ? '' : made.text]).toEqual([201, '']);
    if (subresourceOf(subject) === undefined) return made.body;
    const body = { ...made.body, ...good };
    const put = await server().call({ method: 'PUT', path: objectPath(type, name, 'status'), body });
    expect([put.status, put.status === 200 ? '' : put.text]).toEqual([200, '']);
    return put.body;
  }

  it(
    'specs as nobody writes them get the same answer from both servers',
    async () => {
      const differences: string[] = [];
      // kube-apiserver has no order of the fields of an object, and the message is that of all causes.
      const told = ({ details }: JsonRecord): string =>
        recordsIn(field(details, 'causes'))
          .map((one) => JSON.stringify(one))
          .sort()
          .join();
      for (const { subject, good, asked } of samples) {
        const stored = await prepared(subject, good);
        const path = `${objectPath(subject.type, nameOf(subject), subresourceOf(subject))}?dryRun=All`;
        for (const { text, value, code, answer } of asked) {
          const real = await server().call({ method: 'PUT', path, body: { ...stored, [subject.part]: value } });
          const isSame = code === real.status && (code < 300 || told(answer) === told(real.body));
          if (!isSame)
            differences.push(
              `${subject.name} ${text}: ${code} ${told(answer)}, and really ${real.status} ${told(real.body)}`,
            );
        }
      }
      expect(differences).toEqual([]);
    },
    LONG_MS,
  );
});
