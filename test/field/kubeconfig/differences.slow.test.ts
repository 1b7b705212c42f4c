/**
 * What people did: `KUBECONFIG=hub.yaml:edge.yaml multicluster-engine cluster add …`. kubectl takes the first current-context,
 * the command line took the last, and joined a cluster to itself. Right: a kubeconfig means what it means to kubectl, in every
 * part; what kubectl refuses is refused. Each configuration is given to kubectl and to the product, and what an API server saw
 * of both is compared.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeWithKubectl } from '../../support/clients/kubectl.js';
import { CASES, seededCase, type Case } from './cases.js';
import { askByKubectl, askByProduct, pluginRuns, readByKubectl, refusals, write, type Read } from './clients.js';
import { runs } from '../../support/runs.js';
import { Recorder, type Seen } from './recorder.js';

const SEEDS = runs(25);
/** Most of the time kubectl waits. */
const WORKERS = 6;

interface Result {
  readonly name: string;
  /** undefined: refused. */
  readonly kubectl: Seen | undefined;
  readonly product: Seen | undefined;
  /** How often a plugin was run. */
  readonly kubectlRuns: number;
  readonly productRuns: number;
  readonly view: Read | undefined;
  readonly read: Read | undefined;
}

const results: Result[] = [];

async function compare(one: Case, recorder: Recorder, words: Readonly<Record<string, string>>): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kubeconfig-'));
  try {
    const written = await write(one, folder, words);
    const isAnswered = await askByKubectl(written);
    const [kubectl] = recorder.take();
    const kubectlRuns = await pluginRuns(written);
    const view = await readByKubectl(written);
    const read = await askByProduct(written);
    const [product] = recorder.take();
    const productRuns = (await pluginRuns(written)) - kubectlRuns;
    return {
      name: one.name,
      kubectl: isAnswered ? kubectl : undefined,
      product: read === undefined ? undefined : product,
      kubectlRuns,
      productRuns,
      view,
      read,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Takes cases from the list until it is empty. */
async function compareAll(left: Case[]): Promise<void> {
  const recorder = new Recorder();
  const words = await recorder.start();
  try {
    for (let one = left.pop(); one !== undefined; one = left.pop()) results.push(await compare(one, recorder, words));
  } finally {
    await recorder.stop();
  }
}

describeWithKubectl('kubeconfig, read by kubectl and by the product', () => {
  beforeAll(async () => {
    const left = [...CASES, ...Array.from({ length: SEEDS }, (_, seed) => seededCase(seed + 1))];
    await Promise.all(Array.from({ length: WORKERS }, () => compareAll(left)));
  }, 300_000);
  afterAll(() => void results.splice(0));

  it('an API server sees the same of both, or nothing of either', () => {
    const different = results.filter(({ kubectl, product }) => JSON.stringify(kubectl) !== JSON.stringify(product));

    expect(
      different.map(({ name, kubectl, product }) => ({ name, kubectl, product, why: refusals.get(name) })),
    ).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(160);
    expect(results.filter(({ kubectl }) => kubectl !== undefined).length).toBeGreaterThanOrEqual(80);
    expect(results.filter(({ kubectl }) => kubectl === undefined).length).toBeGreaterThanOrEqual(50);
  });

  it('a plugin is run as often by both, also where it fails', () => {
    const counts = results.map(({ name, kubectlRuns, productRuns }) => ({ name, kubectlRuns, productRuns }));

    expect(counts.filter((one) => one.kubectlRuns !== one.productRuns)).toEqual([]);
    expect(counts.filter((one) => one.kubectlRuns > 0).length).toBeGreaterThanOrEqual(8);
  });

  it('both take the same from the files, where kubectl shows it', () => {
    const both = results.filter(({ view, read }) => view !== undefined && read !== undefined);

    expect(both.length).toBeGreaterThanOrEqual(60);
    const compared = both.map(({ name, view, read }) => {
      const token = view?.token === '' ? { token: '' } : {};
      return { kubectl: { name, ...view }, product: { name, ...read, ...token } };
    });
    expect(compared.map(({ product }) => product)).toEqual(compared.map(({ kubectl }) => kubectl));
  });
});
