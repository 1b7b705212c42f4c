import { describe, expect, it } from '@jest/globals';
import { isNotNewer, isOlder } from '../../../src/runtime/vocabulary/meta.js';

describe('resourceVersions', () => {
  it.each<[string | undefined, string | undefined, boolean]>([
    ['1', '2', true],
    ['2', '1', false],
    ['9', '10', true],
    ['10', '9', false],
    ['5', '5', false],
    ['9007199254740993', '9007199254740994', true],
    ['99999999999999999998', '99999999999999999999', true],
    ['99999999999999999999', '100000000000000000000', true],
    ['abc', '5', false],
    ['5', 'abc', false],
    ['a', 'b', false],
    ['', '5', false],
    ['5', '', false],
    ['0', '5', false],
    ['05', '5', false],
    [undefined, '9', false],
    ['9', undefined, false],
  ])('resourceVersion %s is older than %s: %s', (a, b, older) => {
    expect(isOlder(a, b)).toBe(older);
  });

  it.each([
    ['1', '2', true],
    ['2', '1', false],
    ['5', '5', true],
    ['abc', 'abc', true],
    ['abc', '5', false],
    ['', '5', false],
  ])('resourceVersion %s is the same as %s or older: %s', (a, b, notNewer) => {
    expect(isNotNewer(a, b)).toBe(notNewer);
  });
});
