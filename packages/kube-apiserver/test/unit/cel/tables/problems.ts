import type { Row } from './row.js';

/** The compile errors of kube-apiserver 1.36.3 for rules; '' for valid rules. */
export const problems: readonly Row[] = [
  [
    'self.n ==',
    "compilation failed: ERROR: <input>:1:10: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.n ==\n | .........^",
  ],
  [
    'self.n = 1',
    "compilation failed: ERROR: <input>:1:8: Syntax error: token recognition error at: '= '\n | self.n = 1\n | .......^\nERROR: <input>:1:10: Syntax error: extraneous input '1' expecting <EOF>\n | self.n = 1\n | .........^",
  ],
  [
    'self..n',
    "compilation failed: ERROR: <input>:1:6: Syntax error: no viable alternative at input '..'\n | self..n\n | .....^",
  ],
  [
    'self.',
    "compilation failed: ERROR: <input>:1:6: Syntax error: no viable alternative at input '.'\n | self.\n | .....^",
  ],
  ['(self.n', "compilation failed: ERROR: <input>:1:8: Syntax error: missing ')' at '<EOF>'\n | (self.n\n | .......^"],
  [
    'self.n == 1)',
    "compilation failed: ERROR: <input>:1:12: Syntax error: extraneous input ')' expecting <EOF>\n | self.n == 1)\n | ...........^",
  ],
  [
    '"abc',
    `compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: '"abc'\n | "abc\n | ^\nERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | "abc\n | ....^`,
  ],
  [
    'self.n @ 1',
    "compilation failed: ERROR: <input>:1:8: Syntax error: token recognition error at: '@'\n | self.n @ 1\n | .......^\nERROR: <input>:1:10: Syntax error: extraneous input '1' expecting <EOF>\n | self.n @ 1\n | .........^",
  ],
  [
    '[1, "a"] == [1]',
    `compilation failed: ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, "a"] == [1]\n | ....^`,
  ],
  ['"%s %d".format(["a", 1]) == "a"', ''],
  [
    '{"a": 1, 2: "b"} == {}',
    `compilation failed: ERROR: <input>:1:10: expected type 'string' but found 'int'\n | {"a": 1, 2: "b"} == {}\n | .........^\nERROR: <input>:1:13: expected type 'int' but found 'string'\n | {"a": 1, 2: "b"} == {}\n | ............^`,
  ],
  [
    'self.l.map(1, 2) == []',
    'compilation failed: ERROR: <input>:1:12: argument is not an identifier\n | self.l.map(1, 2) == []\n | ...........^',
  ],
  [
    'self.l.all(a.b, true)',
    'compilation failed: ERROR: <input>:1:13: argument must be a simple name\n | self.l.all(a.b, true)\n | ............^',
  ],
  ['has(self)', 'compilation failed: ERROR: <input>:1:5: invalid argument to has() macro\n | has(self)\n | ....^'],
  ['self.nope == 1', "compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope == 1\n | ....^"],
  [
    'self.d == self.n',
    "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(double, int)'\n | self.d == self.n\n | .......^",
  ],
  ['self.d < self.n', ''],
  [
    'self.n.foo == 1',
    "compilation failed: ERROR: <input>:1:7: type 'int' does not support field selection\n | self.n.foo == 1\n | ......^",
  ],
  [
    'foo(self.n)',
    "compilation failed: ERROR: <input>:1:4: undeclared reference to 'foo' (in container '')\n | foo(self.n)\n | ...^",
  ],
  [
    'self.n + "a" == "b"',
    `compilation failed: ERROR: <input>:1:8: found no matching overload for '_+_' applied to '(int, string)'\n | self.n + "a" == "b"\n | .......^`,
  ],
  [
    'self.s.matches("[")',
    'compilation failed: ERROR: <input>:1:16: invalid matches argument\n | self.s.matches("[")\n | ...............^',
  ],
  [
    'duration("x") == duration("1s")',
    'compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration("x") == duration("1s")\n | .........^',
  ],
  [
    'timestamp("x") == timestamp("y")',
    'compilation failed: ERROR: <input>:1:11: invalid timestamp argument\n | timestamp("x") == timestamp("y")\n | ..........^\nERROR: <input>:1:29: invalid timestamp argument\n | timestamp("x") == timestamp("y")\n | ............................^',
  ],
  ['self.n', 'cel expression must evaluate to a bool'],
  [
    'self.l[0] == 1',
    "compilation failed: ERROR: <input>:1:11: found no matching overload for '_==_' applied to '(string, int)'\n | self.l[0] == 1\n | ..........^",
  ],
  [
    'self.n && true',
    "compilation failed: ERROR: <input>:1:5: expected type 'bool' but found 'int'\n | self.n && true\n | ....^",
  ],
  [
    '!self.n',
    "compilation failed: ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'\n | !self.n\n | ^",
  ],
  [
    'self.n ? true : false',
    "compilation failed: ERROR: <input>:1:8: found no matching overload for '_?_:_' applied to '(int, bool, bool)'\n | self.n ? true : false\n | .......^",
  ],
  [
    'self.l.exists(x, x.foo)',
    "compilation failed: ERROR: <input>:1:19: type 'string' does not support field selection\n | self.l.exists(x, x.foo)\n | ..................^",
  ],
  [
    'cel.bind(x, 1, x == 1)',
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')\n | cel.bind(x, 1, x == 1)\n | ^\nERROR: <input>:1:9: undeclared reference to 'bind' (in container '')\n | cel.bind(x, 1, x == 1)\n | ........^\nERROR: <input>:1:10: undeclared reference to 'x' (in container '')\n | cel.bind(x, 1, x == 1)\n | .........^\nERROR: <input>:1:16: undeclared reference to 'x' (in container '')\n | cel.bind(x, 1, x == 1)\n | ...............^",
  ],
  [
    'math.abs(1) == 1',
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'math' (in container '')\n | math.abs(1) == 1\n | ^\nERROR: <input>:1:9: undeclared reference to 'abs' (in container '')\n | math.abs(1) == 1\n | ........^",
  ],
  [
    'base64.encode(b"a") == ""',
    `compilation failed: ERROR: <input>:1:1: undeclared reference to 'base64' (in container '')\n | base64.encode(b"a") == ""\n | ^\nERROR: <input>:1:14: undeclared reference to 'encode' (in container '')\n | base64.encode(b"a") == ""\n | .............^`,
  ],
  [
    'self.s.reverse() == ""',
    `compilation failed: ERROR: <input>:1:15: found no matching overload for 'reverse' applied to 'string.()'\n | self.s.reverse() == ""\n | ..............^`,
  ],
  ['[[1]].flatten() == [1]', ''],
  [
    'true == 1 < 2',
    "compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(bool, int)'\n | true == 1 < 2\n | .....^",
  ],
  ['self.`n` == 1', "compilation failed: ERROR: <input>:1:6: unsupported syntax: '`'\n | self.`n` == 1\n | .....^"],
  ['[?self.?n] == [1]', ''],
  ['{?"a": self.?n} == {"a": 1}', ''],
  ['self.s == r"\\d" && b"\\xff" == b"a"', ''],
  ['for == 1', 'compilation failed: ERROR: <input>:1:1: reserved identifier: for\n | for == 1\n | ^'],
  ['self.for == 1', "compilation failed: ERROR: <input>:1:5: undefined field 'for'\n | self.for == 1\n | ....^"],
  [
    'size(self) == 1',
    "compilation failed: ERROR: <input>:1:5: found no matching overload for 'size' applied to '(selfType1)'\n | size(self) == 1\n | ....^",
  ],
  [
    '1 in self.l',
    "compilation failed: ERROR: <input>:1:3: found no matching overload for '@in' applied to '(int, list(string))'\n | 1 in self.l\n | ..^",
  ],
  ['"a" in self.l', ''],
  ['self == self', ''],
  ['type(self) == string', ''],
  [
    'self.n == 99999999999999999999',
    'compilation failed: ERROR: <input>:1:11: invalid int literal\n | self.n == 99999999999999999999\n | ..........^',
  ],
  [
    '1 == 1u',
    "compilation failed: ERROR: <input>:1:3: found no matching overload for '_==_' applied to '(int, uint)'\n | 1 == 1u\n | ..^",
  ],
  ['.5 == 0.5', ''],
  ['self.is == 1', ''],
  ['self.is.foo == 1', ''],
  [
    'self.l.sum() == 1',
    "compilation failed: ERROR: <input>:1:11: found no matching overload for 'sum' applied to 'list(string).()'\n | self.l.sum() == 1\n | ..........^",
  ],
  ['self.m.x == 1', ''],
  ['self.m.all(k, v, v > 0)', ''],
  [
    'self.l.all(i, i, true)',
    'compilation failed: ERROR: <input>:1:15: duplicate variable name: i\n | self.l.all(i, i, true)\n | ..............^',
  ],
  [
    'Foo{} == 1',
    "compilation failed: ERROR: <input>:1:4: undeclared reference to 'Foo' (in container '')\n | Foo{} == 1\n | ...^",
  ],
  [
    'null == self.n',
    "compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(null, int)'\n | null == self.n\n | .....^",
  ],
  [
    'self.s == null',
    "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(string, null)'\n | self.s == null\n | .......^",
  ],
  [
    'self.?n.orValue("a") == 1',
    `compilation failed: ERROR: <input>:1:16: found no matching overload for 'orValue' applied to 'optional_type(int).(string)'\n | self.?n.orValue("a") == 1\n | ...............^`,
  ],
  ['optional.of(1) == self.?n', ''],
  [
    'self.n==1&&self.foo==2||self.bar==3',
    "compilation failed: ERROR: <input>:1:16: undefined field 'foo'\n | self.n==1&&self.foo==2||self.bar==3\n | ...............^\nERROR: <input>:1:29: undefined field 'bar'\n | self.n==1&&self.foo==2||self.bar==3\n | ............................^",
  ],
  [
    '"é" == self.zz',
    `compilation failed: ERROR: <input>:1:12: undefined field 'zz'\n | "é" == self.zz\n | .．.........^`,
  ],
  ['x', "compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^"],
  ['', 'Required value: rule is not specified'],
  [' ', 'Required value: rule is not specified'],
  [
    'self.n\n  == "a"',
    `compilation failed: ERROR: <input>:2:3: found no matching overload for '_==_' applied to '(int, string)'\n |   == "a"\n | ..^`,
  ],
  ['self.n == 1 // c', ''],
  [
    '-self.s == ""',
    `compilation failed: ERROR: <input>:1:1: found no matching overload for '-_' applied to '(string)'\n | -self.s == ""\n | ^`,
  ],
  ['--self.n == 1', ''],
  ['[].all(x, x)', ''],
  ['dyn(1).foo == 2', ''],
  [
    'self.s.foo',
    "compilation failed: ERROR: <input>:1:7: type 'string' does not support field selection\n | self.s.foo\n | ......^",
  ],
  [
    'self.s.size(1) == 1',
    "compilation failed: ERROR: <input>:1:12: found no matching overload for 'size' applied to 'string.(int)'\n | self.s.size(1) == 1\n | ...........^",
  ],
  [
    'size() == 1',
    "compilation failed: ERROR: <input>:1:5: found no matching overload for 'size' applied to '()'\n | size() == 1\n | ....^",
  ],
  [
    'self.metadata == 1',
    "compilation failed: ERROR: <input>:1:5: undefined field 'metadata'\n | self.metadata == 1\n | ....^",
  ],
  ['url("a") == url("b") ', ''],
  ['self.n == 1 ? "a" : "b"', 'cel expression must evaluate to a bool'],
  [
    'self.n == 1 ? "a" : 2',
    `compilation failed: ERROR: <input>:1:13: found no matching overload for '_?_:_' applied to '(bool, string, int)'\n | self.n == 1 ? "a" : 2\n | ............^`,
  ],
  [
    'self.d == 1',
    "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(double, int)'\n | self.d == 1\n | .......^",
  ],
  ['self.d == 1.0', ''],
  [
    'self.n == 1.0',
    "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(int, double)'\n | self.n == 1.0\n | .......^",
  ],
  [
    'self.n in [1.0]',
    "compilation failed: ERROR: <input>:1:8: found no matching overload for '@in' applied to '(int, list(double))'\n | self.n in [1.0]\n | .......^",
  ],
  ['dyn(self.n) == 1.0', ''],
  [
    'self.s.startsWith(1)',
    "compilation failed: ERROR: <input>:1:18: found no matching overload for 'startsWith' applied to 'string.(int)'\n | self.s.startsWith(1)\n | .................^",
  ],
  [
    'self.l.join(1) == ""',
    `compilation failed: ERROR: <input>:1:12: found no matching overload for 'join' applied to 'list(string).(int)'\n | self.l.join(1) == ""\n | ...........^`,
  ],
  [
    'self.l.map(x, x + 1) == []',
    "compilation failed: ERROR: <input>:1:17: found no matching overload for '_+_' applied to '(string, int)'\n | self.l.map(x, x + 1) == []\n | ................^",
  ],
  ['type(self.n) == int', ''],
  [
    'self.n.all(x, x)',
    "compilation failed: ERROR: <input>:1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)\n | self.n.all(x, x)\n | ....^",
  ],
  ['self.l.exists_one(x, x == "a")', ''],
  ['string(self.s) == "a"', ''],
  [
    '"a" + 1 == "b"',
    `compilation failed: ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(string, int)'\n | "a" + 1 == "b"\n | ....^`,
  ],
  [
    'self.s[0] == "a"',
    `compilation failed: ERROR: <input>:1:7: found no matching overload for '_[_]' applied to '(string, int)'\n | self.s[0] == "a"\n | ......^`,
  ],
  [
    'self["n"] == 1',
    `compilation failed: ERROR: <input>:1:5: found no matching overload for '_[_]' applied to '(selfType1, string)'\n | self["n"] == 1\n | ....^`,
  ],
  [
    'self.l["n"] == "a"',
    `compilation failed: ERROR: <input>:1:7: found no matching overload for '_[_]' applied to '(list(string), string)'\n | self.l["n"] == "a"\n | ......^`,
  ],
  [
    'self.m[1] == 2',
    "compilation failed: ERROR: <input>:1:7: found no matching overload for '_[_]' applied to '(map(string, int), int)'\n | self.m[1] == 2\n | ......^",
  ],
  ['oldSelf == self', ''],
  [
    'true ? 1 : "a"',
    `compilation failed: ERROR: <input>:1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'\n | true ? 1 : "a"\n | .....^`,
  ],
  [
    'self.n == 1; true',
    "compilation failed: ERROR: <input>:1:12: Syntax error: token recognition error at: ';'\n | self.n == 1; true\n | ...........^\nERROR: <input>:1:14: Syntax error: extraneous input 'true' expecting <EOF>\n | self.n == 1; true\n | .............^",
  ],
  [
    '{a: 1}.a == 1',
    "compilation failed: ERROR: <input>:1:2: undeclared reference to 'a' (in container '')\n | {a: 1}.a == 1\n | .^",
  ],
  ['{"a": 1}.a == 1', ''],
  [
    'has(self.n.x)',
    "compilation failed: ERROR: <input>:1:4: type 'int' does not support field selection\n | has(self.n.x)\n | ...^",
  ],
  [
    'has(self["n"])',
    'compilation failed: ERROR: <input>:1:9: invalid argument to has() macro\n | has(self["n"])\n | ........^',
  ],
  ['has(self.nope)', "compilation failed: ERROR: <input>:1:4: undefined field 'nope'\n | has(self.nope)\n | ...^"],
  ['self.s.find("[") == ""', 'program instantiation failed: error parsing regexp: missing closing ]: `[`'],
  [
    'true ? false ? 1 : 2 : 3',
    "compilation failed: ERROR: <input>:1:14: Syntax error: mismatched input '?' expecting ':'\n | true ? false ? 1 : 2 : 3\n | .............^",
  ],
  ['self.n == 1 // comment', ''],
  [
    '[self.s',
    "compilation failed: ERROR: <input>:1:8: Syntax error: mismatched input '<EOF>' expecting {']', ','}\n | [self.s\n | .......^",
  ],
  [
    'dyn(self.s',
    "compilation failed: ERROR: <input>:1:11: Syntax error: missing ')' at '<EOF>'\n | dyn(self.s\n | ..........^",
  ],
  [
    '{"a": 1',
    `compilation failed: ERROR: <input>:1:8: Syntax error: mismatched input '<EOF>' expecting {'}', ','}\n | {"a": 1\n | .......^`,
  ],
  [
    'self.l.map(x)',
    "compilation failed: ERROR: <input>:1:11: undeclared reference to 'map' (in container '')\n | self.l.map(x)\n | ..........^\nERROR: <input>:1:12: undeclared reference to 'x' (in container '')\n | self.l.map(x)\n | ...........^",
  ],
  [
    'optional.of(1).optMap(1, 2) == 1',
    'compilation failed: ERROR: <input>:1:23: optMap() variable name must be a simple identifier\n | optional.of(1).optMap(1, 2) == 1\n | ......................^',
  ],
  [
    'self.l.sortBy(1, 2) == []',
    'compilation failed: ERROR: <input>:1:15: argument is not an identifier\n | self.l.sortBy(1, 2) == []\n | ..............^',
  ],
  [
    'self.n < 1 < 2',
    "compilation failed: ERROR: <input>:1:12: found no matching overload for '_<_' applied to '(bool, int)'\n | self.n < 1 < 2\n | ...........^",
  ],
  [
    'self.l.exists(__result__, true)',
    'compilation failed: ERROR: <input>:1:15: iteration variable overwrites accumulator variable\n | self.l.exists(__result__, true)\n | ..............^',
  ],
  [
    '"%d".format(["a"]) == ""',
    'compilation failed: ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given string\n | "%d".format(["a"]) == ""\n | .............^',
  ],
  [
    '"%d %d".format([1]) == ""',
    'compilation failed: ERROR: <input>:1:15: index 1 out of range\n | "%d %d".format([1]) == ""\n | ..............^',
  ],
  [
    '"%d".format([1, 2]) == ""',
    'compilation failed: ERROR: <input>:1:12: too many arguments supplied to string.format (expected 1, got 2)\n | "%d".format([1, 2]) == ""\n | ...........^',
  ],
  [
    '"%q".format([1]) == ""',
    'compilation failed: ERROR: <input>:1:12: could not parse formatting clause: unrecognized formatting clause "q"\n | "%q".format([1]) == ""\n | ...........^',
  ],
  [
    '"%".format([1]) == ""',
    'compilation failed: ERROR: <input>:1:11: unexpected end of string\n | "%".format([1]) == ""\n | ..........^',
  ],
  [
    '"%.f".format([1.0]) == ""',
    'compilation failed: ERROR: <input>:1:13: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax\n | "%.f".format([1.0]) == ""\n | ............^',
  ],
  ['int("x") == 1', "program instantiation failed: type conversion error from 'string' to 'int'"],
  ['string(dyn([1])) == ""', 'program instantiation failed: no such overload: string(list)'],
  [
    'duration(5) == duration("1s")',
    'compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration(5) == duration("1s")\n | .........^',
  ],
  [
    'timestamp(99999999999999) == timestamp(0)',
    'compilation failed: ERROR: <input>:1:11: invalid timestamp argument\n | timestamp(99999999999999) == timestamp(0)\n | ..........^',
  ],
  [
    'self.s.find("(?=a)") == ""',
    'program instantiation failed: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
  ],
  [
    'self.s.matches("a{1001}")',
    'compilation failed: ERROR: <input>:1:16: invalid matches argument\n | self.s.matches("a{1001}")\n | ...............^',
  ],
  ['matches(self.s, "[")', 'program instantiation failed: error parsing regexp: missing closing ]: `[`'],
  [
    'url("a").x == 1',
    `compilation failed: ERROR: <input>:1:9: unexpected failed resolution of 'kubernetes.URL'\n | url("a").x == 1\n | ........^`,
  ],
  ['self.l.transformMap(k, v, v).foo == "a"', ''],
  [
    'self.?n == 1',
    "compilation failed: ERROR: <input>:1:9: found no matching overload for '_==_' applied to '(optional_type(int), int)'\n | self.?n == 1\n | ........^",
  ],
  [
    'self.l[?0] == "a"',
    `compilation failed: ERROR: <input>:1:12: found no matching overload for '_==_' applied to '(optional_type(string), string)'\n | self.l[?0] == "a"\n | ...........^`,
  ],
  [
    '[?self.n] == [1]',
    "compilation failed: ERROR: <input>:1:7: expected type 'optional_type(int)' but found 'int'\n | [?self.n] == [1]\n | ......^",
  ],
  [
    '{?"a": self.n} == {}',
    `compilation failed: ERROR: <input>:1:12: expected type 'optional_type(int)' but found 'int'\n | {?"a": self.n} == {}\n | ...........^`,
  ],
  [
    'self.m.?x.foo == 1',
    "compilation failed: ERROR: <input>:1:10: type 'int' does not support field selection\n | self.m.?x.foo == 1\n | .........^\nERROR: <input>:1:15: found no matching overload for '_==_' applied to '(optional_type(dyn), int)'\n | self.m.?x.foo == 1\n | ..............^",
  ],
  [
    'size(1) == 1',
    "compilation failed: ERROR: <input>:1:5: found no matching overload for 'size' applied to '(int)'\n | size(1) == 1\n | ....^",
  ],
  [
    'self.l + [1] == []',
    "compilation failed: ERROR: <input>:1:8: found no matching overload for '_+_' applied to '(list(string), list(int))'\n | self.l + [1] == []\n | .......^",
  ],
  [
    '[1] + ["a"] == []',
    `compilation failed: ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(list(int), list(string))'\n | [1] + ["a"] == []\n | ....^`,
  ],
  [
    '{"a": 1} == {"a": "b"}',
    `compilation failed: ERROR: <input>:1:10: found no matching overload for '_==_' applied to '(map(string, int), map(string, string))'\n | {"a": 1} == {"a": "b"}\n | .........^`,
  ],
  [
    '"a" in self.m && 1 in self.m',
    `compilation failed: ERROR: <input>:1:20: found no matching overload for '@in' applied to '(int, map(string, int))'\n | "a" in self.m && 1 in self.m\n | ...................^`,
  ],
  ['net.IP == type(ip("1.1.1.1"))', ''],
  [
    'self.l.all(x, y, z, true)',
    "compilation failed: ERROR: <input>:1:11: undeclared reference to 'all' (in container '')\n | self.l.all(x, y, z, true)\n | ..........^\nERROR: <input>:1:12: undeclared reference to 'x' (in container '')\n | self.l.all(x, y, z, true)\n | ...........^\nERROR: <input>:1:15: undeclared reference to 'y' (in container '')\n | self.l.all(x, y, z, true)\n | ..............^\nERROR: <input>:1:18: undeclared reference to 'z' (in container '')\n | self.l.all(x, y, z, true)\n | .................^",
  ],
  [
    '0x == 1',
    "compilation failed: ERROR: <input>:1:2: Syntax error: mismatched input 'x' expecting <EOF>\n | 0x == 1\n | .^",
  ],
  [
    '1e == 1',
    "compilation failed: ERROR: <input>:1:2: Syntax error: mismatched input 'e' expecting <EOF>\n | 1e == 1\n | .^",
  ],
  ['1u == 2u', ''],
  [
    "'unterminated",
    "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: ''unterminated'\n | 'unterminated\n | ^\nERROR: <input>:1:14: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 'unterminated\n | .............^",
  ],
  [
    'self.n == 1 ? true',
    "compilation failed: ERROR: <input>:1:19: Syntax error: mismatched input '<EOF>' expecting ':'\n | self.n == 1 ? true\n | ..................^",
  ],
  [
    'a.b.c == 1',
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'a' (in container '')\n | a.b.c == 1\n | ^",
  ],
  [
    'has(self.l[0])',
    'compilation failed: ERROR: <input>:1:11: invalid argument to has() macro\n | has(self.l[0])\n | ..........^',
  ],
  ['has(self.m.x) && !has(self.m.y)', ''],
  [
    'self.namespace == ""',
    `compilation failed: ERROR: <input>:1:5: undefined field 'namespace'\n | self.namespace == ""\n | ....^`,
  ],
  [
    'sets.contains(self.l, [1])',
    "compilation failed: ERROR: <input>:1:14: found no matching overload for 'sets.contains' applied to '(list(string), list(int))'\n | sets.contains(self.l, [1])\n | .............^",
  ],
  [
    'ip("1.1.1.1") == cidr("10.0.0.0/8")',
    `compilation failed: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(net.IP, net.CIDR)'\n | ip("1.1.1.1") == cidr("10.0.0.0/8")\n | ..............^`,
  ],
  [
    'self.n in self.l',
    "compilation failed: ERROR: <input>:1:8: found no matching overload for '@in' applied to '(int, list(string))'\n | self.n in self.l\n | .......^",
  ],
  ['self.is in self.l', ''],
  [
    '[].foo == 1',
    "compilation failed: ERROR: <input>:1:3: type 'list(_var0)' does not support field selection\n | [].foo == 1\n | ..^",
  ],
  [
    'optional.none() == self.?s',
    'Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
  ],
  [
    'self.s ? 1 : 2',
    "compilation failed: ERROR: <input>:1:8: found no matching overload for '_?_:_' applied to '(string, int, int)'\n | self.s ? 1 : 2\n | .......^",
  ],
  ['1 + 1', 'cel expression must evaluate to a bool'],
  ['null', 'cel expression must evaluate to a bool'],
  [
    'self.l.all(x, x == 1 || y)',
    "compilation failed: ERROR: <input>:1:17: found no matching overload for '_==_' applied to '(string, int)'\n | self.l.all(x, x == 1 || y)\n | ................^\nERROR: <input>:1:25: undeclared reference to 'y' (in container '')\n | self.l.all(x, x == 1 || y)\n | ........................^",
  ],
];
