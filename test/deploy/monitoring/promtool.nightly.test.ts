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

  it('Prometheus can read every expression of the dashboard', () => {
    const queries = panels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const rules = queries.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll(GRAFANA_VARIABLE, '5m'),
    }));
    writeFileSync(file('dashboard.yaml'), dump({ groups: [{ name: 'dashboard', rules }] }));

    expect(queries.length).toBeGreaterThan(20);
    expect(promtool(['check', 'rules', file('dashboard.yaml')])).toMatchObject({
      code: 0,
      output: expect.stringContaining(`${queries.length} rules found`),
    });
  });
});
