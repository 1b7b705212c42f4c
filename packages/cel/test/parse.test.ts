import { describe, expect, it } from '@jest/globals';

import { CompileError } from '../src/language/problem.js';
import { parseExpression } from '../src/parser/parse.js';

/** What an expression begins with, in messages; `…` stands for its end. */
const REST = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";

/** Line, column and text of each error, without the lines that quote the source. */
function problemsOf(expression: string): readonly string[] {
  try {
    parseExpression(expression);
    return [];
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return error.message
      .split('\n')
      .filter((line) => line.startsWith('ERROR: ') || line.includes('more errors'))
      .map((line) => line.replace('ERROR: <input>:', '').replace(REST, '…'));
  }
}

describe('syntax errors', () => {
  // Recorded from the parser of cel-go 0.26.
  it.each([
    ['1 + ) 2', "1:5: Syntax error: extraneous input ')' expecting {'[', '{', '(', '.', '-', '!', …}"],
    ['(1 + ) * 2', "1:6: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', …}"],
    ['(a b', "1:4: Syntax error: mismatched input 'b' expecting ')'"],
    ['(a b)', "1:4: Syntax error: extraneous input 'b' expecting ')'"],
    ['((a', "1:4: Syntax error: mismatched input '<EOF>' expecting ')'"],
    ['1 ? 2 ? 3 : 4 : 5', "1:7: Syntax error: mismatched input '?' expecting ':'"],
    ['1 : 2', "1:3: Syntax error: mismatched input ':' expecting <EOF>"],
    ['[', "1:2: Syntax error: mismatched input '<EOF>' expecting {'[', ']', '{', '(', '.', ',', '-', '!', '?', …}"],
    ['[1 2]', "1:4: Syntax error: extraneous input '2' expecting {']', ','}"],
    ['[1,,2]', "1:4: Syntax error: mismatched input ',' expecting ']'"],
    ['{', "1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', …}"],
    ['{1}', "1:3: Syntax error: mismatched input '}' expecting ':'"],
    ['a[', "1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', '?', …}"],
    ['f(', "1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', …}"],
    ['a.true', "1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER"],
    ['a\t\n.', "2:2: Syntax error: no viable alternative at input '.'"],
    ['- !a', "1:3: Syntax error: no viable alternative at input '- !'"],
    ['! == 1', "1:3: Syntax error: extraneous input '==' expecting {'[', '{', '(', '.', '-', '!', …}"],
    ['a.`b-c`', "1:3: unsupported syntax: '`'"],
    ['if(1)', '1:1: reserved identifier: if'],
    ['"""a', `1:3: Syntax error: token recognition error at: '"a'`],
    [
      "'\\400'",
      "1:1: Syntax error: token recognition error at: ''\\4'",
      "1:6: Syntax error: token recognition error at: '''",
    ],
    ['b"\\u0041"', '1:1: unable to unescape string'],
    ['"\\ud800"', '1:1: invalid unicode code point'],
    ['9223372036854775808', '1:1: invalid int literal'],
    ['18446744073709551616u', '1:1: invalid uint literal'],
    ['1e999', '1:1: invalid double literal'],
    [
      'é == 1',
      "1:1: Syntax error: token recognition error at: 'é'",
      "1:3: Syntax error: extraneous input '==' expecting {'[', '{', '(', '.', '-', '!', …}",
    ],
    [
      'a = b & c | d',
      "1:3: Syntax error: token recognition error at: '= '",
      "1:5: Syntax error: mismatched input 'b' expecting <EOF>",
      "1:7: Syntax error: token recognition error at: '& '",
      "1:11: Syntax error: token recognition error at: '| '",
    ],
  ])('the expression %j has the syntax errors of cel-go', (expression, ...problems) => {
    expect(problemsOf(expression)).toEqual(problems);
  });

  it.each(['a.package', '1.a', '-9223372036854775808', '[1,]', '{,}', '.a', '--1', "r'''a'b'''", 'a//b'])(
    'the expression %j has none',
    (expression) => {
      expect(problemsOf(expression)).toEqual([]);
    },
  );

  it('no more than a hundred are reported', () => {
    const problems = problemsOf('@'.repeat(100_000));

    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toBe('1 more errors were truncated');
    expect(problemsOf('1 + ) '.repeat(10_000))).toHaveLength(101);
  });
});

describe('limits of nesting', () => {
  // The limits of cel-go: 250 rules of a kind within each other, and 250 operations.
  it.each<[string, (count: number) => string, number, string]>([
    [
      'brackets',
      (count) => '('.repeat(count) + '1' + ')'.repeat(count),
      249,
      'expression recursion limit exceeded: 250',
    ],
    [
      'arguments',
      (count) => 'f('.repeat(count) + '1' + ')'.repeat(count),
      249,
      'expression recursion limit exceeded: 250',
    ],
    ['choices', (count) => `${'a ? 1 : '.repeat(count)}1`, 249, 'expression recursion limit exceeded: 250'],
    [
      'right operands',
      (count) => '(x == '.repeat(count) + 'x' + ')'.repeat(count),
      124,
      'expression recursion limit exceeded: 250',
    ],
    ['sums', (count) => `1${' + 1'.repeat(count)}`, 250, 'max recursion depth exceeded'],
    ['selections', (count) => `a${'.b'.repeat(count)}`, 250, 'max recursion depth exceeded'],
    ['macros', (count) => `a${'.map(x, x)'.repeat(count)}`, 250, 'max recursion depth exceeded'],
  ])('%s', (_title, expression, most, problem) => {
    expect(problemsOf(expression(most))).toEqual([]);
    expect(problemsOf(expression(most + 1))).toEqual([`-1:0: ${problem}`]);
    expect(problemsOf(expression(8_000))).toEqual([`-1:0: ${problem}`]);
  });

  it('conjunctions and signs do not nest', () => {
    expect(problemsOf(`x${' && x'.repeat(19_000)}`)).toEqual([]);
    expect(problemsOf(`${'!'.repeat(99_000)}x`)).toEqual([]);
  });
});
