/*
 * What people saw: an engine that they deleted after its operator was gone stayed, and status called it Available; a cluster that
 * stood for the hub stayed available after the operator had lost the right to say otherwise; an agent did not reach its hub, and
 * no message said that NO_PROXY had kept it from the proxy.
 * What is right: where the one who would say what is wrong is gone, `status` and `check` say it, and an error names the variable.
 */
import { describe, expect, it } from '@jest/globals';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { connectHub } from '../../src/agent/hub.js';
import { LOCAL_CLUSTER_ANNOTATION, ENGINE_LEASE } from '../../src/api/names.js';
import { checkHub } from '../../src/answers/check/hub.js';
import type { HubInput } from '../../src/answers/check/input.js';
import { status } from '../../src/cli/commands/status.js';
import { worldOf } from '../../src/answers/world/world.js';
import { systemClock, systemRandom } from '../../src/runtime/clock.js';
import { routeFromEnvironment } from '../../src/runtime/kubeconfig/environment.js';
import { hubFacts, leaseFact, NOW, rawEngine, readingOf } from '../support/builders/hubinput.js';

import { joinData } from '../support/builders/joindata.js';
import { RecordingLog } from '../support/fakes/log.js';

const DELETED = '2026-11-22T11:59:00Z';

function lines(input: HubInput, name: string): readonly string[] {
  return checkHub(input)
    .filter((one) => one.name === name)
    .map(({ status: state, message, remedy }) => `${state} ${message}: ${remedy}`);
}

function hubOf(
  engines: readonly RawObject[],
  over: Partial<HubInput> = {},
  clusters: readonly RawObject[] = [],
): HubInput {
  const reading = readingOf(worldOf({ multiclusterengines: engines, managedclusters: clusters }));
  return hubFacts({ reading, ...over });
}

describe('an engine that is deleted', () => {
  const deleted = rawEngine({ deletionTimestamp: DELETED }, { phase: 'Available' });

  it('is not Available in status before an operator has begun, and says so', () => {
    const { reading } = hubOf([deleted]);

    expect(status(reading, { output: 'text', colored: false })).toMatch(/^engine +Uninstalling, /m);
    expect(status(reading, { output: 'wide', colored: false })).toContain(
      `its deletion was requested at ${DELETED}, and no operator has begun it`,
    );
  });

  it('waits where no operator runs, and check says what ends that', () => {
    const expired = leaseFact(ENGINE_LEASE, 'operator-1');

    expect(lines(hubOf([deleted], { engineLease: expired, now: NOW + 3_600_000 }), 'engine/engine')).toEqual([
      'Failed MultiClusterEngine engine is being deleted, with all components, and waits: no operator runs that could end it: ' +
        'install the product: docs/how-to/install.md',
    ]);
    expect(lines(hubOf([deleted]), 'engine/engine')).toEqual([
      'Failed MultiClusterEngine engine is being deleted, with all components: kubectl describe mce engine',
    ]);
  });
});

describe('a cluster that stands for the hub', () => {
  const cluster = (state: string, spec: object = {}): RawObject => ({
    metadata: { name: 'local-cluster', annotations: { [LOCAL_CLUSTER_ANNOTATION]: 'true' } },
    spec,
    status: { conditions: [{ type: 'ManagedClusterConditionAvailable', status: state }] },
  });
  const on = { ...rawEngine(), spec: { localCluster: { enabled: true } } };
  const warned =
    'Warning ManagedCluster local-cluster stands for the hub and is available by its status, and nobody reports for it: ' +
    'kubectl mce cluster remove local-cluster';
  const about = (engine: RawObject, one: RawObject): readonly string[] =>
    lines(hubOf([engine], {}, [one]), 'fleet').filter((line) => line.includes('local-cluster'));

  it.each<[string, RawObject]>([
    ['an engine that has it turned off', rawEngine()],
    ['an engine that names another cluster', { ...on, spec: { localCluster: { enabled: true, name: 'hub' } } }],
    ['an engine that is deleted', { ...rawEngine({ deletionTimestamp: DELETED }), spec: on.spec }],
  ])('is warned of with %s while it is available', (_what, engine) => {
    expect(about(engine, cluster('True'))).toEqual([warned]);
  });

  it('is not warned of while an engine reports, when it says that nobody does, or where an agent reports', () => {
    expect(about(on, cluster('True'))).toEqual([]);
    expect(about(rawEngine(), cluster('Unknown'))).toEqual([]);
    expect(about(rawEngine(), cluster('True', { hubAcceptsClient: true }))).toEqual([]);
  });
});

describe('a server that NO_PROXY keeps from the proxy', () => {
  const tools = { clock: systemClock, random: systemRandom, log: new RecordingLog(), userAgent: 'test' };

  it('is named with the variable where an agent does not reach it', async () => {
    const env = { HTTPS_PROXY: 'http://user:secret@proxy.invalid:3128', NO_PROXY: 'hub.invalid' };
    const hub = connectHub(joinData({ hubUrl: 'https://hub.invalid:6443' }), () => 'own', { ...tools, env });
    const failed = await hub.createLease({ holder: 'a', seconds: 60 }, new AbortController().signal).then(
      () => '',
      (error: Error) => error.message,
    );
    await hub.close();

    expect(failed).toContain('https://hub.invalid:6443 (the hub of the manifest; NO_PROXY exempts it from the proxy)');
    expect(failed).not.toContain('secret');
  });

  it.each<[string, Record<string, string>]>([
    ['no proxy is set', { NO_PROXY: 'hub.invalid' }],
    ['it is another one', { HTTPS_PROXY: 'http://proxy.invalid:3128', NO_PROXY: 'other.invalid' }],
  ])('has no such words where %s', (_what, env) => {
    expect(routeFromEnvironment('https://hub.invalid:6443', 'x', env).origin).toBe('x');
  });
});
