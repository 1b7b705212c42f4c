import { expect, it } from '@jest/globals';
import { compareKubeVersions } from '../../src/schema/custom/kubeversion.js';

it('API versions are ordered by stage, then by number, and other names follow alphabetically', () => {
  const ordered = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10'];

  expect([...ordered].reverse().sort(compareKubeVersions)).toEqual(ordered);
});
