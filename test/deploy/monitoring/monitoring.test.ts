import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { createConsoleMetrics } from '../../../src/console/hub/metrics.js';
import { createGatewayMetrics } from '../../../src/gateway/metrics.js';
import { createMetrics } from '../../../src/operator/metrics.js';
import { root } from '../../support/repository/root.js';
import { alerts, expressions, matchersOf, metricOf, panels, seriesOf } from './expressions.js';

interface AlertTest {
  readonly alertname: string;
  readonly exp_alerts: readonly unknown[];
}

interface Manifest {
  readonly metadata: { readonly namespace?: string };
  readonly spec: {
    readonly selector: { readonly matchExpressions?: readonly { readonly values: readonly string[] }[] };
    readonly namespaceSelector?: { readonly matchNames: readonly string[] };
    readonly podMetricsEndpoints?: readonly { readonly port: string }[];
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly { readonly ports: readonly unknown[] }[] };
    };
  };
}

function manifest(folder: string, file: string): Manifest {
  return load(readFileSync(path.join(root, 'deploy', folder, file), 'utf8')) as Manifest;
}

const described = new Map(
  [createMetrics(), createGatewayMetrics(), createConsoleMetrics()]
    .flatMap((one) => one.descriptions())
    .map((one) => [one.name, one.labels]),
);
const metrics = new Set(described.keys());
/** Set by Prometheus. */
const TARGET_LABELS = ['job', 'instance'];

describe('the alerts of deploy/monitoring', () => {
  it('there are at most 8 alerts, each with a severity, texts and its runbook', () => {
    expect(alerts().length).toBeLessThanOrEqual(8);
    for (const { alert, labels, annotations } of alerts()) {
      expect(labels['severity']).toMatch(/^(warning|critical)$/);
      expect(annotations).toEqual({
        summary: expect.stringMatching(/\w/),
        description: expect.stringMatching(/\w\.$/),
        runbook: `docs/runbooks/${alert}.md`,
      });
    }
  });

  it('docs/runbooks has one page for each alert, with its severity, and no other', () => {
    const folder = path.join(root, 'docs', 'runbooks');
    const pages = readdirSync(folder).map((file) => {
      const text = readFileSync(path.join(folder, file), 'utf8');
      return { file, title: text.split('\n')[0], severity: /Severity: (\w+)/.exec(text)?.[1] };
    });
    const wanted = alerts().map(({ alert, labels }) => ({
      file: `${alert}.md`,
      title: `# ${alert}`,
      severity: labels['severity'],
    }));

    expect(new Set(pages)).toEqual(new Set(wanted));
  });

  it.each(alerts().map(({ alert }) => alert))(
    'alerts.yaml has a time at which %s fires and one at which not',
    (name) => {
      const file = path.join(root, 'test', 'deploy', 'monitoring', 'alerts.yaml');
      const { tests } = load(readFileSync(file, 'utf8')) as {
        tests: readonly { readonly alert_rule_test: readonly AlertTest[] }[];
      };
      const own = tests.flatMap((one) => one.alert_rule_test).filter(({ alertname }) => alertname === name);

      expect(new Set(own.map((one) => one.exp_alerts.length > 0))).toEqual(new Set([true, false]));
    },
  );
});

describe('the PodMonitor of deploy/monitoring', () => {
  it.each([
    ['base/operator', 'multicluster-engine-operator'],
    ['components/placement-controller', 'placement-controller'],
    ['components/gateway', 'gateway'],
    ['components/console', 'console'],
    ['inventories', 'multicluster-engine-inventories'],
  ])('the PodMonitor selects the pods of deploy/%s and their metrics port', (folder, name) => {
    const { spec } = manifest('monitoring', 'podmonitor.yaml');
    const deployment = manifest(folder, 'deployment.yaml');
    const { template } = deployment.spec;

    expect(spec.selector.matchExpressions?.[0]?.values).toContain(template?.metadata.labels['app.kubernetes.io/name']);
    expect(template?.metadata.labels['app.kubernetes.io/name']).toBe(name);
    expect(spec.namespaceSelector?.matchNames).toContain(deployment.metadata.namespace);
    expect(template?.spec.containers.flatMap(({ ports }) => ports)).toContainEqual(
      expect.objectContaining({ name: spec.podMetricsEndpoints?.[0]?.port, containerPort: 8080 }),
    );
  });
});

describe('the dashboard of deploy/monitoring', () => {
  it('each panel has an id of its own and, unless it is a row, a query', () => {
    const ids = panels().map(({ id }) => id);

    expect(new Set(ids).size).toBe(ids.length);
    expect(panels().filter(({ type, targets = [] }) => (type === 'row') !== (targets.length === 0))).toEqual([]);
  });

  const stats = panels().filter(({ type }) => type === 'stat');

  it('each stat panel has thresholds or no colour: by itself Grafana shows 80 and more in red', () => {
    expect(stats.length).toBeGreaterThan(0);
    const coloured = stats.filter(({ options }) => options?.colorMode !== 'none');
    const without = coloured.filter(({ fieldConfig }) => fieldConfig?.defaults.thresholds === undefined);
    expect(without.map(({ title }) => title)).toEqual([]);
  });

  it('each stat panel with labels in its legend shows the name: by itself Grafana leaves out that of a single series', () => {
    const named = stats.filter(({ targets = [] }) => targets.some(({ legendFormat }) => legendFormat.includes('{{')));
    const without = named.filter(({ options }) => !/name/.test(options?.textMode ?? ''));
    expect(named.length).toBeGreaterThan(0);
    expect(without.map(({ title }) => title)).toEqual([]);
  });
});

describe('the expressions of deploy/monitoring', () => {
  it.each([
    ['sum by (le) (rate(a_bucket{b="c_d"}[5m])) / 2', ['a_bucket']],
    ['max by (x) (a{p!~"A|B"} and on (instance) b{n="m"} == 1) or absent(c)', ['a', 'b', 'c']],
    ['topk(20, a) - time() < 14 * 24 * 3600', ['a']],
  ])('%s selects %j', (text, series) => {
    expect(seriesOf(text)).toEqual(series);
  });

  it.each(expressions().map(({ where, text }) => [where, text] as const))(
    'the %s selects metrics and labels that exist: %s',
    (_where, text) => {
      const series = seriesOf(text);

      expect(series.length).toBeGreaterThan(0);
      expect(series.filter((name) => !metrics.has(metricOf(name, metrics)))).toEqual([]);
      for (const [name, labels] of matchersOf(text)) {
        const known = [...(described.get(metricOf(name, metrics)) ?? []), ...TARGET_LABELS];
        expect(known).toEqual(expect.arrayContaining([...labels]));
      }
    },
  );
});
