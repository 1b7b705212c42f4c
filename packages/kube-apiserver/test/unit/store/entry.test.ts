import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '@multicluster-engine/values/object';
import { ParsedCache, StoredEntry } from '../../../src/store/memory/entry.js';

const object = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text: 'x'.repeat(100) },
});

describe('the parsed form of an entry', () => {
  it('the parsed form of an entry is shared with its readers after the cache has dropped it', () => {
    const cache = new ParsedCache(150, true);
    const entry = StoredEntry.of('a', 1, object('a'), cache);
    const held = entry.object;
    const others = Array.from({ length: 9 }, (_, at) =>
      StoredEntry.of(`other-${at}`, at + 2, object(`other-${at}`), cache),
    );
    entry.forget();

    expect(others).toHaveLength(9);
    expect(entry.object).toBe(held);
  });

  it('the parsed form of an entry is made from its bytes where no reader holds it', () => {
    const cache = new ParsedCache(150, false);
    const bytes = Buffer.from(JSON.stringify(object('a')));
    const entry = new StoredEntry('a', 1, bytes, cache);
    const first = entry.object;

    expect(first).toEqual(object('a'));
    expect(entry.object).toBe(first);
  });
});
