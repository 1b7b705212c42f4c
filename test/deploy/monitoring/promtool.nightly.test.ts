import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';

import { describeWithBuiltProgram } from '../../support/programs/built.js';
import { root } from '../../support/repository/root.js';
import { panels, ruleFile } from './expressions.js';

const TESTS = 'alerts.yaml';
/** Variables of Grafana, which it replaces before Prometheus reads an expression. */
const GRAFANA_VARIABLE = /\$__\w+/g;

/** The expressions of the dashboard as Prometheus gets them. */
function queries(): readonly string[] {
  return panels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll(GRAFANA_VARIABLE, '5m')));
}

function alertTests(): string {
  return readFileSync(path.join(root, 'test', 'deploy', 'monitoring', TESTS), 'utf8');
}

describeWithBuiltProgram('promtool', 'promtool', (promtool) => {
  let folder = '';
  const file = (name: string): string => path.join(folder, name);

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'promtool-'));
    writeFileSync(file('rules.yaml'), dump(ruleFile()));
    writeFileSync(file(TESTS), alertTests());
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('promtool finds no fault in the rules', () => {
    expect(promtool(['check', 'rules', '--lint=all', '--lint-fatal', file('rules.yaml')])).toMatchObject({
      code: 0,
      output: expect.stringContaining(`${ruleFile().groups.flatMap(({ rules }) => rules).length} rules found`),
    });
  });

  it('the alerts fire when their tests say so, with the texts that their tests say', () => {
    expect(promtool(['test', 'rules', file(TESTS)])).toMatchObject({
      code: 0,
      output: expect.stringContaining('SUCCESS'),
    });
  });

  it('promtool reports an alert that its test does not expect', () => {
    const changed = JSON.stringify(ruleFile()).replaceAll('> 0.05', '> 0.001');
    writeFileSync(file('rules.changed.yaml'), changed);
    writeFileSync(file('changed.yaml'), alertTests().replace('- rules.yaml', '- rules.changed.yaml'));

    expect(promtool(['test', 'rules', file('changed.yaml')])).toMatchObject({
      code: 1,
      output: expect.stringContaining('alertname: MultiClusterGatewayUpstreamErrors'),
    });
  });

  it.each([
    ['write_guard_refusals', 2],
    ['cache_failures', 0],
    ['gateway_dropped_connections', 0],
    ['gateway_abandoned_requests', 0],
  ])(
    'the panel of %s shows the first ones, with which their series begins, and not again after a gap',
    (name, again) => {
      const expr = queries().find((query) => query.includes(`multicluster_${name}_total`)) ?? '';
      const isValue = (eval_time: string, value: number) => ({
        expr,
        eval_time,
        exp_samples: [{ labels: '{}', value }],
      });
      const series = { series: `multicluster_${name}_total`, values: '_x10 2x10 _x30 2x10' };
      const seen = [isValue('330s', 2), isValue('1605s', again)];
      const tests = [{ interval: '30s', input_series: [series], promql_expr_test: seen }];
      writeFileSync(file('first.yaml'), dump({ rule_files: [], evaluation_interval: '15s', tests }));

      expect(promtool(['test', 'rules', file('first.yaml')])).toMatchObject({
        code: 0,
        output: expect.stringContaining('SUCCESS'),
      });
    },
  );

  it('Prometheus can read every expression of the dashboard', () => {
    const rules = queries().map((expr, index) => ({ record: `panel:${index}`, expr }));
    writeFileSync(file('dashboard.yaml'), dump({ groups: [{ name: 'dashboard', rules }] }));

    expect(rules.length).toBeGreaterThan(20);
    expect(promtool(['check', 'rules', file('dashboard.yaml')])).toMatchObject({
      code: 0,
      output: expect.stringContaining(`${rules.length} rules found`),
    });
  });
});
