import { describe, expect, it } from '@jest/globals';

import { warningHeaders } from '../../../../src/http/response/warnings.js';

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
  ])('warnings become headers without duplicates, quoted and shortened (%#)', (texts, headers) => {
    expect(warningHeaders(texts)).toEqual(headers);
  });

  it('too many warnings are shortened, then left out', () => {
    const texts = Array.from({ length: 30 }, (_, index) => `${index}`.padStart(300, 'x'));

    expect(warningHeaders(texts)).toEqual(Array.from({ length: 16 }, () => `299 - "${'x'.repeat(256)}"`));
  });
});
