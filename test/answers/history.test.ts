import { describe, expect, it } from '@jest/globals';
import { differencesOf, editsOf, decisionHistory, type DecisionChange } from '../../src/answers/history.js';
import { worldOf, type World } from '../../src/answers/world/world.js';
import { HISTORY_ANNOTATION, LAST_APPLIED } from '../../src/api/names.js';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { rawDecision, rawPlacement } from '../support/builders/world.js';

/** Who has edited what: by managedFields alone, and never by a guess. */

const AT = '2026-11-22T12:00:05.250Z';

function field(...names: readonly string[]): object {
  return names.reduceRight<object>((below, name) => ({ [`f:${name}`]: below }), {});
}

function entry(manager: string, time: string, fieldsV1: object, subresource?: string): object {
  return { manager, operation: 'Update', time: `2026-11-22T${time}Z`, fieldsType: 'FieldsV1', fieldsV1, subresource };
}

function edited(object: RawObject, managedFields: readonly object[], annotations = {}): RawObject {
  const metadata = { ...object.metadata, annotations, managedFields };
  return { ...object, metadata };
}

const WEB = rawPlacement({ numberOfClusters: 5 });
const EDGE: RawObject = { metadata: { name: 'edge-1', uid: 'e' }, spec: {} };

function world(change: object, objects: Partial<World['objects']>, withheld: World['withheld'] = []): World {
  const decision = rawDecision(1, []);
  const entries = [{ time: AT, added: [], removed: [], ...change }];
  const annotations = { [HISTORY_ANNOTATION]: JSON.stringify({ entries }) };
  const placementdecisions = [{ ...decision, metadata: { ...decision.metadata, annotations } }];
  return worldOf({ placements: [WEB], placementdecisions, ...objects }, withheld);
}

function changeIn(at: World, isRead = true): DecisionChange | undefined {
  const [placement = WEB] = at.objects.placements;
  return decisionHistory(at, placement, () => isRead).changes[0];
}

describe('the edit that a change follows', () => {
  const spec = field('spec', 'numberOfClusters');

  it('is that of the field manager who has written just before, and not one of the status', () => {
    const placement = edited(WEB, [
      entry('kubectl-edit', '12:00:05', spec),
      entry('argocd', '11:00:00', field('spec', 'predicates')),
      entry('multicluster-engine', '12:00:05', field('status', 'phase'), 'status'),
    ]);
    expect(changeIn(world({ trigger: 'Placement/web' }, { placements: [placement] }))).toMatchObject({
      edits: [{ manager: 'kubectl-edit', time: '2026-11-22T12:00:05Z', fields: ['spec.numberOfClusters'] }],
    });
  });

  it('of a cluster whose label has changed is that of who owns the label', () => {
    const cluster = edited(EDGE, [
      entry('agent', '12:00:04', field('status', 'clusterClaims'), 'status'),
      entry('kubectl-label', '12:00:03', field('metadata', 'labels', 'tier')),
    ]);
    const removed = [{ cause: 'NotMatched', why: 'label tier=silver, wanted tier=gold', clusters: ['edge-1'] }];
    const change = { trigger: 'ManagedCluster/edge-1', removed };
    expect(changeIn(world(change, { managedclusters: [cluster] }))?.edits).toEqual([
      { manager: 'kubectl-label', time: '2026-11-22T12:00:03Z', fields: ['metadata.labels.tier'] },
    ]);
  });

  it.each([
    ['edited again since: by kubectl-edit at 2026-11-22T12:30:00Z', [entry('kubectl-edit', '12:30:00', spec)]],
    ['no field manager has written just before it', [entry('kubectl-edit', '11:59:00', spec)]],
    ['no field manager has written just before it', []],
  ])('is not guessed: %s', (unknown, entries) => {
    const placements = [edited(WEB, entries)];
    const change = changeIn(world({ trigger: 'Placement/web' }, { placements }));
    expect(change).toMatchObject({ unknown });
    expect(change).not.toHaveProperty('edits');
  });

  it('is not known of what is gone, may not be read, was not read, or was before the controller started', () => {
    const trigger = 'ManagedCluster/edge-1';
    expect(changeIn(world({ trigger }, {}))?.unknown).toBe('ManagedCluster edge-1 does not exist any more');
    const withheld = [{ resource: 'managedclusters', verb: 'list', status: 403 }] as const;
    expect(changeIn(world({ trigger }, {}, withheld))?.unknown).toBe('needs list managedclusters');
    expect(changeIn(world({ trigger }, {}), false)?.unknown).toContain('kubectl get managedclusters edge-1');
    expect(changeIn(world({ trigger: 'unknown' }, {}))?.unknown).toBe('the controller had just started');
    expect(changeIn(world({ trigger: 'time' }, {}))).not.toHaveProperty('unknown');
  });
});

describe('who has edited an object', () => {
  it('is the last edit of each manager, the newest first, without what kubectl keeps for itself', () => {
    const applied = { ...field('spec', 'numberOfClusters'), ...field('metadata', 'annotations', LAST_APPLIED) };
    const object = edited(WEB, [
      entry('kubectl', '10:00:00', applied),
      entry('x', '11:00:00', field('metadata', 'labels', 'a.b/c')),
    ]);
    expect(editsOf(object, false)).toEqual([
      { manager: 'x', time: '2026-11-22T11:00:00Z', fields: ['metadata.labels.a.b/c'] },
      { manager: 'kubectl', time: '2026-11-22T10:00:00Z', fields: ['spec.numberOfClusters'] },
    ]);
    expect(editsOf(WEB, false)).toEqual([]);
  });
});

describe('what is not as it was applied', () => {
  const applier = entry('kubectl-client-side-apply', '10:00:00', {
    'f:metadata': { 'f:annotations': { [`f:${LAST_APPLIED}`]: {} } },
    'f:spec': { 'f:predicates': {}, 'f:paused': {}, 'f:spreadPolicy': {} },
  });
  const editor = entry('kubectl-edit', '11:00:00', { 'f:spec': { 'f:numberOfClusters': {}, 'f:tolerations': {} } });
  const by = { manager: 'kubectl-edit', time: '2026-11-22T11:00:00Z' };
  const last = (spec: object): object => ({ [LAST_APPLIED]: JSON.stringify({ spec }) });

  it('is each field with both values and its owner; defaults are no difference', () => {
    const predicates = [{ required: { matchLabels: { tier: 'gold' } } }];
    const now = {
      numberOfClusters: 5,
      predicates: [{ required: { matchLabels: { tier: 'gold' }, matchExpressions: [] } }],
      paused: false,
      tolerations: [{ key: 'a' }],
    };
    const object = edited(
      rawPlacement(now),
      [applier, editor],
      last({ numberOfClusters: 3, predicates, spreadPolicy: { a: 1 } }),
    );
    expect(differencesOf(object)).toEqual([
      { field: 'spec.numberOfClusters', applied: '3', now: '5', by },
      { field: 'spec.spreadPolicy', applied: '{"a":1}' },
      { field: 'spec.tolerations', now: '[{"key":"a"}]', by },
    ]);
  });

  it('is said also of what is nested more deeply than can be written', () => {
    const deep = `{"spec":{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
    const [found] = differencesOf(edited(WEB, [applier], { [LAST_APPLIED]: deep })) ?? [];
    expect(found).toEqual({ field: 'spec.x', applied: '(nested too deeply)' });
  });

  it('is nothing where it is as it was applied, and not known where it never was', () => {
    expect(differencesOf(edited(WEB, [applier], last({ numberOfClusters: 5 })))).toEqual([]);
    expect(differencesOf(WEB)).toBeUndefined();
  });
});
