import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect } from '@jest/globals';

import { binary } from '../../../testing/controlplane/binaries.js';
import { describeClientProgram, FOLDER } from './program.js';

const WORK = {
  script: readFileSync(path.join(FOLDER, 'helm', 'release.sh'), 'utf8'),
  env: (program: string) => ({ HELM: program, KUBECTL: binary('kubectl'), CHART: path.join(FOLDER, 'helm', 'chart') }),
};

describeClientProgram('Helm 4', 'helm', WORK, (lines) => {
  expect(lines).toContain('shop greets with welcome.');
  expect(lines).toContain('Rollback was a success! Happy Helming!');
  expect(lines).toContain('release "shop" uninstalled');
});
