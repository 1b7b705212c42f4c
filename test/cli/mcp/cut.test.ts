import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { cutDocument } from '../../../src/cli/commands/mcp/cut.js';
import type { JsonRecord } from '../../../src/runtime/vocabulary/json.js';

const KIND = { apiVersion: 'v1', kind: 'X' };

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_one, at) => `cluster-${at}`);
}

function bytes(document: JsonRecord): number {
  return Buffer.byteLength(JSON.stringify(document));
}

describe('the cut of a document', () => {
  it('leaves a document that is short enough as it is', () => {
    const document = { ...KIND, names: names(3) };
    const most = bytes(document);

    expect(cutDocument(document, most)).toEqual({ document, omitted: {} });
    expect(cutDocument(document, most - 1)?.omitted).not.toEqual({});
  });

  it('keeps the first items of each list, and says at the top how many are left out of which list', () => {
    const placements = [
      { name: 'all', clusters: names(100) },
      { name: 'few', clusters: names(2) },
      { name: 'many', clusters: names(50) },
    ];
    const { document, omitted } = cutDocument({ ...KIND, total: 152, placements }, 400) ?? fail();

    expect(Object.keys(document)).toEqual(['apiVersion', 'kind', 'omitted', 'total', 'placements']);
    const shown = (document['placements'] as { clusters: readonly string[] }[]).map(({ clusters }) => clusters);
    const most = shown[0]?.length ?? 0;
    expect(shown).toEqual([names(most), names(2), names(most)]);
    expect(most).toBeGreaterThan(2);
    expect(omitted).toEqual({ 'placements[*].clusters': 150 - 2 * most });
    expect(document['omitted']).toBe(omitted);
  });

  it('keeps as many items as fit', () => {
    const { document } = cutDocument({ ...KIND, names: names(10_000) }, 1_000) ?? fail();

    expect(bytes(document)).toBeGreaterThan(970);
  });

  it('gives up on a document that is too long without any item', () => {
    expect(cutDocument({ ...KIND, message: 'x'.repeat(300), names: names(5) }, 300)).toBeUndefined();
  });

  it('is never longer than asked for, and counts each item that is gone', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 4 }), fc.array(fc.string({ unit: 'grapheme' })), (some, list) => {
        const document = { ...KIND, ...(JSON.parse(JSON.stringify({ some })) as JsonRecord), list };
        const cut = cutDocument(document, 200);
        if (cut === undefined) return;
        expect(bytes(cut.document)).toBeLessThanOrEqual(200);
        const kept = (cut.document['list'] as readonly string[]).length;
        expect(list.length - kept).toBe(cut.omitted['list'] ?? 0);
        expect(cut.document['list']).toEqual(list.slice(0, kept));
      }),
      { numRuns: 500 },
    );
  });
});

function fail(): never {
  throw new Error('nothing fits');
}
