import type { Schema, ValidationRule } from '@multicluster-engine/values/schema/schema';

const TEXT: Schema = { type: 'string' };
const INT: Schema = { type: 'integer' };

function text(maxLength: number): Schema {
  return { type: 'string', maxLength };
}

function list(items: Schema, maxItems?: number): Schema {
  return { type: 'array', items, ...(maxItems === undefined ? {} : { maxItems }) };
}

function map(additionalProperties: Schema, maxProperties?: number): Schema {
  return { type: 'object', additionalProperties, ...(maxProperties === undefined ? {} : { maxProperties }) };
}

function object(properties: Record<string, Schema>, more: Schema = {}): Schema {
  return { type: 'object', properties, ...more };
}

function ruled(schema: Schema, ...rules: readonly (string | ValidationRule)[]): Schema {
  return {
    ...schema,
    'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule, message: 'm' } : rule)),
  };
}

/** Schemas of `spec`, and the rules that exceed the cost limit in kube-apiserver 1.36.3, with the factor. */
export const costs: readonly (readonly [schema: Schema, tooCostly: readonly string[]])[] = [
  [ruled(object({ s: TEXT }), 'self.s == "x"'), []],
  [ruled(object({ s: TEXT }), 'self.s.contains("abc")'), []],
  [ruled(object({ s: TEXT, t: TEXT }), 'self.s.contains(self.t)'), ['[0].rule more than 100x', 'total more than 100x']],
  [ruled(object({ s: TEXT }), 'self.s.matches("^[a-z]+$")'), []],
  [ruled(object({ s: text(1000) }), 'self.s.matches("^[a-z]+$")'), []],
  [ruled(object({ l: list(TEXT) }), 'self.l.all(x, x != "")'), []],
  [
    ruled(object({ l: list(TEXT) }), 'self.l.all(x, self.l.exists(y, y == x))'),
    ['[0].rule more than 100x', 'total more than 100x'],
  ],
  [ruled(object({ l: list(text(10), 100) }), 'self.l.all(x, self.l.exists(y, y == x))'), []],
  [ruled(object({ l: list(text(10), 1000) }), 'self.l.all(x, self.l.exists(y, y == x))'), ['[0].rule 1.000600x']],
  [
    ruled(object({ l: list(text(10), 1000) }), 'self.l.all(x, self.l.all(y, self.l.all(z, x == y || y == z)))'),
    ['[0].rule more than 100x', 'total more than 100x'],
  ],
  [
    ruled(object({ l: list(text(10), 300) }), 'self.l.all(x, self.l.all(y, self.l.all(z, x == y || y == z)))'),
    ['[0].rule 40.6x', 'total 4.1x'],
  ],
  [ruled(object({ l: list(INT, 2000) }), 'self.l.all(x, self.l.exists_one(y, y == x))'), ['[0].rule 1.6x']],
  [ruled(object({ l: list(INT, 1900) }), 'self.l.all(x, self.l.exists_one(y, y == x))'), ['[0].rule 1.445330x']],
  [ruled(object({ l: list(INT, 1500) }), 'self.l.all(x, self.l.exists_one(y, y == x))'), []],
  [ruled(object({ l: list(INT, 2200) }), 'self.l.all(x, self.l.exists_one(y, y == x))'), ['[0].rule 1.9x']],
  [object({ l: list(ruled(object({ a: INT }), 'self.a > 1')) }), []],
  [object({ l: list(ruled(object({ a: INT }), 'self.a > 1'), 10) }), []],
  [object({ l: list(ruled(object({ a: TEXT }), 'self.a != "x"')) }), []],
  [object({ l: list(list(ruled(object({ a: TEXT }), 'self.a != "x"'), 1000), 1000) }), []],
  [object({ m: map(ruled(text(10), 'self != "x"')) }), []],
  [object({ m: map(ruled(TEXT, 'self.size() > 1')) }), []],
  [object({ m: map(map(ruled(TEXT, 'self.size() > 1'), 100), 100) }), []],
  [ruled(object({ s: TEXT }), 'self.s.replace("a", "bb").size() > 3'), []],
  [ruled(object({ s: TEXT }), 'self.s.split(",").all(x, x.size() > 1)'), ['[0].rule 2.0x']],
  [ruled(object({ s: text(500) }), 'self.s.split(",").all(x, x.size() > 1)'), []],
  [
    ruled(object({ l: list(TEXT) }), 'self.l.join(",").size() > 3'),
    ['[0].rule more than 100x', 'total more than 100x'],
  ],
  [ruled(object({ l: list(text(10), 10) }), 'self.l.join(",").contains("a")'), []],
  [ruled(object({ s: TEXT }), 'self.s.lowerAscii() == "a"'), []],
  [ruled(object({ s: TEXT }), 'self.s + self.s == "a"'), []],
  [ruled(object({ s: TEXT }), 'self.s.startsWith("a") && self.s.endsWith(self.s)'), []],
  [ruled(object({ l: list(TEXT) }), 'self.l.isSorted()'), ['[0].rule more than 100x', 'total more than 100x']],
  [ruled(object({ l: list(text(10)) }), 'self.l.max() == "a"'), []],
  [ruled(object({ l: list(INT) }), 'self.l.sum() > 1'), []],
  [ruled(object({ l: list(INT) }), 'self.l.indexOf(3) == 1'), []],
  [ruled(object({ s: TEXT }), 'self.s.indexOf("a") == 1'), []],
  [ruled(object({ l: list(INT) }), '5 in self.l'), []],
  [
    ruled(object({ l: list(text(5)) }), 'self.l.distinct().size() > 1'),
    ['[0].rule more than 100x', 'total more than 100x'],
  ],
  [
    ruled(object({ l: list(text(5)) }), 'sets.contains(self.l, self.l)'),
    ['[0].rule more than 100x', 'total more than 100x'],
  ],
  [
    ruled(
      object({ l: list(text(5), 4000) }),
      'sets.contains(self.l, self.l)',
      'sets.intersects(self.l, self.l)',
      'sets.equivalent(self.l, self.l)',
    ),
    ['[0].rule 1.6x', '[1].rule 1.6x', '[2].rule 3.2x'],
  ],
  [ruled(object({ l: list(text(5)) }), 'sets.contains(self.l, ["a"])'), []],
  [ruled(object({ l: list(text(5), 100) }), 'self.l.sort().size() > 1'), []],
  [ruled(object({ l: list(text(5), 3000) }), 'self.l.sort().size() > 1'), ['[0].rule 1.9x']],
  [
    ruled(
      object({ l: list(text(5), 100) }),
      'self.l.slice(1, 5).size() > 1 && self.l.reverse()[0] == "a" && self.l.flatten(1).size() > 1',
    ),
    [],
  ],
  [ruled(object({ n: INT }), 'lists.range(self.n).size() > 1'), ['[0].rule more than 100x', 'total more than 100x']],
  [ruled(object({ n: INT }), 'lists.range(100).map(x, x * self.n).size() > 1'), []],
  [ruled(object({ s: TEXT }), 'quantity(self.s).isInteger()'), []],
  [ruled(object({ s: TEXT }), 'url(self.s).getHost() == "a"'), []],
  [ruled(object({ s: TEXT }), 'ip(self.s).family() == 4'), []],
  [ruled(object({ s: TEXT }), 'cidr("10.0.0.0/8").containsIP(self.s)'), []],
  [ruled(object({ s: TEXT }), 'cidr(self.s).containsCIDR(self.s)'), []],
  [ruled(object({ s: TEXT }), 'semver(self.s).major() == 1'), []],
  [ruled(object({ s: TEXT }), '!format.dns1123Label().validate(self.s).hasValue()'), ['[0].rule 1.006634x']],
  [ruled(object({ s: text(63) }), '!format.dns1123Label().validate(self.s).hasValue()'), []],
  [ruled(object({ s: TEXT }), 'ip.isCanonical(self.s)'), []],
  [ruled(object({ m: map(text(10)) }), 'self.m.all(k, self.m[k] != "x")'), []],
  [ruled(object({ m: map(text(10), 10) }), 'self.m.all(k, v, v != k)'), []],
  [ruled(object({ m: map(text(10), 10) }), 'self.m.transformMap(k, v, v + k).size() > 1'), []],
  [ruled(object({ m: map(TEXT, 10) }), 'self.m.transformList(k, v, v).all(x, x.matches("abc"))'), []],
  [ruled(object({ l: list(text(5), 50) }), 'self.l.map(x, x + "y").filter(x, x.size() > 1).exists(x, x == "a")'), []],
  [ruled(object({ l: list(object({ k: text(5) }), 50) }), 'self.l.map(x, x.k).all(k, k.matches("a"))'), []],
  [
    ruled(object({ s: TEXT }), 'self.?s.orValue("a").matches("b")'),
    ['[0].rule more than 100x', 'total more than 100x'],
  ],
  [ruled(object({ s: TEXT }), 'self.?s.optMap(x, x.size()).orValue(3) > 1'), []],
  [ruled(object({ l: list(TEXT) }), 'self.l[?0].orValue("") == "a"'), []],
  [ruled(object({ is: { 'x-kubernetes-int-or-string': true } }), 'self.is == "a"'), []],
  [ruled(object({ is: { 'x-kubernetes-int-or-string': true, maxLength: 5 } }), 'string(self.is).matches("a")'), []],
  [
    ruled(object({ is: { 'x-kubernetes-int-or-string': true } }), 'type(self.is) == string && self.is.matches("a")'),
    [],
  ],
  [
    ruled(
      object({
        d: { type: 'string', format: 'date-time' },
        du: { type: 'string', format: 'duration' },
        b: { type: 'string', format: 'byte' },
        da: { type: 'string', format: 'date' },
      }),
      'self.d > timestamp("2024-01-01T00:00:00Z")',
      'self.du > duration("1h")',
      'self.b == b"abc"',
      'self.b.size() > 1',
      'string(self.b) == "a"',
      'self.da.getHours() > 1',
    ),
    [],
  ],
  [ruled(object({ e: { type: 'string', enum: ['a', 'bbb'] } }), 'self.e.matches("a")', 'self.e.contains("b")'), []],
  [ruled(object({ s: TEXT }), { rule: 'true', messageExpression: '"a" + self.s' }), []],
  [ruled(object({ n: INT }), { rule: 'true', messageExpression: 'string(self.n)' }), []],
  [
    ruled(object({ n: INT }), { rule: 'true', messageExpression: '"n" + string(self.n)' }),
    ['[0].messageExpression more than 100x', 'total more than 100x'],
  ],
  [ruled(object({ s: text(20) }), { rule: 'true', messageExpression: '"a" + self.s' }), []],
  [ruled(object({ s: text(20) }), { rule: 'true', messageExpression: '"%s".format([self.s])' }), []],
  [ruled(object({ s: text(20) }), { rule: 'true', messageExpression: 'strings.quote(self.s)' }), []],
  [
    ruled(
      object({ a: list(object({ b: list(object({ c: TEXT }, { required: ['c'] })) }, { required: ['b'] })) }),
      'self.a.all(x, x.b.all(y, y.c != "z"))',
    ),
    ['[0].rule more than 100x', 'total more than 100x'],
  ],
  [
    ruled(
      object({ a: list(object({ b: list(object({ c: TEXT }, { required: ['c'] }), 5) }, { required: ['b'] }), 5) }),
      'self.a.all(x, x.b.all(y, y.c != "z"))',
    ),
    [],
  ],
  [ruled(object({ l: list(text(10), 10) }), 'self.l == oldSelf.l'), []],
  [ruled(object({ l: list(TEXT) }), 'self == oldSelf'), []],
  [ruled(object({ s: TEXT }), 'self.s == oldSelf.s'), []],
  [ruled(object({ s: text(10) }), 'self.s == "a" ? self.s.matches("b") : true'), []],
  [ruled(object({ l: list(TEXT, 10) }), '(self.l.size() > 1 ? self.l : []).all(x, x.matches("b"))'), []],
  [ruled(object({ l: list(TEXT, 10), k: list(TEXT, 20) }), '(self.l + self.k).all(x, x.matches("b"))'), []],
  [ruled(object({ l: list(text(3), 10) }), '["a", "bb"].all(x, self.l.exists(y, y.contains(x)))'), []],
  [ruled(object({ l: list(text(3), 10) }), '{"a": "bb"}.all(k, v, self.l.exists(y, y.contains(v)))'), []],
  [ruled(object({ l: list(text(3), 10) }), 'dyn(self.l).all(x, x == "a")'), []],
  [ruled(object({ l: list(text(3), 10) }), 'self.l.filter(x, x.contains("a"))[0].matches("aaa")'), []],
  [
    ruled(
      object({ l: list(list(text(3), 10), 10) }),
      'self.l.all(x, x.all(y, y.matches("a"))) && self.l[0][1].matches("b")',
    ),
    [],
  ],
  [ruled(object({ l: list(INT, 100) }), 'self.l.sortBy(x, -x)[0] == 1'), []],
  [ruled(object({ s: text(100) }), 'self.s.findAll("[a-z]").size() > 1 && self.s.find("a") == "b"'), []],
  [ruled(object({ s: text(100) }), 'self.s.substring(1, 3).trim().upperAscii().charAt(1) == "b"'), []],
  [
    ruled(
      object({ s: text(100) }),
      'self.s.replace("", "bbb").contains("x")',
      'self.s.replace("abc", "b").contains("x")',
      'self.s.replace("b", "abc").contains("x")',
      'self.s.replace(self.s, "b").contains("x")',
    ),
    [],
  ],
  [ruled(object({ s: text(100) }), 'sets.contains(self.s.split(""), ["a"])'), []],
  [ruled(object({ l: list(text(5), 10) }), 'sets.equivalent(self.l, ["a"]) && sets.intersects(self.l, self.l)'), []],
];
