import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../../src/runtime/process/build.js';
import { nodeFault } from '../../../src/runtime/process/nodeversion.js';

describe('the release of Node', () => {
  it.each(['16.20.2', '18.20.8', '20.18.9'])('Node %s is refused in one line that says what is needed', (release) => {
    expect(nodeFault(release)).toBe(`needs Node 20.19 or newer, this is ${release} (${process.execPath})`);
  });

  it.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0', process.versions.node])('Node %s is accepted', (release) => {
    expect(nodeFault(release)).toBeUndefined();
  });

  it('the oldest release of Node is that of package.json', () => {
    const manifest: unknown = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'));

    expect(manifest).toMatchObject({ engines: { node: '>=20.19' } });
  });
});
