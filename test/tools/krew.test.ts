import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';

import { krewManifest } from '../../tools/krew.js';
import { root } from '../support/repository/root.js';

const PACKAGE = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
};
const PROGRAM = fileURLToPath(new URL('../../tools/krew.js', import.meta.url));
const RELEASE = {
  version: PACKAGE.version,
  uri: 'https://example.com/multicluster-engine.tgz',
  sha256: 'a'.repeat(64),
  homepage: 'https://example.com',
};

const text = { type: 'string', minLength: 1 };
const strict = (properties: object, required: readonly string[]): object => {
  return { type: 'object', additionalProperties: false, required, properties };
};

/** The fields of https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest, with the rules of `validate-krew-manifest`. */
const SCHEMA = strict(
  {
    apiVersion: { const: 'krew.googlecontainertools.github.com/v1alpha2' },
    kind: { const: 'Plugin' },
    metadata: strict({ name: { type: 'string', pattern: '^[\\w-]+$' } }, ['name']),
    spec: strict(
      {
        version: { type: 'string', pattern: '^v\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$' },
        homepage: { type: 'string', pattern: '^https://' },
        shortDescription: { type: 'string', minLength: 1, maxLength: 50, pattern: '^[^\\n]*[^.\\n]$' },
        description: text,
        caveats: text,
        platforms: {
          type: 'array',
          minItems: 1,
          items: strict(
            {
              selector: strict(
                { matchLabels: strict({ os: { enum: ['linux', 'darwin', 'windows'] }, arch: text }, []) },
                ['matchLabels'],
              ),
              uri: { type: 'string', pattern: '^https://' },
              sha256: { type: 'string', pattern: '^[a-f0-9]{64}$' },
              files: { type: 'array', minItems: 1, items: strict({ from: text, to: text }, ['from', 'to']) },
              bin: text,
            },
            ['selector', 'uri', 'sha256', 'bin'],
          ),
        },
      },
      ['version', 'homepage', 'shortDescription', 'platforms'],
    ),
  },
  ['apiVersion', 'kind', 'metadata', 'spec'],
);

const validate = new Ajv({ allErrors: true }).compile(SCHEMA);

describe('the manifest for krew', () => {
  it('the manifest has the documented fields, and no others', () => {
    expect([validate(krewManifest(RELEASE)), validate.errors]).toEqual([true, null]);
    expect(validate(krewManifest({ ...RELEASE, sha256: 'x' }))).toBe(false);
  });

  it('the plugin is the program that npm installs as kubectl-mce', () => {
    const { spec } = krewManifest(RELEASE) as { spec: { platforms: readonly { bin: string }[] } };

    expect(new Set(spec.platforms.map(({ bin }) => bin))).toEqual(new Set([PACKAGE.bin['kubectl-mce']]));
  });

  it('the tool prints the manifest with the SHA-256 of the archive', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'krew-'));
    const archive = path.join(folder, 'archive.tgz');
    writeFileSync(archive, 'abc');
    const { stdout } = spawnSync(process.execPath, [PROGRAM, archive, RELEASE.uri, RELEASE.homepage], {
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });

    const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(load(stdout)).toEqual(krewManifest({ ...RELEASE, sha256 }));
  });
});
