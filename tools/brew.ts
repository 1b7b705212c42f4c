import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { packageRoot, releaseVersion } from '../src/runtime/process/build.js';

/** What a release adds to the formula. */
export interface BrewRelease {
  /** Without a leading `v`. */
  readonly version: string;
  /** Address of the archive, which is the npm package. */
  readonly uri: string;
  /** Of the archive, 64 hexadecimal digits. */
  readonly sha256: string;
  readonly homepage: string;
  /** The programs of the package, and the file of each. */
  readonly programs: Readonly<Record<string, string>>;
}

/**
 * The formula for Homebrew. The bundle in the archive needs no other package, so that npm is not called: the files are linked as
 * programs, with the completions of the shells.
 */
export function brewFormula({ version, uri, sha256, homepage, programs }: BrewRelease): string {
  const links = Object.entries(programs).map(([name, file]) => [ruby(file), ruby(name)] as const);
  return `class MulticlusterEngine < Formula
  desc "Explain which Kubernetes clusters a Placement selects"
  homepage ${ruby(homepage)}
  url ${ruby(uri)}
  version ${ruby(version)}
  sha256 ${ruby(sha256)}
  license "Apache-2.0"

  depends_on "node"

  def install
    libexec.install Dir["*"]
${links.map(([file, name]) => `    chmod 0755, libexec/${file}\n    bin.install_symlink libexec/${file} => ${name}`).join('\n')}
    generate_completions_from_executable(bin/"multicluster-engine", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/multicluster-engine version")
    assert_match "explain", shell_output("#{bin}/kubectl-mce --help")
  end
end
`;
}

/** A text between quotes. In Ruby a `#` may begin an expression. */
function ruby(text: string): string {
  return JSON.stringify(text).replaceAll('#', '\\#');
}

/** Prints the formula for an archive: `brew.js ARCHIVE URI HOMEPAGE`. */
function main([archive = '', uri = '', homepage = '']: readonly string[]): void {
  const root = packageRoot();
  const sha256 = createHash('sha256')
    .update(readFileSync(path.resolve(root, archive)))
    .digest('hex');
  const { bin } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  process.stdout.write(brewFormula({ version: releaseVersion(), uri, sha256, homepage, programs: bin }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
