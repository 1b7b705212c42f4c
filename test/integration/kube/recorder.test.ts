import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { ConfigMaps, Events, Namespaces } from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeClient } from '../../../src/runtime/client/client.js';
import { guardClient } from '../../../src/runtime/client/guard.js';
import {
  type EventRecorder,
  createRecorder,
  type EventObject,
  eventRights,
} from '../../../src/runtime/events/recorder.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import type { Transport } from '../../../src/runtime/transport/transport.js';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { cacheTools, transportOf } from '../../support/clients/transport.js';

const options = { fieldManager: 'test' };

describeWithServer('the event recorder', {}, (server) => {
  const namespace = ownName('events');
  let transport: Transport;
  let client: KubeClient;
  let recorder: EventRecorder;

  beforeAll(async () => {
    transport = transportOf(server().adminKubeconfig);
    client = createClient(transport);
    await client.create(Namespaces, { metadata: { name: namespace } }, options);
    const tools = cacheTools();
    const writer = guardClient(createClient(transport, { bucket: 'events' }), eventRights, { log: tools.log });
    recorder = createRecorder(
      writer,
      { controller: 'example.com/test', instance: 'pod-1', fieldManager: 'example-events' },
      tools,
    );
  });
  afterAll(() => transport.close());

  const eventsOf = async (name: string): Promise<EventObject[]> => {
    const all = await client.list<EventObject>(Events, namespace);
    return all.filter((event) => event.regarding?.['name'] === name);
  };

  it('the event recorder writes an event about a namespaced object beside it, and joins repeats to a series', async () => {
    const regarding = await client.create<KubeObject>(ConfigMaps, { metadata: { namespace, name: 'thing' } }, options);
    const note = { regarding, type: 'Warning', reason: 'Broken', action: 'Testing', note: 'it is broken' } as const;

    recorder.record(note);
    await recorder.flush();
    const [first] = await eventsOf('thing');
    recorder.record(note);
    recorder.record(note);
    await recorder.flush();
    const after = await eventsOf('thing');

    expect(first).toMatchObject({
      reportingController: 'example.com/test',
      reportingInstance: 'pod-1',
      reason: 'Broken',
      action: 'Testing',
      type: 'Warning',
      note: 'it is broken',
      regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'thing', uid: regarding.metadata.uid },
    });
    expect(first?.series).toBeUndefined();
    expect(after).toHaveLength(1);
    expect(after[0]).toMatchObject({
      metadata: { uid: first?.metadata.uid },
      eventTime: first?.eventTime,
      series: { count: 3 },
    });
  });
});
