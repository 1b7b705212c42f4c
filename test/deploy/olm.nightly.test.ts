import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { describeWithBuiltProgram } from '../support/programs/built.js';
import { root } from '../support/repository/root.js';

describeWithBuiltProgram('operator-verify', 'operator-verify', (run) => {
  let folder = '';
  const file = (): string => path.join(folder, 'manifests', 'multicluster-engine.clusterserviceversion.yaml');

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-olm-'));
    // As bundle.Dockerfile copies them.
    const manifests = path.join(folder, 'manifests');
    mkdirSync(manifests);
    cpSync(path.join(root, 'crds'), manifests, { recursive: true });
    cpSync(path.join(root, 'deploy/olm/manifests'), manifests, { recursive: true });
    cpSync(path.join(root, 'deploy/olm/metadata'), path.join(folder, 'metadata'), { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The errors that the validation prints; its exit code is 0 even where there are some. */
  function errors(): readonly string[] {
    const { code, output } = run(['manifests', '--operatorhub_validate', '--object_validate', folder]);
    if (code !== 0) throw new Error(`operator-verify ended with ${code}: ${output}`);
    return output.split('\n').filter((line) => line.includes('level=error'));
  }

  it('the validation of the Operator Framework finds no error in the bundle', () => {
    expect(errors()).toEqual([]);
  });

  it.each([
    ['kind: Placement\n', 'kind: Plaecment\n', 'not found in bundle'],
    ['capabilities: Basic Install', 'capabilities: Perfect', 'not a valid capabilities level'],
  ])('the validation of the Operator Framework reports %j that was changed to %j', (right, wrong, error) => {
    const text = readFileSync(file(), 'utf8');
    expect(text).toContain(right);
    writeFileSync(file(), text.replace(right, wrong));
    const found = errors();
    writeFileSync(file(), text);

    expect(found).toEqual(expect.arrayContaining([expect.stringContaining(error)]));
  });
});
