import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../support/repository/root.js';

/** A sentence that names the input, and what makes all the output for it: JSON, or what becomes JSON. */
export type Case = readonly [sentence: string, output: () => unknown];

/** The recorded files, without `.json`. */
export const RECORDED_FILES = [
  'cli-explain',
  'cli-inspect',
  'cli-plan',
  'clusters',
  'console-reading',
  'engine-plan',
  'engine-run',
  'engine-spec',
  'engine-status',
  'gateway-answers',
  'gateway-faults',
  'kube',
  'placement-decision',
  'placement-status',
] as const;

export type RecordedFile = (typeof RECORDED_FILES)[number];

export const RECORDED_FOLDER = path.join(root, 'test', 'golden', 'recorded');

/** The environment variable that makes the tests write the files anew before they compare. */
const UPDATE = 'UPDATE_GOLDEN';

/** Outputs by the sentence of their case, as recorded; empty where nothing has been recorded. */
export function readRecorded(file: RecordedFile): Readonly<Record<string, unknown>> {
  const at = pathOf(file);
  return existsSync(at) ? (JSON.parse(readFileSync(at, 'utf8')) as Record<string, unknown>) : {};
}

/**
 * One test a case, which compares its output with the recorded one, and one test that the file holds exactly these cases.
 * With UPDATE_GOLDEN=1 the file is written first, never in CI; the difference then stands in the working tree.
 */
export function describeRecorded(file: RecordedFile, cases: readonly Case[]): void {
  describe(`recorded output of ${file}`, () => {
    beforeAll(async () => {
      if ((process.env[UPDATE] ?? '') === '') return;
      if (process.env['CI'] === 'true')
        throw new Error(`${UPDATE} is set in CI, where recorded files are compared and not written`);
      const made: Record<string, unknown> = {};
      for (const [sentence, output] of cases) made[sentence] = plain(await output());
      writeFileSync(pathOf(file), `${text(made, 3)}\n`);
    });

    it.each(cases.map((one): [string, Case[1]] => [...one]))(
      'the recorded output is the same for %s',
      async (sentence, output) => {
        expect(plain(await output())).toEqual(readRecorded(file)[sentence]);
      },
    );

    it(`the recorded output of ${file} has these cases and no others, each once`, () => {
      expect(Object.keys(readRecorded(file)).sort()).toEqual(cases.map(([sentence]) => sentence).sort());
    });
  });
}

function pathOf(file: RecordedFile): string {
  return path.join(RECORDED_FOLDER, `${file}.json`);
}

/** As JSON holds it; `null` where there is nothing. */
function plain(output: unknown): unknown {
  return output === undefined ? null : JSON.parse(JSON.stringify(output));
}

/**
 * JSON with sorted fields below the cases, spread over lines for `levels` levels (of the last one lists alone), so that a
 * changed message is a changed line.
 */
function text(value: unknown, levels: number, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const fields = Object.entries(value).map(([key, item]): [string, unknown] => [
    isList ? '' : `${JSON.stringify(key)}: `,
    item,
  ]);
  if (!isList && indent !== '') fields.sort(([a], [b]) => (a < b ? -1 : 1));
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const isLine = levels === 0 || (levels === 1 && !isList);
  if (isLine || fields.length === 0)
    return `${open}${fields.map(([key, item]) => `${key}${text(item, 0, ' ')}`).join(', ')}${close}`;
  const lines = fields.map(([key, item]) => `${indent} ${key}${text(item, levels - 1, `${indent} `)}`);
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
