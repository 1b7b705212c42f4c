import { describe, expect, it } from '@jest/globals';
import { DECISION_GROUP_INDEX_LABEL, DECISION_PIECE_ANNOTATION } from '../../../../src/api/names.js';
import { hasPieceOf, readPiece, withPiece } from '../../../../src/domain/placement/stored/items.js';

const PIECE = { group: 'canary', number: 1, selected: 12, size: '25%', index: 3 };

describe('the piece of a decision object', () => {
  it('a piece that is written is read as it was', () => {
    const metadata = { name: 'web-1', ...withPiece({ labels: { team: 'a' }, annotations: { note: 'b' } }, PIECE) };

    expect(readPiece({ metadata })).toEqual(PIECE);
    expect(hasPieceOf({ metadata }, PIECE)).toBe(true);
    expect(withPiece(metadata, undefined)).toEqual({ labels: { team: 'a' }, annotations: { note: 'b' } });
  });

  it.each([['-1'], ['1.5'], ['many'], ['1234567'], [undefined]])(
    'a label of the index that says %j is that of no piece, so that it is written again',
    (text) => {
      const { labels, annotations } = withPiece({}, PIECE);
      const metadata = { name: 'web-1', annotations, labels: { ...labels, [DECISION_GROUP_INDEX_LABEL]: text ?? '' } };

      expect(readPiece({ metadata })).toEqual({ ...PIECE, index: 0 });
      expect(hasPieceOf({ metadata }, { ...PIECE, index: 0 })).toBe(false);
    },
  );

  it.each(['', '[]', '{"group":1,"number":0,"selected":0}', '{"group":"","number":-1,"selected":0}'])(
    'the annotation %j says nothing of a piece',
    (text) => {
      expect(
        readPiece({ metadata: { name: 'web-1', annotations: { [DECISION_PIECE_ANNOTATION]: text } } }),
      ).toBeUndefined();
    },
  );
});
