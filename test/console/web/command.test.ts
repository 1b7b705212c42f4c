import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { commandText, shown } from '../../../src/console/web/command.js';

describe('commands to copy', () => {
  it('a shell gets back the words, whatever they hold, and runs none of them, or there is no command', () => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'command-'));
    // Texts, and what a shell would act on.
    const pieces = [
      "'",
      '"',
      '$',
      '(',
      ')',
      '`',
      ';',
      '&',
      '|',
      '<',
      '>',
      '\\',
      '~',
      '*',
      '!',
      '#',
      '{',
      '=',
      '-',
      ' ',
    ];
    const attack = fc.constantFrom(...pieces, '$(touch ran)', '`touch ran`', ';touch ran;', '\n', '\u202e');
    const unit = fc.oneof(attack, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }));
    const words = fc.array(fc.string({ unit, minLength: 1, maxLength: 12 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(words, (list) => {
        const command = commandText(list);
        if (command === undefined) return;
        const script = `for word in ${command}; do printf '%s\\0' "$word"; done`;
        expect(execFileSync('sh', ['-c', script], { cwd, encoding: 'utf8' })).toBe(
          list.map((word) => `${word}\0`).join(''),
        );
        expect(readdirSync(cwd)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [['kubectl', 'get', 'mcl', 'edge-1'], 'kubectl get mcl edge-1'],
    [['kubectl', 'get', 'mcl', "it's; rm -rf ~"], `kubectl get mcl 'it'\\''s; rm -rf ~'`],
    [['kubectl', '$(reboot)'], `kubectl '$(reboot)'`],
    [['kubectl', ''], `kubectl ''`],
  ])('the command of %j is %s', (words, command) => {
    expect(commandText(words)).toBe(command);
  });

  it.each(['a\nb', 'a\u001b[2Jb', 'a\u202eb', 'a\u200bb', 'a\u2028b'])('a name with %j has no command', (name) => {
    expect(commandText(['kubectl', 'get', 'mcl', name])).toBeUndefined();
  });
});

describe('texts of the fleet', () => {
  it('characters that are not seen, or turn others around, are shown as what they are', () => {
    expect(shown('gold\u202edlog\u0007')).toBe('gold\\u202edlog\\u0007');
    expect(shown('größer <b>')).toBe('größer <b>');
  });
});
