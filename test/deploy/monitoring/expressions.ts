import { readFileSync } from 'node:fs';
import path from 'node:path';

import { load } from 'js-yaml';

import { root } from '../../support/repository/root.js';

const FOLDER = path.join(root, 'deploy', 'monitoring');
const KEYWORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'by', 'without', 'on', 'ignoring']);

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The groups of deploy/monitoring/rules.yaml: a rule file as Prometheus reads it. */
export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly options?: { readonly textMode?: string; readonly colorMode?: string };
  readonly fieldConfig?: { readonly defaults: { readonly thresholds?: object } };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** A PromQL expression and where it stands. */
export interface Expression {
  readonly where: string;
  readonly text: string;
}

export function ruleFile(): RuleFile {
  return (load(readFileSync(path.join(FOLDER, 'rules.yaml'), 'utf8')) as { spec: RuleFile }).spec;
}

export function alerts(): readonly Alert[] {
  return ruleFile().groups.flatMap((group) => group.rules);
}

export function panels(): readonly Panel[] {
  return (JSON.parse(readFileSync(path.join(FOLDER, 'dashboard.json'), 'utf8')) as { panels: Panel[] }).panels;
}

/** Every expression of the alerts and of the dashboard. */
export function expressions(): readonly Expression[] {
  return [
    ...alerts().map(({ alert, expr }) => ({ where: `alert ${alert}`, text: expr })),
    ...panels().flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ where: `panel ${title}`, text: expr })),
    ),
  ];
}

/** The series that a PromQL expression selects: identifiers that are no function, keyword, label or text. */
export function seriesOf(text: string): readonly string[] {
  const bare = text
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const names = [...bare.matchAll(/(?<![\w.$])[a-zA-Z_:][\w:]*(?!\w|\s*\()/g)].map(([name]) => name);
  return [...new Set(names.filter((name) => !KEYWORDS.has(name)))];
}

/** The labels that an expression compares: names within braces. */
export function matchersOf(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [, name = '', inside = ''] of text.matchAll(/([a-zA-Z_:][\w:]*)\{([^}]*)\}/g)) {
    const labels = [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label);
    found.set(name, [...(found.get(name) ?? []), ...labels]);
  }
  return found;
}

/** The metric of a series: a histogram has three. */
export function metricOf(series: string, metrics: ReadonlySet<string>): string {
  const histogram = series.replace(/_(bucket|sum|count)$/, '');
  return metrics.has(series) ? series : histogram;
}
