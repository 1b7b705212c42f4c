import { expect, it } from '@jest/globals';

import { runRules } from '@multicluster-engine/cel/rules';
import type { Schema } from '@multicluster-engine/values/schema/schema';

/**
 * Recorded from kube-apiserver 1.36.3: the messageExpression gets a value that is not optional, and an optional loses
 * its schema.
 */
it('a rule with optionalOldSelf sees oldSelf without its schema, and its messageExpression sees it unwrapped', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      n: { type: 'integer' },
      'x-y': { type: 'string', maxLength: 9 },
      du: { type: 'string', format: 'duration' },
    },
    'x-kubernetes-validations': [
      {
        rule: '!oldSelf.hasValue()',
        message: 'plain',
        messageExpression: "'was %d'.format([oldSelf.value().n])",
        optionalOldSelf: true,
      },
      { rule: '!oldSelf.hasValue()', messageExpression: "'now %d'.format([self.n])", optionalOldSelf: true },
      { rule: '!oldSelf.hasValue() || oldSelf.value().du != self.du', message: 'same', optionalOldSelf: true },
      { rule: '!oldSelf.hasValue() || oldSelf.value().x__dash__y == "a"', message: 'dash', optionalOldSelf: true },
      { rule: 'oldSelf.x__dash__y.orValue("none") == "none"', message: 'optional dash', optionalOldSelf: true },
      { rule: 'oldSelf.n.orValue(0) == 0', message: 'optional n', optionalOldSelf: true },
      { rule: '!oldSelf.hasValue() || oldSelf.value() != self', message: 'equal', optionalOldSelf: true },
      { rule: '!oldSelf.hasValue() || self != oldSelf.value()', message: 'equal back', optionalOldSelf: true },
    ],
  };
  const value = { n: 1, 'x-y': 'a', du: '1h' };

  expect(runRules(schema, value, undefined, { path: 'spec' }).errors).toEqual([]);
  expect(runRules(schema, value, value, { path: 'spec' }).errors.map(({ message }) => message)).toEqual([
    'Invalid value: plain',
    'Invalid value: now 1',
    'Invalid value: "object": no such key: x__dash__y evaluating rule: dash',
    'Invalid value: optional n',
  ]);
});
