import { describe, expect, it } from '@jest/globals';

import { warningHeaders } from '../../../src/http/response/warnings.js';

describe('Warning headers', () => {
  it.each([
    [
      ['a', 'b', 'a', ''],
      ['299 - "a"', '299 - "b"'],
    ],
    [['say "x" \\ y'], ['299 - "say \\"x\\" \\\\ y"']],
    [['two\r\nlines\u0000'], ['299 - "two lines "']],
    [['ü'.repeat(4096)], [`299 - "${'ü'.repeat(4096)}"`]],
    [['ü'.repeat(4097)], [`299 - "${'ü'.repeat(256)}"`]],
  ])('of %.40j', (texts, headers) => {
    expect(warningHeaders(texts)).toEqual(headers);
  });

  it('that are too many are cut, then left out', () => {
    const texts = Array.from({ length: 30 }, (_, index) => `${index}`.padStart(300, 'x'));

    expect(warningHeaders(texts)).toEqual(Array.from({ length: 16 }, () => `299 - "${'x'.repeat(256)}"`));
  });
});
