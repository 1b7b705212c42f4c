import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { pages, readPage } from '../support/repository/documents.js';
import { typedBlocksIn } from '../support/repository/markdown.js';
import { root } from '../support/repository/root.js';

interface Rule {
  readonly pattern: RegExp;
  /** Lines that the pattern finds. */
  readonly examples: readonly string[];
  readonly why: string;
}

/** What a script, or a command of a page, must not use: macOS has bash 3.2, and BSD tools with other options than GNU's. */
const RULES: readonly Rule[] = [
  { pattern: /\b(?:mapfile|readarray)\b/, examples: ['mapfile -t files'], why: 'needs bash 4' },
  {
    pattern: /\b(?:declare|local|typeset) -[A-Za-z]*[An]/,
    examples: ['declare -A seen', 'local -n out=$1'],
    why: 'needs bash 4',
  },
  {
    pattern: /\$\{\w+(?:\[[^\]]*\])?(?:,|\^|@[A-Za-z])/,
    examples: ['${name,,}', '${name^}', '${name@Q}'],
    why: 'needs bash 4',
  },
  { pattern: /\|&|&>>|\bcoproc\b|\bwait -n\b/, examples: ['a |& b', 'a &>> log', 'wait -n'], why: 'needs bash 4' },
  { pattern: /\bflock\b/, examples: ['flock 9'], why: 'is not in macOS: use lock of testing/buildcache.sh' },
  {
    pattern: /\b(?:sha256sum|md5sum)\b/,
    examples: ['sha256sum file'],
    why: 'is not in macOS: use sha256 of testing/buildcache.sh',
  },
  {
    // A suffix that follows at once, as in -i.before, is read by both.
    pattern: /\bsed\b.* -[a-zA-Z]*i(?!\.)/,
    examples: ['sed -i s/a/b/ file', 'sed -Ei s/a/b/ file'],
    why: 'has other arguments in BSD sed',
  },
  {
    pattern: /\bsed\b.*\\[rn]\b(?=.*\/.*\/)/,
    examples: ["sed 's/\\r$//'"],
    why: 'is a letter in a pattern of BSD sed: use tr',
  },
  { pattern: /\bxargs\b.* (?:-r\b|--no-run-if-empty)/, examples: ['xargs -0 -r rm'], why: 'is a GNU option' },
  { pattern: /\bgrep\b.* -[a-zA-Z]*P/, examples: ['grep -oP x'], why: 'is a GNU option' },
  { pattern: /\bcp\b.* (?:-[a-zA-Z]*l|--)/, examples: ['cp -al a b'], why: 'is a GNU option' },
  {
    pattern: /\b(?:readlink -f|realpath|stat -c|date -d|nproc|tac)\b|(?<!-)\btimeout \d/,
    examples: ['readlink -f x', 'timeout 3 x'],
    why: 'is GNU only',
  },
  { pattern: /\bmktemp\b.* -(?:p|-)/, examples: ['mktemp -p x'], why: 'is a GNU option' },
  { pattern: /\bC\.UTF-8\b/, examples: ['LC_ALL=C.UTF-8'], why: 'is no locale of macOS' },
];

/** Where a program is used if it is there, with another one in its place if not. */
const ALLOWED = [
  ['packages/kube-apiserver/testing/buildcache.sh', 'flock'],
  ['packages/kube-apiserver/testing/buildcache.sh', 'sha256sum'],
  ['tools/verify.sh', 'sha256sum'],
] as const;

/** Every script of the repository, and the Makefile. */
function scripts(): readonly string[] {
  const found = ['bench', 'deploy', 'packages', 'test', 'tools'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.sh') && !/(?:^|\/)(?:node_modules|dist)\//.test(file))
      .map((file) => `${folder}/${file}`),
  );
  return ['.ci/run', 'Makefile', ...found];
}

/** What a rule finds in a script, comments aside. */
function faults(file: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    if (/^\s*#/.test(line)) return [];
    return RULES.flatMap(({ pattern, why }) => {
      const found = pattern.exec(line)?.[0];
      if (found === undefined || ALLOWED.some(([place, name]) => place === file && name === found)) return [];
      return [`${file}:${index + 1}: ${found} ${why}`];
    });
  });
}

describe('the scripts', () => {
  it('the scripts use nothing that macOS does not have', () => {
    const files = scripts();

    expect(files).toEqual(expect.arrayContaining(['test/run.sh', 'tools/verify.sh']));
    expect(files.flatMap((file) => faults(file, readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
  });

  it.each(pages())('the commands of %s use nothing that macOS does not have', (page) => {
    const found = typedBlocksIn(readPage(page)).flatMap(({ line, text }) => faults(`${page}:${line}`, text));

    expect(found).toEqual([]);
  });

  it.each(RULES.flatMap(({ examples }) => examples))('the line %j of a script is found', (line) => {
    expect(faults('x.sh', `#!/usr/bin/env bash\n${line}\n`)).toEqual([expect.stringMatching(/^x\.sh:2: /)]);
  });
});
