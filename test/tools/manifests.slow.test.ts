import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';

import { OPERATOR_SERVICE_ACCOUNT } from '../../src/api/names.js';
import { NO_IMAGE } from '../../src/api/published.js';
import { describeWithKubectl, pathWithKubectl } from '../support/clients/kubectl.js';
import { isDeployment } from '../support/hub/deployment.js';
import { describeWithPrograms, runProgram } from '../support/programs/programs.js';
import { root } from '../support/repository/root.js';

const run = promisify(execFile);
const OVERLAYS = ['default', 'ha', 'namespaced', 'openshift'];
const IMAGES = [
  'registry.example.com/fleet/engine:9.9.9',
  'localhost:5000/engine@sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
  'engine:1.2.3@sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
];

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'multicluster-engine-manifests-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The text that tools/manifests.sh writes. */
async function rendered(overlay: string, image = ''): Promise<string> {
  const file = path.join(folder, `${overlay}.yaml`);
  await run('bash', [path.join(root, 'tools/manifests.sh'), file, overlay, image], {
    env: { ...process.env, PATH: pathWithKubectl() },
  });
  return readFile(file, 'utf8');
}

/** The images of the operator and, by its environment, of the components. */
function imagesIn(text: string): unknown[] {
  const operator = loadAll(text)
    .filter(isDeployment)
    .find(({ metadata }) => metadata.name === OPERATOR_SERVICE_ACCOUNT);
  const containers: readonly { readonly image?: string; readonly env?: readonly object[] }[] =
    operator?.spec.template.spec.containers ?? [];
  return containers.flatMap(({ image, env = [] }) => [
    image,
    ...env.filter((one) => 'name' in one && one.name === 'MULTICLUSTER_ENGINE_IMAGE'),
  ]);
}

const NO_IMAGES = [
  'a b',
  ':tag',
  'a:b:c',
  'https://registry.example.com/engine:1',
  'engine@sha256:4f53',
  'REGISTRY/multicluster-engine:TAG',
  `engine'; touch F; '`,
];

const both = (image: unknown): unknown[] => [image, { name: 'MULTICLUSTER_ENGINE_IMAGE', value: image }];

describeWithKubectl('tools/manifests.sh', () => {
  it.each(NO_IMAGES)('tools/manifests.sh refuses the image %j in one line and writes nothing', async (image) => {
    const file = path.join(folder, 'refused.yaml');
    const args = [path.join(root, 'tools/manifests.sh'), file, 'default', image];

    await expect(run('bash', args)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^manifests: IMAGE ".*" is no image reference: [^\n]+\n$/),
    });
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each(OVERLAYS)(
    'tools/manifests.sh gives the operator and the components of overlay %s one image',
    async (name) => {
      for (const image of IMAGES) expect(imagesIn(await rendered(name, image))).toEqual(both(image));
    },
  );

  it.each(OVERLAYS)('tools/manifests.sh changes nothing but the image of overlay %s', async (name) => {
    const [one, other] = [await rendered(name, 'one:1'), await rendered(name, 'other:1')];

    expect(other.replaceAll('other:1', 'one:1')).toBe(one);
    expect(one).not.toContain(NO_IMAGE);
  });

  it.each(OVERLAYS)(
    'tools/manifests.sh asks for an image where overlay %s names none, and writes nothing',
    async (name) => {
      await rm(path.join(folder, `${name}.yaml`), { force: true });

      await expect(rendered(name)).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^manifests: IMAGE is not set, [^\n]+\nmanifests: build it [^\n]+\n$/),
      });
      await expect(readFile(path.join(folder, `${name}.yaml`))).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  it('tools/manifests.sh writes the same bytes for the same input', async () => {
    expect(await rendered('default', IMAGES[0])).toBe(await rendered('default', IMAGES[0]));
  });

  it('tools/manifests.sh names the overlays where it is given an unknown one', async () => {
    await expect(rendered('nope')).rejects.toMatchObject({
      code: 2,
      stderr: 'manifests: there is no overlay nope; OVERLAY is one of: default ha namespaced openshift\n',
    });
  });
});

describeWithPrograms('kustomize edit set image', ['kustomize'], () => {
  /** A folder beside the overlays, with a copy of one or with a kustomization of its own. */
  async function overlay(source: { readonly copyOf: string } | { readonly text: string }): Promise<string> {
    const made = await mkdtemp(path.join(root, 'deploy', 'overlays', '.tried-'));
    if ('copyOf' in source) await cp(path.join(root, 'deploy', 'overlays', source.copyOf), made, { recursive: true });
    else await writeFile(path.join(made, 'kustomization.yaml'), source.text);
    return made;
  }

  async function edited(made: string): Promise<unknown[]> {
    try {
      await runProgram('kustomize', ['edit', 'set', 'image', `${NO_IMAGE}=${IMAGES[0] ?? ''}`], { cwd: made });
      return imagesIn(await runProgram('kustomize', ['build', made]));
    } finally {
      await rm(made, { recursive: true, force: true });
    }
  }

  it.each(OVERLAYS)('kustomize edit set image in a copy of overlay %s sets both images', async (name) => {
    expect(await edited(await overlay({ copyOf: name }))).toEqual(both(IMAGES[0] ?? ''));
  });

  it('kustomize edit set image in an overlay of a user sets both images', async () => {
    const page = await readFile(path.join(root, 'docs/how-to/install.md'), 'utf8');
    const text = /^```yaml\n(apiVersion: kustomize[\s\S]*?)^```$/m.exec(page)?.[1] ?? '';

    expect(await edited(await overlay({ text }))).toEqual(both(IMAGES[0] ?? ''));
  });
});
