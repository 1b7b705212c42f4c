/**
 * The pages, charts and the bundle named a release of Kubernetes on which four of six CustomResourceDefinitions could not be
 * created, so that people were left with half an installation.
 * Right: one number in all places. It is proven in oldestkubernetes.slow.test.ts, with the packages of that release.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { OLDEST_KUBERNETES } from '../../src/api/names.js';
import { checkBefore } from '../../src/cli/check/pre.js';
import { preFacts } from '../support/builders/hubfacts.js';
import { root } from '../support/repository/root.js';

/** Each place that names the oldest release, and how. */
const PLACES: readonly (readonly [file: string, named: RegExp])[] = [
  ['docs/how-to/install.md', /Needs Kubernetes (\d+\.\d+) or newer/],
  ['docs/reference/platforms.md', /\| Kubernetes API of the hub \| (\d+\.\d+) and newer/],
  ['deploy/helm/multicluster-engine/Chart.yaml', /^kubeVersion: ">=(\d+\.\d+)\.0-0"$/m],
  ['deploy/helm/multicluster-engine-agent/Chart.yaml', /^kubeVersion: ">=(\d+\.\d+)\.0-0"$/m],
  ['deploy/olm/manifests/multicluster-engine.clusterserviceversion.yaml', /^ {2}minKubeVersion: (\d+\.\d+)\.0$/m],
];

describe('the oldest release of Kubernetes', () => {
  it.each(PLACES)('is the same in %s', (file, named) => {
    const [, found] = named.exec(readFileSync(path.join(root, file), 'utf8')) ?? [];

    expect(found).toBe(OLDEST_KUBERNETES);
  });

  it('is the release whose packages the program of the slow test has, every one of them', () => {
    const text = readFileSync(path.join(root, 'test/support/programs/oldestserver/go.mod'), 'utf8');
    const direct = text.slice(0, text.indexOf(')'));
    const versions = [...direct.matchAll(/k8s\.io\/\S+ v0\.(\d+)\.\d+/g)].map(([, minor]) => `1.${minor}`);

    expect(versions.length).toBeGreaterThan(3);
    expect(new Set(versions)).toEqual(new Set([OLDEST_KUBERNETES]));
  });

  it.each([
    [`v${OLDEST_KUBERNETES}.0`, 'Passed'],
    [`v${OLDEST_KUBERNETES}.14-eks-2d5f260`, 'Passed'],
    ['v1.36.3', 'Passed'],
    ['v2.0.0', 'Passed'],
    ['v1.29.15', 'Failed'],
    ['v1.9.0+k3s1', 'Failed'],
    ['', 'Failed'],
  ])('decides check --pre of the server %s: %s', (server, status) => {
    const found = checkBefore(preFacts({ server })).find(({ name }) => name === 'server');

    expect(found).toMatchObject({ status, message: expect.stringContaining(server) });
  });
});
