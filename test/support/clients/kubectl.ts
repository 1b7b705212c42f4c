import path from 'node:path';

import { kubectlProgram, missingKubectl } from '@multicluster-engine/kube-apiserver/testing/controlplane/binaries';
import { describeWith } from '../describewith.js';

/** A suite that runs kubectl. Without one it is skipped with a line on stderr; with CI=true it fails. */
export function describeWithKubectl(title: string, body: () => void): void {
  describeWith(title, missingKubectl(), body);
}

/** A PATH in which `kubectl` is the one that the tests run, behind the folders of `first`. */
export function pathWithKubectl(...first: readonly string[]): string {
  const program = kubectlProgram();
  const folders = program === undefined ? first : [...first, path.dirname(program)];
  return [...folders, process.env['PATH'] ?? ''].join(path.delimiter);
}
