import { isDraft, fillZero, textOf, type Draft, type DraftValue } from './draft.js';
import type { Kind } from './kind.js';

export const SECRET: Kind = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  definition: 'io.k8s.api.core.v1.Secret',
  selectable: { type: (secret) => (typeof secret['type'] === 'string' ? secret['type'] : '') },
  defaults(secret) {
    fillZero(secret, 'type', 'Opaque');
    foldStringData(secret);
  },
  update: (next, old) => (next['type'] === undefined || next['type'] === '' ? { ...next, type: old['type'] } : next),
};

/** `stringData` is for writing only: its texts replace those of `data`. */
function foldStringData(secret: Draft): void {
  const { stringData, data } = secret;
  if (!isDraft(stringData)) return;
  const folded = new Map<string, DraftValue | undefined>(isDraft(data) ? Object.entries(data) : []);
  for (const key of Object.keys(stringData)) folded.set(key, Buffer.from(textOf(stringData, key), 'utf8').toString('base64'));
  secret['data'] = Object.fromEntries(folded);
  delete secret['stringData'];
}
