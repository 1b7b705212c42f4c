import { readFileSync } from 'node:fs';
import path from 'node:path';

import { beforeAll, expect, it } from '@jest/globals';

import { binary } from '../../support/controlplane/binaries.js';
import { describeForeign, FOLDER, linesOf } from './foreign.js';

const SCENARIO_MS = 150_000;
const DAY = readFileSync(path.join(FOLDER, 'helm', 'day.sh'), 'utf8');

describeForeign('Helm 4', 'helm', (program, targets) => {
  let consoles: readonly (readonly string[])[] = [];
  beforeAll(async () => {
    const env = { HELM: program, KUBECTL: binary('kubectl'), CHART: path.join(FOLDER, 'helm', 'chart') };
    consoles = await Promise.all(targets().map((target) => linesOf(DAY, target, env)));
  }, SCENARIO_MS);

  it('prints and leaves the same on each server', () => {
    for (const lines of consoles) expect(lines).toEqual(consoles[0]);
  });

  it('installs, upgrades, rolls back and uninstalls', () => {
    expect(consoles).not.toEqual([]);
    for (const lines of consoles) {
      expect(lines).toContain('shop greets with welcome.');
      expect(lines).toContain('Rollback was a success! Happy Helming!');
      expect(lines).toContain('release "shop" uninstalled');
    }
  });
});
