import { programsInPath } from '../../../testing/controlplane/binaries.js';

/** The kubectl that people on this machine use: KUBECTL where it is set, else the first in the PATH; not the one that tests build. */
export function kubectlOnPath(): string | undefined {
  const given = process.env['KUBECTL'] ?? '';
  return given === '' ? programsInPath('kubectl')[0] : given;
}
