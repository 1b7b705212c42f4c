import { accessSync, constants, realpathSync } from 'node:fs';
import path from 'node:path';

import { binary } from '../../../testing/controlplane/binaries.js';

/** The kubectl that people on this machine use: KUBECTL where it is set, else the first on the PATH; not the one that tests build. */
export function onPath(): string | undefined {
  const given = process.env['KUBECTL'] ?? '';
  if (given !== '') return given;
  const candidates = (process.env['PATH'] ?? '').split(path.delimiter).map((folder) => path.join(folder, 'kubectl'));
  return candidates.find((file) => isProgram(file) && !isOurs(file));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isOurs(file: string): boolean {
  try {
    return realpathSync(file) === realpathSync(binary('kubectl'));
  } catch {
    return false;
  }
}
