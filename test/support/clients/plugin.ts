import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { load } from 'js-yaml';

import { asRecord, type JsonRecord } from '../../../src/runtime/vocabulary/json.js';
import { root } from '../repository/root.js';
import { pathWithKubectl } from './kubectl.js';

/** A PATH with kubectl and its plugin `kubectl mce`: the compiled program, from a folder that is made for it. */
export function pathWithPlugin(folder: string): string {
  execFileSync('bash', [path.join(root, 'tools', 'plugin.sh'), folder]);
  return pathWithKubectl(folder);
}

/** The text of a kubeconfig with the context of another one under this name. */
export function withContext(kubeconfig: string, name: string, other: string): string {
  const whole = asRecord(load(readFileSync(kubeconfig, 'utf8')));
  const added = asRecord(load(readFileSync(other, 'utf8')));
  const first = (list: string): JsonRecord => asRecord(Object(added[list])[0]);
  const both = (list: string, one: object): object => ({ [list]: [...Object(whole[list]), { ...one, name }] });
  return JSON.stringify({
    ...whole,
    ...both('clusters', first('clusters')),
    ...both('users', first('users')),
    ...both('contexts', { context: { cluster: name, user: name } }),
  });
}
