import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../../support/repository/root.js';
import { SCENARIOS } from '../scenarios/all.js';
import { RESTORED, WRITTEN } from '../specs/subjects.js';
import { MISTAKES } from './list.js';
import { mistakenText, OF_SPECS } from './mistake.js';

const SUBJECTS = [...WRITTEN, ...RESTORED].map(({ name }) => ({ name: `${OF_SPECS}${name}` }));

describe('deliberate mistakes', () => {
  it('can all be made in the sources of now, in scenarios that there are', () => {
    for (const mistake of MISTAKES) {
      const source = readFileSync(path.join(root, 'src', mistake.file), 'utf8');
      expect(mistakenText(mistake, source)).not.toBe(source);
      expect([...SCENARIOS, ...SUBJECTS].some(({ name }) => name.startsWith(mistake.scenarios))).toBe(true);
    }
  });

  it('have names of their own', () => {
    expect(new Set(MISTAKES.map(({ name }) => name)).size).toBe(MISTAKES.length);
  });
});
