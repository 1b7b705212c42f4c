import { describe, expect, it } from '@jest/globals';
import { usage } from './support/commandline.js';
import { version } from '../src/runtime/process/build.js';

describe('a command line', () => {
  it.each<[string, string[], string]>([
    ['without a command', [], 'no command (see multicluster-engine --help)'],
    ['with an unknown command', ['operate'], 'unknown command "operate"; did you mean operator?'],
    ['that begins with a flag', ['--workers=3'], 'no command after "--workers=3" (see multicluster-engine --help)'],
  ])('a command line %s is refused with code 1, since 2 is a result of plan', (_name, argv, line) => {
    expect(usage(argv)).toEqual({ command: 'usage', exitCode: 1, text: `multicluster-engine: ${line}\n` });
  });

  it.each<[string, string[], string]>([
    ['with an unknown flag', ['operator', '--foo=1'], 'unknown flag "--foo" (see multicluster-engine operator --help)'],
    [
      'with an unknown flag alone',
      ['operator', '--foo'],
      'unknown flag "--foo" (see multicluster-engine operator --help)',
    ],
    ['with an unknown short flag', ['operator', '-x'], 'unknown flag "-x" (see multicluster-engine operator --help)'],
    [
      'with a negated flag',
      ['operator', '--no-workers'],
      'unknown flag "--no-workers" (see multicluster-engine operator --help); did you mean --workers?',
    ],
    [
      'with a flag spelt in capitals',
      ['operator', '--Workers=1'],
      'unknown flag "--Workers" (see multicluster-engine operator --help); did you mean --workers?',
    ],
    [
      'with a flag of the language',
      ['operator', '--__proto__=1'],
      'unknown flag "--__proto__" (see multicluster-engine operator --help)',
    ],
    ['with a flag without its value', ['operator', '--workers'], '--workers needs a value (--workers=VALUE)'],
    [
      'with a flag in place of a value',
      ['operator', '--workers', '--log-level=info'],
      '--workers must be a whole number from 1 to 64, got "--log-level=info"',
    ],
    ['with a value for --help', ['operator', '--help=yes'], '--help takes no value, got "yes"'],
    [
      'with a stray word',
      ['operator', 'now'],
      'unexpected argument "now": only flags are allowed (see multicluster-engine operator --help)',
    ],
    [
      'with an argument after --',
      ['operator', '--', '-n'],
      'unexpected argument "-n": only flags are allowed (see multicluster-engine operator --help)',
    ],
  ])('a command line %s is refused with code 2', (_name, argv, line) => {
    expect(usage(argv)).toEqual({ command: 'usage', exitCode: 2, text: `multicluster-engine: ${line}\n` });
  });

  it.each([[['--help']], [['-h']]])('the command line %j lists the commands', (argv) => {
    const { exitCode, text } = usage(argv);

    expect(exitCode).toBe(0);
    expect(text).toContain('operator');
  });

  it.each([[['--version']], [['operator', '--version']]])('the command line %j prints the version', (argv) => {
    expect(usage(argv)).toEqual({ command: 'usage', exitCode: 0, text: `${version()}\n` });
  });
});
