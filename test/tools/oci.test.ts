import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { readDockerfile } from '../../tools/image/dockerfile.js';
import { writeArchive } from '../../tools/image/oci.js';
import { unpackImage } from '../support/rehearsal/image.js';

const DOCKERFILE = `# syntax=any
ARG VERSION
FROM other AS build
USER 1:1
FROM scratch
LABEL a="$VERSION" \\
      b="$NONE" c="text"
ENV PATH=/bin \\
    HOME=/data
USER 65532:65532
HEALTHCHECK --interval=30s --start-period=2m CMD ["node", "/health.js"]
ENTRYPOINT ["node", "/main.js"]
`;

describe('an OCI archive', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'oci-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(name: string): string {
    const layers = ['program', 'data'].map((one) => path.join(folder, name, one));
    for (const one of layers) mkdirSync(path.join(one, path.basename(one)), { recursive: true });
    writeFileSync(path.join(layers[0] ?? '', 'program', 'main.js'), '1', { mode: 0o644 });
    const stage = readDockerfile(DOCKERFILE).at(-1);
    if (stage === undefined) throw new Error('no stage');
    return writeArchive({
      file: path.join(folder, `${name}.tar`),
      stage,
      args: { VERSION: '1.2.3' },
      layers: layers.map((one, index) => ({ folder: one, owner: index === 0 ? '0:0' : '65532:65532' })),
      created: '2026-01-01T00:00:00Z',
      architecture: 'amd64',
    });
  }

  it('an OCI archive has the configuration of the last stage of the Dockerfile, with its arguments', () => {
    write('a');
    const { config } = unpackImage(path.join(folder, 'a.tar'), path.join(folder, 'out'));

    expect(config).toMatchObject({ os: 'linux', architecture: 'amd64', created: '2026-01-01T00:00:00Z' });
    expect(config.config).toEqual({
      User: '65532:65532',
      Env: ['PATH=/bin', 'HOME=/data'],
      Entrypoint: ['node', '/main.js'],
      Labels: { a: '1.2.3', c: 'text' },
      Healthcheck: { Test: ['CMD', 'node', '/health.js'], Interval: 30e9, StartPeriod: 120e9 },
    });
  });

  it('an OCI archive has the files of each layer with its owner, at the time of the image', () => {
    const digest = write('a');
    const image = unpackImage(path.join(folder, 'a.tar'), path.join(folder, 'out'));
    const file = path.join(image.root, 'program', 'main.js');

    expect(image.digest).toBe(digest);
    expect(readFileSync(file, 'utf8')).toBe('1');
    expect(statSync(file).mtimeMs).toBe(Date.parse('2026-01-01T00:00:00Z'));
    if (process.getuid?.() === 0) expect(statSync(path.join(image.root, 'data')).uid).toBe(65_532);
  });

  it('an OCI archive of the same content has the same bytes', () => {
    expect(write('a')).toBe(write('b'));
    expect(readFileSync(path.join(folder, 'a.tar')).equals(readFileSync(path.join(folder, 'b.tar')))).toBe(true);
  });
});
