import { execFileSync } from 'node:child_process';

/**
 * Verifies a release as docs/how-to/release.md says: the signature of the checksums with the public key `key`, and then each
 * file of the folder by them.
 * @throws Error with what does not agree.
 */
export function verifyRelease(folder: string, key: string): void {
  const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const;
  const signature = ['-verify', key, '-signature', 'SHA256SUMS.sig', 'SHA256SUMS'];
  execFileSync('openssl', ['dgst', '-sha256', ...signature], options);
  execFileSync('shasum', ['-a', '256', '--check', '--strict', '--quiet', 'SHA256SUMS'], options);
}
