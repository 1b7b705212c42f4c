import { describe, expect, it } from '@jest/globals';

import { runRules } from '@multicluster-engine/cel/rules';
import type { Schema } from '@multicluster-engine/values/schema/schema';

/** The value of a formatted string in a rule. */
function shown(format: string, text: string): string | undefined {
  const schema: Schema = {
    type: 'string',
    format,
    'x-kubernetes-validations': [{ rule: "'%s'.format([self]) == '-'", messageExpression: "'%s'.format([self])" }],
  };
  return runRules(schema, text, undefined, { path: 'x' })
    .errors[0]?.message.replace(/^Invalid value: (?:".*?": )?/, '')
    .replace(/ evaluating rule: .*$/s, '');
}

/** Recorded from kube-apiserver 1.36.3. */
describe('formatted strings in rules', () => {
  it.each([
    ['duration', '3 days, 2 hours', '266400s'],
    ['duration', '1w', '604800s'],
    ['duration', '5 sec 1 fortnight 2 MIN', '125s'],
    ['duration', '200000000000 hours', '5132059042.490876s'],
    ['duration', '-3 days', '259200s'],
    ['duration', '1.5 hours', '18000s'],
    ['duration', '10nanos 5micros 3milli', '0.00300501s'],
    ['duration', '300y 1hr', '3600s'],
    ['date', '0000-01-01', '0000-01-01T00:00:00Z'],
    ['date-time', '2020-01-01T00:00:00,5Z', '2020-01-01T00:00:00.5Z'],
    ['date-time', '2020-01-01T00:00:00+24:00', '2020-01-01T00:00:00+24:00'],
    ['date-time', '0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
    ['date-time', '9999-12-31T23:59:59-01:00', '9999-12-31T23:59:59-01:00'],
    [
      'date-time',
      '2020-01-01t00:00:00z',
      'Invalid date-time formatted string 2020-01-01t00:00:00z: parsing time "2020-01-01t00:00:00z" as "2006-01-02T15:04:05": cannot parse "t00:00:00z" as "T"',
    ],
    [
      'date-time',
      '2020-01-01T00:00:00x5Z',
      'Invalid date-time formatted string 2020-01-01T00:00:00x5Z: parsing time "2020-01-01T00:00:00x5Z": extra text: "x5Z"',
    ],
    [
      'date-time',
      '2020-01-01T00:00:00+25:00',
      'Invalid date-time formatted string 2020-01-01T00:00:00+25:00: parsing time "2020-01-01T00:00:00+25:00": extra text: "+25:00"',
    ],
    ['byte', 'YR==', 'a'],
    ['byte', '+///', 'Invalid byte formatted string +///: illegal base64 data at input byte 0'],
    ['byte', 'YWJj/wA=', 'Invalid byte formatted string YWJj/wA=: illegal base64 data at input byte 4'],
  ])('a rule sees a string of the format %s as its CEL type: %j', (format, text, expected) => {
    expect(shown(format, text)).toBe(expected);
  });
});
