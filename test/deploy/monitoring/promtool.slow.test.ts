import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';

import { root } from '../../support/repository/root.js';
import { panels, ruleFile } from './expressions.js';

const TESTS = 'alerts.yaml';
/** Variables of Grafana, which it replaces before Prometheus reads an expression. */
const GRAFANA_VARIABLE = /\$__\w+/g;

const built = spawnSync('bash', [path.join(root, 'test', 'support', 'promtool', 'build.sh')], { encoding: 'utf8' });
const missing = built.status === 0 ? undefined : built.stderr.trim();
if (missing !== undefined && process.env['CI'] !== 'true')
  process.stderr.write(`not run: promtool on the alerts: ${missing}\n`);

function alertTests(): string {
  return readFileSync(path.join(root, 'test', 'deploy', 'monitoring', TESTS), 'utf8');
}

describe('promtool on deploy/monitoring', () => {
  const test = missing === undefined || process.env['CI'] === 'true' ? it : it.skip;
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'promtool-'));
    writeFileSync(path.join(folder, 'rules.yaml'), dump(ruleFile()));
    writeFileSync(path.join(folder, TESTS), alertTests());
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function promtool(...args: readonly string[]): { readonly code: number | null; readonly output: string } {
    if (missing !== undefined) throw new Error(missing);
    const program = built.stdout.trim().split('\n').at(-1) ?? '';
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    return { code: status, output: stdout + stderr };
  }

  test('promtool finds no fault in the rules', () => {
    expect(promtool('check', 'rules', '--lint=all', '--lint-fatal', 'rules.yaml')).toEqual({
      code: 0,
      output: expect.stringContaining(`${ruleFile().groups.flatMap(({ rules }) => rules).length} rules found`),
    });
  });

  test('the alerts fire when their tests say so, with the texts that their tests say', () => {
    expect(promtool('test', 'rules', TESTS)).toEqual({ code: 0, output: expect.stringContaining('SUCCESS') });
  });

  test('promtool reports an alert that its test does not expect', () => {
    const changed = JSON.stringify(ruleFile()).replaceAll('> 0.05', '> 0.001');
    const file = path.join(folder, 'changed.yaml');
    writeFileSync(path.join(folder, 'rules.changed.yaml'), changed);
    writeFileSync(file, alertTests().replace('- rules.yaml', '- rules.changed.yaml'));

    expect(promtool('test', 'rules', file)).toEqual({
      code: 1,
      output: expect.stringContaining('alertname: MultiClusterGatewayUpstreamErrors'),
    });
  });

  test('Prometheus can read every expression of the dashboard', () => {
    const queries = panels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const rules = queries.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll(GRAFANA_VARIABLE, '5m'),
    }));
    writeFileSync(path.join(folder, 'dashboard.yaml'), dump({ groups: [{ name: 'dashboard', rules }] }));

    expect(queries.length).toBeGreaterThan(20);
    expect(promtool('check', 'rules', 'dashboard.yaml')).toEqual({
      code: 0,
      output: expect.stringContaining(`${queries.length} rules found`),
    });
  });
});
