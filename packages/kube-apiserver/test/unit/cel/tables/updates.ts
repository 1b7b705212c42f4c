import type { Json } from '@multicluster-engine/values/json';
import type { Schema, ValidationRule } from '@multicluster-engine/values/schema/schema';

function rule(text: string, more: Partial<ValidationRule> = {}): ValidationRule {
  return { rule: text, ...more };
}

const TEXT: Schema = { type: 'string', maxLength: 20 };
const item: Schema = {
  type: 'object',
  required: ['k'],
  properties: {
    k: TEXT,
    v: {
      type: 'integer',
      'x-kubernetes-validations': [
        rule('self < 10', { message: 'v small' }),
        rule('self >= oldSelf', { message: 'v grows' }),
      ],
    },
  },
  'x-kubernetes-validations': [rule('self.k != "bad"'), rule('self.k == oldSelf.k', { message: 'same k' })],
};
const atomItem: Schema = {
  type: 'object',
  properties: { k: TEXT, v: { type: 'integer' } },
  'x-kubernetes-validations': [rule('self.v < 10', { message: 'atomic v' })],
};
const spec: Schema = {
  type: 'object',
  properties: {
    imm: { ...TEXT, 'x-kubernetes-validations': [rule('self == oldSelf', { message: 'immutable' })] },
    opt: {
      ...TEXT,
      'x-kubernetes-validations': [
        rule('!oldSelf.hasValue() || self.size() > 1', { message: 'opt', optionalOldSelf: true }),
      ],
    },
    opt2: {
      ...TEXT,
      'x-kubernetes-validations': [
        rule('oldSelf.orValue("x") == "x"', {
          optionalOldSelf: true,
          messageExpression: '"was %s is %s".format([oldSelf.orValue("none"), self])',
        }),
      ],
    },
    n: {
      type: 'integer',
      'x-kubernetes-validations': [
        rule('self < 5', { reason: 'FieldValueForbidden', messageExpression: '"n is %d".format([self])' }),
      ],
    },
    sv: {
      ...TEXT,
      'x-kubernetes-validations': [
        rule('self != "bad"', { message: 'sv bad' }),
        rule('self != "req"', { reason: 'FieldValueRequired', message: 'sv req' }),
        rule('self != "dup"', { reason: 'FieldValueDuplicate', message: 'sv dup' }),
        rule('self != "inv"', { reason: 'FieldValueInvalid' }),
      ],
    },
    b: { type: 'boolean', 'x-kubernetes-validations': [rule('self')] },
    d: { type: 'number', 'x-kubernetes-validations': [rule('self < 1.5')] },
    lm: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: item,
      'x-kubernetes-validations': [
        rule('self.all(x, x.k != "worst")', { message: 'no worst' }),
        rule('size(self) >= size(oldSelf)', { message: 'only add' }),
      ],
    },
    la: {
      type: 'array',
      maxItems: 5,
      items: atomItem,
      'x-kubernetes-validations': [rule('size(self) < 4', { message: 'la short' })],
    },
    ls: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'set',
      items: { ...TEXT, 'x-kubernetes-validations': [rule('self != "bad"', { message: 'set item bad' })] },
    },
    m: {
      type: 'object',
      maxProperties: 5,
      additionalProperties: {
        type: 'integer',
        'x-kubernetes-validations': [
          rule('self < 10', { message: 'm value' }),
          rule('self >= oldSelf', { message: 'm grows' }),
        ],
      },
      'x-kubernetes-validations': [rule('self.all(k, k != "bad")', { message: 'm key', fieldPath: "['bad']" })],
    },
    o: {
      type: 'object',
      properties: {
        a: { type: 'integer' },
        b: { type: 'integer' },
        'x-y': TEXT,
        inner: {
          type: 'object',
          properties: { z: { type: 'integer' } },
          'x-kubernetes-validations': [rule('self.z < 3', { message: 'z' })],
        },
      },
      'x-kubernetes-validations': [
        rule('self.a < self.b', { message: 'a below b', fieldPath: '.a' }),
        rule('has(self.x__dash__y)', { message: 'need', fieldPath: '.x-y', reason: 'FieldValueRequired' }),
      ],
    },
    at: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: {
        a: { type: 'integer', 'x-kubernetes-validations': [rule('self >= oldSelf', { message: 'at a grows' })] },
      },
    },
    is: {
      'x-kubernetes-int-or-string': true,
      'x-kubernetes-validations': [rule('self != 5 && self != "x"', { message: 'is' })],
    },
    nul: {
      type: 'object',
      nullable: true,
      properties: { a: { type: 'integer' } },
      'x-kubernetes-validations': [rule('self.a > 1', { message: 'nul a' })],
    },
    emb: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-validations': [rule('self.kind == "Pod" && self.metadata.name != "bad"', { message: 'emb' })],
    },
    all: { type: 'integer', 'x-kubernetes-validations': [rule('self != 7', { message: 'all not 7' })] },
    er: {
      type: 'object',
      properties: { l: { type: 'array', maxItems: 3, items: TEXT }, x: { type: 'integer' } },
      'x-kubernetes-validations': [
        rule('self.l[5] == "a"', { message: 'er msg' }),
        rule('self.x / 0 == 1'),
        rule('dyn(self.x).foo == 1'),
      ],
    },
    pu: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: { type: 'integer' } },
      'x-kubernetes-validations': [
        rule('self.a < 5', { message: 'pu' }),
        rule('self == oldSelf', { message: 'pu same' }),
      ],
    },
  },
};
export const root: Schema = {
  type: 'object',
  properties: { spec },
  'x-kubernetes-validations': [
    rule('self.metadata.name.startsWith("u")', { message: 'name u' }),
    rule('!has(self.spec.imm) || self.spec.imm != self.metadata.name', {
      fieldPath: '.spec.imm',
      messageExpression: '"imm is " + self.spec.imm',
    }),
    rule('self.kind == "Upd" && self.apiVersion != ""'),
    rule('!has(oldSelf.spec.sv) || has(self.spec.sv)', { message: 'sv stays' }),
  ],
};

