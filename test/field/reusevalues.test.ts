/**
 * What people did: `helm upgrade --reuse-values`, with which the values are those of the earlier chart, and what a later
 * values.yaml has is missing. The templates ended with `nil pointer evaluating interface {}.enabled`. Right: a missing setting
 * has the default of the chart, so that such an upgrade installs what any other does.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWithPrograms, runProgram } from '../support/programs/programs.js';
import { root } from '../support/repository/root.js';

const CHARTS = path.join(root, 'deploy', 'helm');
/** The values.yaml of earlier charts, without comments, by the name of the chart and a number. */
const VALUES = path.join(root, 'test', 'field', 'chartvalues');
const EARLIER = readdirSync(VALUES).sort();
/** What turns on every part of a chart that is off by default. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'multicluster-engine': [
    'metrics.secure=true',
    'metrics.monitoring=true',
    'sigDecisions.enabled=true',
    'publishProfiles.namespace=cluster-inventory',
    'inventories.openClusterManagement=true',
  ],
  'multicluster-engine-agent': ['cluster', 'clusterUid', 'hubUrl', 'joinToken', 'joinSecretUid'].map(
    (one) => `join.${one}=https://x`,
  ),
};
const IMAGE = 'image.repository=registry.example.com/engine';

describeWithPrograms('helm upgrade --reuse-values', ['helm'], () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-reuse-'));
  beforeAll(() => cpSync(CHARTS, folder, { recursive: true }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What `helm upgrade --reuse-values` renders after a release whose values were `values`: they replace values.yaml. */
  function reusing(chart: string, values: string, settings: readonly string[]): Promise<string> {
    writeFileSync(path.join(folder, chart, 'values.yaml'), values);
    return render(path.join(folder, chart), settings);
  }

  it.each(EARLIER.flatMap((file) => [[file, 'the defaults'] as const, [file, 'every option'] as const]))(
    'with the values of %s and %s, it renders what an upgrade renders that has the new defaults, too',
    async (file, which) => {
      const chart = file.replace(/-\d+\.yaml$/, '');
      const settings = which === 'the defaults' ? [] : (OPTIONS[chart] ?? []);
      const earlier = path.join(VALUES, file);

      expect(await reusing(chart, readFileSync(earlier, 'utf8'), settings)).toBe(
        await render(path.join(CHARTS, chart), settings, '--values', earlier),
      );
    },
  );

  it.each(Object.keys(OPTIONS))('every setting of %s may be missing: it has its default then', async (chart) => {
    const settings = OPTIONS[chart] ?? [];
    const without = ['resources=null', ...settings];

    expect(await reusing(chart, '{}', settings)).toBe(await render(path.join(CHARTS, chart), without));
  });
});

function render(chart: string, settings: readonly string[], ...flags: readonly string[]): Promise<string> {
  const set = [IMAGE, ...settings].flatMap((one) => ['--set', one]);
  return runProgram('helm', ['template', 'engine', chart, '-n', 'engine-system', ...flags, ...set]);
}
