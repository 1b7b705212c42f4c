import { readFileSync } from 'node:fs';
import { certificatesProblem } from '../vocabulary/keypair.js';

/** The variable by which Node trusts more authorities. It holds only for connections that name none themselves. */
export const EXTRA_AUTHORITIES = 'NODE_EXTRA_CA_CERTS';

/**
 * `authorities` and those of the file, both PEM; `authorities` alone without a file, or where it cannot be read or holds
 * something else: Node warns about that at the start of the process.
 */
export function withExtraAuthorities(authorities: string, file: string | undefined): string {
  if (file === undefined || file === '') return authorities;
  try {
    const extra = readFileSync(file, 'utf8');
    return certificatesProblem(extra, file) === undefined ? `${authorities}\n${extra}` : authorities;
  } catch {
    return authorities;
  }
}