/** A write of `spec`, and the reason, field and message of each error of kube-apiserver 1.36.3, sorted. */
export interface Write {
  readonly name?: string;
  /** Undefined for a create. */
  readonly old?: Json;
  readonly next: Json;
  readonly errors: readonly string[];
  readonly warnings?: readonly string[];
}

export const updates: readonly Write[] = [
  {
    next: { imm: 'a', opt: 'b', opt2: 'q', n: 7, sv: 'bad', b: false, d: 1.5 },
    errors: [
      'FieldValueForbidden|spec.n|Forbidden: n is 7',
      'FieldValueInvalid|spec.b|Invalid value: false: failed rule: self',
      'FieldValueInvalid|spec.d|Invalid value: 1.5: failed rule: self < 1.5',
      'FieldValueInvalid|spec.sv|Invalid value: "bad": sv bad',
    ],
  },
  {
    next: { sv: 'req', n: 1 },
    errors: ['FieldValueRequired|spec.sv|Required value: sv req'],
  },
  {
    next: { sv: 'dup' },
    errors: ['FieldValueDuplicate|spec.sv|Duplicate value: "dup"'],
  },
  {
    next: { sv: 'inv' },
    errors: ['FieldValueInvalid|spec.sv|Invalid value: "inv": failed rule: self != "inv"'],
  },
  {
    next: { lm: [{ k: 'bad', v: 11 }, { k: 'worst' }], la: [{ v: 11 }], ls: ['bad', 'x'], m: { bad: 11, y: 1 } },
    errors: [
      'FieldValueInvalid|spec.la[0]|Invalid value: atomic v',
      'FieldValueInvalid|spec.lm[0].v|Invalid value: 11: v small',
      'FieldValueInvalid|spec.lm[0]|Invalid value: failed rule: self.k != "bad"',
      'FieldValueInvalid|spec.lm|Invalid value: no worst',
      'FieldValueInvalid|spec.ls[0]|Invalid value: "bad": set item bad',
      'FieldValueInvalid|spec.m.[bad]|Invalid value: m key',
      'FieldValueInvalid|spec.m[bad]|Invalid value: 11: m value',
    ],
  },
  {
    next: { o: { a: 2, b: 1, inner: { z: 5 } }, is: 5 },
    errors: [
      'FieldValueInvalid|spec.is|Invalid value: 5: is',
      'FieldValueInvalid|spec.o.a|Invalid value: a below b',
      'FieldValueInvalid|spec.o.inner|Invalid value: z',
      'FieldValueRequired|spec.o.x-y|Required value: need',
    ],
  },
  {
    next: { is: 'x', all: 7, er: { l: ['a'], x: 1 } },
    errors: [
      'FieldValueInvalid|spec.all|Invalid value: 7: all not 7',
      'FieldValueInvalid|spec.er|Invalid value: "object": division by zero evaluating rule: self.x / 0 == 1',
      'FieldValueInvalid|spec.er|Invalid value: "object": index out of bounds: 5 evaluating rule: er msg',
      'FieldValueInvalid|spec.er|Invalid value: "object": no such key: foo evaluating rule: dyn(self.x).foo == 1',
      'FieldValueInvalid|spec.is|Invalid value: "x": is',
    ],
  },
  {
    next: { nul: null },
    errors: [],
  },
  {
    next: { nul: { a: 1 } },
    errors: ['FieldValueInvalid|spec.nul|Invalid value: nul a'],
  },
  {
    next: { emb: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bad' } } },
    errors: ['FieldValueInvalid|spec.emb|Invalid value: emb'],
  },
  {
    name: 'u1',
    next: { imm: 'u1' },
    errors: ['FieldValueInvalid|spec.imm|Invalid value: imm is u1'],
  },
  {
    name: 'x1',
    next: {},
    errors: ['FieldValueInvalid|<nil>|Invalid value: name u'],
  },
  {
    next: { pu: { a: 9, z: 1 } },
    errors: ['FieldValueInvalid|spec.pu|Invalid value: pu'],
  },
  {
    old: { imm: 'a', opt: 'a', opt2: 'x' },
    next: { imm: 'b', opt: 'b', opt2: 'y' },
    errors: [
      'FieldValueInvalid|spec.imm|Invalid value: "b": immutable',
      'FieldValueInvalid|spec.opt|Invalid value: "b": opt',
    ],
  },
  {
    old: { imm: 'a' },
    next: {},
    errors: [],
  },
  {
    old: {},
    next: { imm: 'q', opt: 'z' },
    errors: [],
  },
  {
    old: { sv: 'a' },
    next: {},
    errors: ['FieldValueInvalid|<nil>|Invalid value: sv stays'],
  },
  {
    old: { sv: 'a', opt: 'a' },
    next: { sv: 'a', opt: 'ab' },
    errors: [],
  },
  {
    old: { n: 7, sv: 'bad', b: false, d: 2.5, is: 5 },
    next: { n: 7, sv: 'bad', b: false, d: 2.5, is: 5, opt: 'new' },
    errors: [],
    warnings: [
      'spec.b: Invalid value: false: failed rule: self',
      'spec.d: Invalid value: 2.5: failed rule: self < 1.5',
      'spec.is: Invalid value: 5: is',
      'spec.n: Forbidden: n is 7',
      'spec.sv: Invalid value: "bad": sv bad',
    ],
  },
  {
    old: { n: 7, sv: 'bad' },
    next: { n: 8, sv: 'bad' },
    errors: ['FieldValueForbidden|spec.n|Forbidden: n is 8'],
    warnings: ['spec.sv: Invalid value: "bad": sv bad'],
  },
  {
    old: {
      lm: [
        { k: 'bad', v: 11 },
        { k: 'c', v: 2 },
      ],
    },
    next: {
      lm: [
        { k: 'c', v: 3 },
        { k: 'bad', v: 11 },
      ],
    },
    errors: [],
    warnings: ['spec.lm[1].v: Invalid value: 11: v small', 'spec.lm[1]: Invalid value: failed rule: self.k != "bad"'],
  },
  {
    old: {
      lm: [
        { k: 'bad', v: 11 },
        { k: 'c', v: 2 },
      ],
    },
    next: {
      lm: [
        { k: 'c', v: 1 },
        { k: 'bad', v: 12 },
      ],
    },
    errors: [
      'FieldValueInvalid|spec.lm[0].v|Invalid value: 1: v grows',
      'FieldValueInvalid|spec.lm[1].v|Invalid value: 12: v small',
      'FieldValueInvalid|spec.lm[1]|Invalid value: failed rule: self.k != "bad"',
    ],
  },
  {
    old: {
      lm: [
        { k: 'bad', v: 11 },
        { k: 'c', v: 2 },
      ],
    },
    next: { lm: [{ k: 'bad', v: 11 }] },
    errors: ['FieldValueInvalid|spec.lm|Invalid value: only add'],
    warnings: ['spec.lm[0].v: Invalid value: 11: v small', 'spec.lm[0]: Invalid value: failed rule: self.k != "bad"'],
  },
  {
    old: { lm: [{ k: 'worst' }] },
    next: { lm: [{ k: 'worst' }, { k: 'n', v: 12 }] },
    errors: [
      'FieldValueInvalid|spec.lm[1].v|Invalid value: 12: v small',
      'FieldValueInvalid|spec.lm|Invalid value: no worst',
    ],
  },
  {
    old: {
      la: [
        { k: 'a', v: 11 },
        { k: 'b', v: 1 },
      ],
    },
    next: {
      la: [
        { k: 'a', v: 11 },
        { k: 'b', v: 2 },
      ],
    },
    errors: ['FieldValueInvalid|spec.la[0]|Invalid value: atomic v'],
  },
  {
    old: {
      la: [
        { k: 'a', v: 11 },
        { k: 'b', v: 1 },
      ],
    },
    next: {
      la: [
        { k: 'a', v: 11 },
        { k: 'b', v: 1 },
      ],
      opt: 'x',
    },
    errors: [],
    warnings: ['spec.la[0]: Invalid value: atomic v'],
  },
  {
    old: { ls: ['bad', 'b'] },
    next: { ls: ['bad', 'b'], opt: 'n' },
    errors: [],
    warnings: ['spec.ls[0]: Invalid value: "bad": set item bad'],
  },
  {
    old: { ls: ['bad', 'b'] },
    next: { ls: ['bad', 'c'] },
    errors: ['FieldValueInvalid|spec.ls[0]|Invalid value: "bad": set item bad'],
  },
  {
    old: { ls: ['bad', 'b'] },
    next: { ls: ['b', 'bad'] },
    errors: ['FieldValueInvalid|spec.ls[1]|Invalid value: "bad": set item bad'],
  },
  {
    old: { m: { bad: 11, y: 5 } },
    next: { m: { bad: 11, y: 6 } },
    errors: ['FieldValueInvalid|spec.m.[bad]|Invalid value: m key'],
    warnings: ['spec.m[bad]: Invalid value: 11: m value'],
  },
  {
    old: { m: { bad: 11, y: 5 } },
    next: { m: { bad: 12, y: 4 } },
    errors: [
      'FieldValueInvalid|spec.m.[bad]|Invalid value: m key',
      'FieldValueInvalid|spec.m[bad]|Invalid value: 12: m value',
      'FieldValueInvalid|spec.m[y]|Invalid value: 4: m grows',
    ],
  },
  {
    old: { m: { bad: 11 } },
    next: { m: { bad: 11 }, opt: 'x' },
    errors: [],
    warnings: ['spec.m.[bad]: Invalid value: m key', 'spec.m[bad]: Invalid value: 11: m value'],
  },
  {
    old: { o: { a: 2, b: 1, inner: { z: 5 } } },
    next: { o: { a: 2, b: 1, inner: { z: 5 } }, opt: 'x' },
    errors: [],
    warnings: [
      'spec.o.a: Invalid value: a below b',
      'spec.o.inner: Invalid value: z',
      'spec.o.x-y: Required value: need',
    ],
  },
  {
    old: { o: { a: 2, b: 1, inner: { z: 5 } } },
    next: { o: { a: 3, b: 1, inner: { z: 5 } } },
    errors: [
      'FieldValueInvalid|spec.o.a|Invalid value: a below b',
      'FieldValueRequired|spec.o.x-y|Required value: need',
    ],
    warnings: ['spec.o.inner: Invalid value: z'],
  },
  {
    old: { at: { a: 3 } },
    next: { at: { a: 2 } },
    errors: ['FieldValueInvalid|spec.at.a|Invalid value: 2: at a grows'],
  },
  {
    old: { all: 7 },
    next: { all: 7, opt: 'x' },
    errors: [],
    warnings: ['spec.all: Invalid value: 7: all not 7'],
  },
  {
    old: { er: { l: ['a'], x: 1 } },
    next: { er: { l: ['a'], x: 1 }, opt: 'x' },
    errors: [
      'FieldValueInvalid|spec.er|Invalid value: "object": division by zero evaluating rule: self.x / 0 == 1',
      'FieldValueInvalid|spec.er|Invalid value: "object": index out of bounds: 5 evaluating rule: er msg',
      'FieldValueInvalid|spec.er|Invalid value: "object": no such key: foo evaluating rule: dyn(self.x).foo == 1',
    ],
  },
  {
    old: { pu: { a: 9, z: 1 } },
    next: { pu: { a: 9, z: 1 }, opt: 'x' },
    errors: ['FieldValueInvalid|spec.pu|Invalid value: pu'],
  },
  {
    old: { pu: { a: 9, z: 1 } },
    next: { pu: { a: 9, z: 2 } },
    errors: ['FieldValueInvalid|spec.pu|Invalid value: pu', 'FieldValueInvalid|spec.pu|Invalid value: pu same'],
  },
  {
    old: { pu: { a: 1 } },
    next: { pu: { a: 1, q: 2 } },
    errors: ['FieldValueInvalid|spec.pu|Invalid value: pu same'],
  },
  {
    old: { nul: { a: 5 } },
    next: { nul: null },
    errors: [],
  },
  {
    old: { nul: { a: 1 } },
    next: { nul: { a: 1 }, opt: 'y' },
    errors: [],
    warnings: ['spec.nul: Invalid value: nul a'],
  },
  {
    old: { emb: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bad' } } },
    next: { emb: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bad' } }, opt: 'y' },
    errors: ['FieldValueInvalid|spec.emb|Invalid value: emb'],
  },
];
