import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { dump } from 'js-yaml';

import { packageRoot, releaseVersion } from '../src/runtime/process/build.js';

/** What a release adds to the manifest. */
export interface KrewRelease {
  /** Without a leading `v`. */
  readonly version: string;
  /** Address of the archive. */
  readonly uri: string;
  /** Of the archive, 64 hexadecimal digits. */
  readonly sha256: string;
  readonly homepage: string;
}

const SYSTEMS = ['linux', 'darwin'];

/**
 * The manifest of the kubectl plugin for krew: kind Plugin of krew.googlecontainertools.github.com/v1alpha2. The archive is the
 * npm package, whose files are below `package/`; the plugin needs Node, so that it is the same for every architecture.
 */
export function krewManifest({ version: release, uri, sha256, homepage }: KrewRelease): object {
  return {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'mce' },
    spec: {
      version: `v${release}`,
      homepage,
      shortDescription: 'Explain which clusters a Placement selects',
      description:
        'Shows for a hub of multicluster-engine why a Placement selects a cluster or not,\n' +
        'which Placements select a cluster, and whether the installation is in order.\n',
      caveats: 'This plugin needs Node.js 20.19 or newer in the PATH.\n',
      platforms: SYSTEMS.map((os) => ({
        selector: { matchLabels: { os } },
        uri,
        sha256,
        files: [{ from: 'package/*', to: '.' }],
        bin: 'dist/bundle/kubectl-mce.js',
      })),
    },
  };
}

/** Prints the manifest for an archive: `krew.js ARCHIVE URI HOMEPAGE`. */
function main([archive = '', uri = '', homepage = '']: readonly string[]): void {
  const sha256 = createHash('sha256')
    .update(readFileSync(path.resolve(packageRoot(), archive)))
    .digest('hex');
  process.stdout.write(dump(krewManifest({ version: releaseVersion(), uri, sha256, homepage }), { lineWidth: -1 }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
