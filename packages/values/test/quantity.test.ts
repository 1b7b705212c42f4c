import { describe, expect, it } from '@jest/globals';
import { parseQuantity } from '../src/quantity.js';

function nanosOf(text: string): bigint {
  const parsed = parseQuantity(text);
  if (parsed === undefined) throw new Error(`${text} is no quantity`);
  return parsed.nanos;
}

describe('parseQuantity', () => {
  /** Recorded from resource.ParseQuantity of apimachinery 0.36.3: their order. */
  it.each([
    ['1.5Gi', '=', '1536Mi'],
    ['+.5', '=', '500m'],
    ['5.', '=', '5'],
    ['1e3', '=', '1k'],
    ['1E3', '=', '1k'],
    ['-1', '<', '0'],
    ['0.1n', '=', '1n'],
    ['9Ei', '=', '8Ei'],
    ['9E', '<', '10E'],
    ['Ki', '=', '0'],
    ['.', '=', '0'],
    [`${'9'.repeat(500)}e-999`, '=', '1n'],
    [`${'9'.repeat(700)}e-699`, '=', '10'],
    ['100000000000000000000000001m', '>', '100000000000000000000000'],
  ])('the quantity %s %s %s, as Go compares them', (a, relation, b) => {
    const [left, right] = [nanosOf(a), nanosOf(b)];

    expect(left < right ? '<' : left > right ? '>' : '=').toBe(relation);
  });

  it.each(['', ' 1', '1 ', '--1', '1.2.3', '1ki', '1K', '1Zi', '1e', '1e1.5', 'n/a', 'v1.30', '-.Ei', 'Ei', 'e-12'])(
    'the text %j is no quantity, as in Go',
    (text) => {
      expect(parseQuantity(text)).toBeUndefined();
    },
  );
});
