import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chartVersion, type ChartFile } from '../../tools/chart/version.js';

describe('the version of a chart', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-chart-'));
    mkdirSync(path.join(folder, 'chart', 'templates'), { recursive: true });
    write('Chart.yaml', 'version: 1');
    write('values.yaml', 'a: 1');
    write('templates/a.yaml', 'a');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(file: string, text: string): void {
    writeFileSync(path.join(folder, 'chart', file), text);
  }

  function version(...generated: readonly ChartFile[]): string {
    return chartVersion(folder, 'chart', '1.2.3', generated);
  }

  it('it is a pre-release of the next release, and the same for the same content', () => {
    expect(version()).toMatch(/^1\.2\.3-dev\.c[0-9a-f]{10}$/);
    expect(version()).toBe(version({ path: 'chart/values.yaml', text: 'a: 1' }));
  });

  it.each<[string, () => string]>([
    ['a file that people write', () => (write('values.yaml', 'a: 2'), version())],
    ['a new file', () => (write('templates/b.yaml', ''), version())],
    ['a generated file', () => version({ path: 'chart/templates/a.yaml', text: 'b' })],
    ['a file that is generated for the first time', () => version({ path: 'chart/templates/c.yaml', text: '' })],
  ])('%s with another content changes it', (_, changed) => {
    const before = version();

    expect(changed()).not.toBe(before);
  });

  it('Chart.yaml, which has the version, does not count', () => {
    const before = version();
    write('Chart.yaml', 'version: 2');

    expect(version()).toBe(before);
  });
});
