import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot, version } from '../../../src/runtime/process/build.js';
import { root } from '../../support/repository/root.js';

describe('the package', () => {
  it('the package is found wherever the program is', () => {
    expect(packageRoot()).toBe(root);
    expect(existsSync(path.join(packageRoot(), 'package.json'))).toBe(true);
    expect(version()).toMatch(/^\d+\.\d+\.\d+/);
  });
});
