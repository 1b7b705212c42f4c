import { existsSync } from 'node:fs';
import path from 'node:path';

import { root } from '../root.js';
import type { StartOptions } from './plane.js';

const PROGRAMS = {
  api: ['etcd', 'kube-apiserver', 'kubectl'],
  hub: ['etcd', 'kube-apiserver', 'kubectl', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'stages'],
} as const;

/** The folder with the control plane's programs: KUBEBUILDER_ASSETS where it is set, else `.bin`. */
export function binaryFolder(): string {
  const given = process.env['KUBEBUILDER_ASSETS'] ?? '';
  return given === '' ? path.join(root, '.bin') : given;
}

/** The path of one program. */
export function binary(name: string): string {
  return path.join(binaryFolder(), name);
}

/** Undefined when a server of this size can be started; else one line that says what is missing and what to do. */
export function missingPrograms(size: StartOptions['size']): string | undefined {
  const missing = PROGRAMS[size].filter((name) => !existsSync(binary(name)));
  if (missing.length === 0) return undefined;
  return `${missing.join(', ')} not found in ${binaryFolder()}: run \`make control-plane\` (needs Go 1.26) or set KUBEBUILDER_ASSETS`;
}
