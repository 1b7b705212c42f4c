import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { ApiAnswer } from '../../testing/controlplane/api.js';
import { quietWindow } from '../../testing/wait.js';
import { installThings } from './exchange/things.js';
import { describeConformance } from './suite.js';
import { WatchStream, type WatchedEvent } from './watchstream.js';
import { HttpsClient } from './httpsclient.js';

const LIST = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
const INITIAL_END = 'k8s.io/initial-events-end';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

/** `TYPE name` of each event. */
function summaryOf(events: readonly WatchedEvent[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata?.name ?? ''}`);
}

function versionsOf(events: readonly WatchedEvent[]): number[] {
  return events.map(({ object }) => Number(object.metadata?.resourceVersion));
}

describeConformance('a watch', {}, (target) => {
  let wire: HttpsClient;
  let open: WatchStream[] = [];
  let namespaces = 0;
  let namespace = '';

  beforeAll(async () => {
    await installThings(target());
    wire = new HttpsClient(target());
  });
  afterAll(() => wire.close());
  beforeEach(async () => {
    namespace = `watches-${++namespaces}`;
    expect((await call('POST', '/api/v1/namespaces', { metadata: { name: namespace } })).status).toBe(201);
  });
  afterEach(() => {
    for (const one of open) one.close();
    open = [];
  });

  const call = (method: 'POST' | 'PATCH' | 'DELETE' | 'GET', path: string, body?: unknown): Promise<ApiAnswer> =>
    target().call({
      method,
      path,
      ...(body === undefined ? {} : { body }),
      ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
    });
  const secrets = (): string => `/api/v1/namespaces/${namespace}/secrets`;
  const things = (): string => `/apis/exchange.example.com/v1/namespaces/${namespace}/things`;
  const make = async (name: string, labels: Readonly<Record<string, string>> = {}): Promise<string> =>
    versionOf(await call('POST', secrets(), { metadata: { name, labels } }));
  const label = async (name: string, labels: Readonly<Record<string, string | null>>): Promise<string> =>
    versionOf(await call('PATCH', `${secrets()}/${name}`, { metadata: { labels } }));
  const drop = (name: string): Promise<ApiAnswer> => call('DELETE', `${secrets()}/${name}`);
  const versionOf = ({ body }: ApiAnswer): string => body.metadata?.resourceVersion ?? '';
  const watch = async (path: string, query = '', accept?: string): Promise<WatchStream> => {
    const watching = await WatchStream.open(wire, `${path}?watch=true${query === '' ? '' : `&${query}`}`, accept);
    open.push(watching);
    return watching;
  };

  it('a watch from a resourceVersion reports all later changes in order, each with a resourceVersion of its own', async () => {
    const first = await make('a');
    await make('b');
    await label('a', { l: 'v' });
    const watching = await watch(secrets(), `resourceVersion=${first}`);
    await drop('b');
    await make('c');
    const events = await watching.take(4);
    expect(summaryOf(events)).toEqual(['ADDED b', 'MODIFIED a', 'DELETED b', 'ADDED c']);
    const versions = versionsOf(events);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(4);
    expect(versions[0]).toBeGreaterThan(Number(first));
    expect(events[2]?.object).toMatchObject({ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' });
  });

  it.each([
    ['', 'no version'],
    ['resourceVersion=0', 'version 0'],
  ])('a watch with %j (%s) begins with the existing objects', async (query) => {
    await make('b');
    await make('a');
    const watching = await watch(secrets(), query);
    await watching.take(2).then((events) => expect(summaryOf(events).sort()).toEqual(['ADDED a', 'ADDED b']));
    await make('c');
    expect(summaryOf(await watching.take(1))).toEqual(['ADDED c']);
  });

  it('a watch from a future resourceVersion waits', async () => {
    await make('a');
    const watching = await watch(secrets(), 'resourceVersion=99999999');
    await make('b');
    await quietWindow(300);
    expect(watching.rest).toEqual([]);
  });

  it('a watch with a label selector reports ADDED and DELETED when an object begins or ceases to match', async () => {
    const first = await make('a', { l: 'x' });
    const watching = await watch(secrets(), `labelSelector=l%3Dx&resourceVersion=${first}`);
    await label('a', { m: 'y' });
    await label('a', { l: 'z' });
    await label('a', { m: 'z' });
    const back = await label('a', { l: 'x' });
    await drop('a');
    await make('b', { l: 'z' });
    await make('c', { l: 'x' });
    const events = await watching.take(5);
    expect(summaryOf(events)).toEqual(['MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a', 'ADDED c']);
    expect(events[1]?.object.metadata).toMatchObject({ labels: { l: 'x', m: 'y' } });
    expect(versionsOf(events)[2]).toBe(Number(back));
  });

  it('a watch with a field selector reports matching objects only', async () => {
    const thing = (name: string, color: string): unknown => ({
      apiVersion: 'exchange.example.com/v1',
      kind: 'Thing',
      metadata: { name },
      spec: { color },
    });
    const first = versionOf(await call('POST', things(), thing('a', 'red')));
    const byName = await watch(things(), `fieldSelector=metadata.name%3Db&resourceVersion=${first}`);
    const byColor = await watch(things(), `fieldSelector=spec.color%3Dred&resourceVersion=${first}`);
    await call('POST', things(), thing('b', 'blue'));
    await call('PATCH', `${things()}/b`, { spec: { color: 'red' } });
    await call('PATCH', `${things()}/a`, { spec: { color: 'blue' } });
    expect(summaryOf(await byName.take(2))).toEqual(['ADDED b', 'MODIFIED b']);
    expect(summaryOf(await byColor.take(2))).toEqual(['ADDED b', 'DELETED a']);
    expect(byName.rest).toEqual([]);
  });

  it('a watch of all namespaces reports objects of each namespace', async () => {
    const first = await make('a');
    const watching = await watch('/api/v1/secrets', `resourceVersion=${first}&labelSelector=everywhere`);
    await make('b', { everywhere: namespace });
    const [event] = await watching.take(1);
    expect(event?.object.metadata).toMatchObject({ name: 'b', namespace });
  });

  it('a watch with sendInitialEvents marks the end of the initial events by a bookmark', async () => {
    await make('b');
    const second = await make('a');
    const watching = await watch(secrets(), `${LIST}&allowWatchBookmarks=true&resourceVersion=${second}&limit=1`);
    const events = await watching.take(3);
    expect(summaryOf(events.slice(0, 2)).sort()).toEqual(['ADDED a', 'ADDED b']);
    expect(events[2]).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Secret',
        apiVersion: 'v1',
        metadata: { resourceVersion: expect.stringMatching(/^\d+$/), annotations: { [INITIAL_END]: 'true' } },
      },
    });
    expect(versionsOf(events)[2]).toBeGreaterThanOrEqual(Math.max(...versionsOf(events.slice(0, 2))));
    await drop('a');
    expect(summaryOf(await watching.take(1))).toEqual(['DELETED a']);
  });

  it('a bookmark of a custom resource has its kind', async () => {
    const watching = await watch(things(), `${LIST}&allowWatchBookmarks=true`);
    const [bookmark] = await watching.take(1);
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Thing',
        apiVersion: 'exchange.example.com/v1',
        metadata: { resourceVersion: expect.any(String), annotations: { [INITIAL_END]: 'true' } },
      },
    });
  });

  it('a watch without a resourceVersion that allows bookmarks gets one after the initial events', async () => {
    await make('a');
    const watching = await watch(secrets(), 'allowWatchBookmarks=true');
    const events = await watching.take(2);
    expect(summaryOf(events)).toEqual(['ADDED a', 'BOOKMARK ']);
    expect(events[1]?.object.metadata?.annotations).toEqual({ [INITIAL_END]: 'true' });
  });

  it('a watch that does not allow bookmarks gets none', async () => {
    await make('a');
    const watching = await watch(secrets(), LIST);
    await make('b');
    expect(summaryOf(await watching.take(2))).toEqual(['ADDED a', 'ADDED b']);
  });

  it('a watch ends after timeoutSeconds with a bookmark of its resourceVersion', async () => {
    const first = await make('a');
    const watching = await watch(
      secrets(),
      `fieldSelector=metadata.name%3Da&resourceVersion=${first}&timeoutSeconds=4&allowWatchBookmarks=true`,
    );
    const second = await make('b');
    await watching.end();
    const [last] = watching.rest.slice(-1);
    expect(new Set(watching.rest.map(({ type }) => type))).toEqual(new Set(['BOOKMARK']));
    expect(last?.object).toEqual({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { resourceVersion: expect.any(String) },
    });
    expect(Number(last?.object.metadata?.resourceVersion)).toBeGreaterThanOrEqual(Number(second));
  });

  it('a watch of Tables has column definitions in its first event only', async () => {
    await make('a');
    const watching = await watch(secrets(), '', TABLE);
    await make('b');
    const tables = await watching.take(2);
    expect(tables.map(({ type, object }) => [type, object.kind, object['columnDefinitions'] === null])).toEqual([
      ['ADDED', 'Table', false],
      ['ADDED', 'Table', true],
    ]);
    expect(tables[1]?.object['rows']).toEqual([
      {
        cells: ['b', 'Opaque', 0, expect.stringMatching(/^\d+s$/)],
        object: expect.objectContaining({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }),
      },
    ]);
  });

  it('a watch of PartialObjectMetadata reports metadata only', async () => {
    await make('a');
    const watching = await watch(secrets(), '', PARTIAL);
    const [event] = await watching.take(1);
    expect(Object.keys(event?.object ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(event?.object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a' },
    });
  });

  it('a watch does not report dry runs', async () => {
    const first = await make('a');
    const watching = await watch(secrets(), `resourceVersion=${first}`);
    await call('POST', `${secrets()}?dryRun=All`, { metadata: { name: 'dry' } });
    await call('PATCH', `${secrets()}/a?dryRun=All`, { metadata: { labels: { l: 'v' } } });
    await call('DELETE', `${secrets()}/a?dryRun=All`);
    await make('b');
    expect(summaryOf(await watching.take(1))).toEqual(['ADDED b']);
  });

  it('a watch reports a deletion that finalizers delay as MODIFIED, then as DELETED', async () => {
    const first = versionOf(
      await call('POST', secrets(), { metadata: { name: 'a', finalizers: ['example.com/hold'] } }),
    );
    const watching = await watch(secrets(), `resourceVersion=${first}`);
    await drop('a');
    await call('PATCH', `${secrets()}/a`, { metadata: { finalizers: null } });
    const [marked, gone] = await watching.take(2);
    expect([marked?.type, marked?.object.metadata?.['deletionGracePeriodSeconds'], gone?.type]).toEqual([
      'MODIFIED',
      0,
      'DELETED',
    ]);
  });

  describe('a watch of a kind that is deleted', () => {
    it('a watch of a kind that is deleted reports the deletion of each object, then ends', async () => {
      const group = `${namespace}.example.com`;
      const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      const spec = {
        group,
        scope: 'Cluster',
        names: { plural: 'passings', kind: 'Passing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      };
      await call('POST', crds, { metadata: { name: `passings.${group}` }, spec });
      const path = `/apis/${group}/v1/passings`;
      const body = { apiVersion: `${group}/v1`, kind: 'Passing', metadata: { name: 'a' } };
      for (let made = await call('POST', path, body); made.status !== 201; made = await call('POST', path, body))
        await quietWindow(50);
      const watching = await watch(path, 'resourceVersion=0');
      expect(summaryOf(await watching.take(1))).toEqual(['ADDED a']);
      await call('DELETE', `${crds}/passings.${group}`);
      expect(summaryOf(await watching.take(1))).toEqual(['DELETED a']);
      await watching.end();
    });
  });
});
