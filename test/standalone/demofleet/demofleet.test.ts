import { expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import type { KubeObject, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { DemoFleet } from '../../../src/standalone/demofleet/demofleet.js';
import type { JoinHub } from '../../../src/cli/commands/cluster/join.js';
import { FakeHub, hubError } from '../../support/fakes/agent.js';
import { RecordingLog } from '../../support/fakes/log.js';

const STEP_MS = 1_000;

/** A hub that stores nothing: every cluster is a new one. */
const HUB: JoinHub = {
  client: {
    get: async () => undefined,
    list: async () => [],
    apply: async <T extends KubeObject>(_type: ResourceType, object: T) => withUid(object),
    create: async <T extends KubeObject>(_type: ResourceType, object: T) => withUid(object),
  },
  identity: {
    requestToken: async () => ({ token: 'join', expirationSeconds: 3600, expires: '2026-11-22T13:00:00Z' }),
    deleteNamed: async () => false,
  },
};

function withUid<T extends KubeObject>(object: T): T {
  return { ...object, metadata: { ...object.metadata, uid: `${object.metadata.name}-uid` } };
}

it('clusters that have not reported when their time is over are told apart from those that have joined', async () => {
  const clock = new ManualClock();
  const printed: string[] = [];
  const end = new AbortController();
  const fleet = new DemoFleet({
    clock,
    random: () => 0.5,
    log: new RecordingLog(),
    total: 3,
    hub: HUB,
    address: { hubUrl: 'https://hub.example.com', hubCa: undefined },
    openHub: ({ cluster }, token) => {
      const hub = new FakeHub(clock);
      hub.before = () => {
        if (cluster === 'demo-2') throw hubError('Unavailable');
      };
      return hub.open(token);
    },
    print: (line) => void printed.push(line),
  });
  const ended = fleet.run(end.signal);

  const line = await waitFor('the joins to be over', async (seen) => {
    seen(printed);
    await clock.advance(STEP_MS);
    return printed.find((one) => one.includes('have joined'));
  });
  end.abort(new Error('the test is over'));
  await ended;

  expect(line).toBe('demo fleet: 2 of 3 clusters have joined, the others have not reported yet');
});
