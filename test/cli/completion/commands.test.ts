import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWith } from '../../support/describewith.js';
import { root } from '../../support/repository/root.js';

/** Completes a line as bash does when Tab is pressed behind it; prints a word a line. */
const PRESS_TAB = `
source <(multicluster-engine completion bash)
while IFS= read -r COMP_LINE; do
  COMP_POINT=\${#COMP_LINE}
  _multicluster_engine
  echo "$COMP_LINE -> \${COMPREPLY[*]}"
done
`;

/**
 * Presses Tab behind each line in an interactive zsh, then ^T, which prints what the line has become, and ^U, which empties it.
 * It says that it is ready once it edits a line: before, the terminal would take ^U for itself. `READ""Y` keeps the echo of the
 * command from being taken for what it prints.
 */
const PRESS_TAB_IN_ZSH = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'autoload -Uz compinit; compinit -u -d "$HOME/dump"
source <(multicluster-engine completion zsh)
print-line() { print -r -- "$BUFFER" >>"$HOME/lines" }; zle -N print-line; bindkey "^T" print-line
zle-line-init() { print READ""Y }; zle -N zle-line-init'
zpty -r -m shell output '*READY*'
while IFS= read -r line; do
  zpty -w -n shell "$line"$'\\t\\x14\\x15'
done
zpty -w shell exit
while zpty -r shell output; do :; done
cat "$HOME/lines"
`;

/** Prints what fish proposes for each line. */
const COMPLETE_IN_FISH = `
multicluster-engine completion fish | source
while read line
  echo "$line -> "(complete -C "$line" | string split -f1 \\t | string join ' ')
end
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'completion-'));
  const program = path.join(folder, 'multicluster-engine');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${path.join(root, 'dist/src/main.js')}' "$@"\n`);
  chmodSync(program, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the shell prints for these lines. */
function run(shell: string, args: readonly string[], lines: readonly string[]): string {
  const { stdout, error } = spawnSync(shell, args, {
    env: { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder, TERM: 'dumb' },
    encoding: 'utf8',
    input: `${lines.join('\n')}\n`,
    timeout: 120_000,
  });
  if (error !== undefined) throw error;
  return stdout;
}

/** For a shell that not every machine has. */
function missing(shell: string): string | undefined {
  return spawnSync(shell, ['--version']).error === undefined ? undefined : `${shell} not found`;
}

describeWith('the script for zsh', missing('zsh'), () => {
  it('zsh completes commands, arguments and values of flags', () => {
    const expected = {
      'multicluster-engine who': 'multicluster-engine who-selects ',
      'multicluster-engine explain p': 'multicluster-engine explain placement ',
      'multicluster-engine explain placement web --near': 'multicluster-engine explain placement web --nearest ',
      'multicluster-engine explain placement web --output=y':
        'multicluster-engine explain placement web --output=yaml ',
      'multicluster-engine explain placement web -o y': 'multicluster-engine explain placement web -o yaml ',
    };
    const printed = run('zsh', ['-f', '-c', PRESS_TAB_IN_ZSH], Object.keys(expected));

    expect(printed).toBe(`${Object.values(expected).join('\n')}\n`);
  });
});

describeWith('the script for fish', missing('fish'), () => {
  it('fish completes commands, arguments and values of flags', () => {
    const expected = {
      'multicluster-engine who': 'who-selects',
      'multicluster-engine explain p': 'placement',
      'multicluster-engine explain placement web --near': '--nearest',
      'multicluster-engine explain placement web --output=y': '--output=yaml',
      'multicluster-engine explain placement web -o y': 'yaml',
    };
    const printed = run('fish', ['--no-config', '-c', COMPLETE_IN_FISH], Object.keys(expected));

    expect(printed).toBe(
      Object.entries(expected)
        .map(([line, words]) => `${line} -> ${words}\n`)
        .join(''),
    );
  });
});

describe('the script for bash', () => {
  it('bash completes commands, arguments and values of flags', () => {
    const expected = {
      'multicluster-engine who': 'who-selects',
      'multicluster-engine explain p': 'placement',
      'multicluster-engine explain placement web --near': '--nearest',
      'multicluster-engine explain placement web --output=y': 'yaml',
      'multicluster-engine explain placement web -o ': 'json yaml name wide jsonpath=',
    };
    const stdout = run('bash', ['-c', PRESS_TAB], Object.keys(expected));

    const lines = Object.entries(expected).map(([line, words]) => `${line} -> ${words}\n`);
    expect(stdout).toBe(lines.join(''));
  });
});
