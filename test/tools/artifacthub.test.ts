import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { readCrds } from '../../tools/crd.js';
import { root } from '../support/repository/root.js';

/** The values that the documentation of Artifact Hub lists. */
const CATEGORIES = [
  'ai-machine-learning',
  'database',
  'integration-delivery',
  'monitoring-logging',
  'networking',
  'security',
  'storage',
  'streaming-messaging',
];
const CAPABILITIES = ['basic install', 'seamless upgrades', 'full lifecycle', 'deep insights', 'auto pilot'];

function annotationsOf(chart: string): Readonly<Record<string, string>> {
  const text = readFileSync(path.join(root, 'deploy', 'helm', chart, 'Chart.yaml'), 'utf8');
  return (load(text) as { annotations: Record<string, string> }).annotations;
}

describe('the annotations of the charts for Artifact Hub', () => {
  it.each(['multicluster-engine', 'multicluster-engine-agent'])('have values that it knows: %s', (chart) => {
    const all = annotationsOf(chart);

    expect(Object.values(all).every((value) => typeof value === 'string')).toBe(true);
    expect(CATEGORIES).toContain(all['artifacthub.io/category']);
    expect([undefined, ...CAPABILITIES]).toContain(all['artifacthub.io/operatorCapabilities']);
  });

  it('list every kind of crds/ with the fields that it shows, and an example of the kinds that users write first', () => {
    const all = annotationsOf('multicluster-engine');
    const kinds = load(all['artifacthub.io/crds'] ?? '') as Record<string, string>[];
    const examples = load(all['artifacthub.io/crdsExamples'] ?? '') as Record<string, string>[];

    expect(new Set(kinds.map(({ kind }) => kind?.toLowerCase()))).toEqual(
      new Set(readCrds(root).map(({ file }) => file)),
    );
    for (const one of kinds) {
      expect(Object.keys(one)).toEqual(['kind', 'version', 'name', 'displayName', 'description']);
      expect(Object.values(one).filter((text) => text === '')).toEqual([]);
    }
    expect(examples.map(({ kind }) => kind)).toEqual(['MultiClusterEngine', 'Placement']);
  });
});
