import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

import { root } from '../root.js';
import type { StartOptions } from './plane.js';

const PROGRAMS = {
  api: ['etcd', 'kube-apiserver', 'kubectl'],
  hub: ['etcd', 'kube-apiserver', 'kubectl', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'stages'],
} as const;

/** Builds the programs; relative to the working directory. */
const BUILD = path.relative('', path.join(root, 'testing', 'control-plane', 'build.sh'));

/** The folder of the control plane's programs: KUBEBUILDER_ASSETS, or `.bin` where it is not set. */
export function binaryFolder(): string {
  const given = process.env['KUBEBUILDER_ASSETS'] ?? '';
  return given === '' ? path.join(root, '.bin') : given;
}

/** The path of one program. */
export function binary(name: string): string {
  return path.join(binaryFolder(), name);
}

/** undefined where a server of this size can be started; otherwise one line with what is missing and the remedy. */
export function missingPrograms(size: StartOptions['size']): string | undefined {
  const missing = PROGRAMS[size].filter((name) => !existsSync(binary(name)));
  if (missing.length === 0) return undefined;
  return `${missing.join(', ')} not found in ${binaryFolder()}: run \`bash ${BUILD}\` (needs Go 1.26) or set KUBEBUILDER_ASSETS`;
}

/** All programs of this name in the folders of the PATH, in order, except the one of {@link binaryFolder}. */
export function programsInPath(name: string): string[] {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).filter((file) => isExecutable(file) && !isSame(file, name));
}

/**
 * The kubectl for tests: the one of {@link binaryFolder}, otherwise the first in the PATH; undefined where there is
 * none.
 */
export function kubectlProgram(): string | undefined {
  const built = binary('kubectl');
  return isExecutable(built) ? built : programsInPath('kubectl')[0];
}

/** undefined where kubectl is available; otherwise one line with where it was searched and the remedy. */
export function missingKubectl(): string | undefined {
  if (kubectlProgram() !== undefined) return undefined;
  return `kubectl not found in ${binaryFolder()} nor in the PATH: install kubectl 1.32 or newer`;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isSame(file: string, name: string): boolean {
  try {
    return realpathSync(file) === realpathSync(binary(name));
  } catch {
    return false;
  }
}
