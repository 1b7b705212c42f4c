import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { openTracing, type Tracing } from '../../../src/runtime/tracing/tracing.js';
import { createController } from '../../../src/runtime/controller/controller.js';
import { ApiError, type FailureKind } from '../../../src/runtime/errors.js';
import type { Result } from '../../../src/runtime/controller/result.js';
import { ENGINES, startRig, type Rig } from '../../gateway/rig.js';
import { reply } from '../../gateway/upstream.js';
import { RecordingLog } from '../../support/fakes/log.js';
import { startCollector, type Collector } from '../../support/otlp/collector.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const SAMPLED = `00-${TRACE}-${PARENT}-01`;
const VARIABLES = [
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_TRACES_SAMPLER',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SERVICE_NAME',
];

let collector: Collector;
let log: RecordingLog;
let clock: ManualClock;
let rig: Rig | undefined;

beforeEach(async () => {
  collector = await startCollector();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.endpoint;
  log = new RecordingLog();
  clock = new ManualClock();
});

afterEach(async () => {
  for (const name of VARIABLES) delete process.env[name];
  await rig?.stop();
  rig = undefined;
  await collector.stop();
});

function open(): Promise<Tracing> {
  return openTracing({ program: 'test', prefix: 'example.', service: 'tested', version: '1.2.3', clock, log });
}

/** Reconciles `shop/web` once with that outcome, and sends the span. */
async function reconcileOnce(outcome: () => Result): Promise<void> {
  const tracing = await open();
  const controller = createController({
    name: 'greeting',
    kind: 'Greeting',
    reconciler: { reconcile: async () => outcome() },
    keys: () => ['shop/web'],
    clock,
    random: () => 0,
    log,
    tracer: tracing.tracer,
    newId: () => 'id-1',
  });
  controller.start();
  await settle();
  await controller.stop(0);
  await tracing.close();
}

function failure(kind: FailureKind): never {
  throw new ApiError({ kind, message: 'secret text', call: { verb: 'get', resource: 'things' } });
}

describe('the span of a reconcile', () => {
  it.each<[string, () => Result, string, string | undefined]>([
    ['is done', () => ({ ending: 'done' }), 'success', undefined],
    ['waits', () => ({ ending: 'wait', reason: 'x', afterMs: 1 }), 'requeue_after', undefined],
    ['conflicts with another write', () => failure('Conflict'), 'requeue', undefined],
    ['fails', () => failure('Forbidden'), 'error', 'Forbidden'],
    [
      'has a fault',
      () => {
        throw new TypeError('secret text');
      },
      'error',
      'TypeError',
    ],
  ])('a reconcile that %s is one span with its object, id and result', async (_what, outcome, result, errorType) => {
    await reconcileOnce(outcome);

    expect(collector.spans).toEqual([
      {
        name: 'reconcile Greeting',
        kind: 'internal',
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
        parentSpanId: '',
        attributes: {
          'example.controller': 'greeting',
          'example.object.kind': 'Greeting',
          'example.object.name': 'web',
          'k8s.namespace.name': 'shop',
          'example.reconcile.id': 'id-1',
          'example.reconcile.result': result,
          ...(errorType !== undefined && { 'error.type': errorType }),
        },
        status: errorType === undefined ? 'unset' : 'error',
        resource: expect.objectContaining({ 'service.name': 'tested', 'service.version': '1.2.3' }),
      },
    ]);
    expect(collector.headers[0]?.['content-type']).toBe('application/x-protobuf');
  });

  it('the service name and attributes of the environment have precedence', async () => {
    process.env['OTEL_SERVICE_NAME'] = 'mine';
    process.env['OTEL_RESOURCE_ATTRIBUTES'] = 'deployment.environment.name=lab';
    await reconcileOnce(() => ({ ending: 'done' }));

    expect(collector.spans[0]?.resource).toMatchObject({
      'service.name': 'mine',
      'service.version': '1.2.3',
      'deployment.environment.name': 'lab',
    });
  });
});

describe('the span of a request to the gateway', () => {
  /** The span of a request, and the header `traceparent` that the API server got. */
  async function traced(what: Parameters<Rig['ask']>[0], code?: number): Promise<readonly (string | undefined)[]> {
    const tracing = await open();
    rig = await startRig({ tracer: tracing.tracer });
    if (code !== undefined) rig.upstream.script = (_request, socket) => void socket.write(reply(code, {}));
    await rig.ask(what);
    await waitFor('the access log', () => rig?.log.lines.some(({ message }) => message === 'request'));
    await tracing.close();
    return rig.upstream.requests.map(({ headers }) => headers.find((one) => one.startsWith('trace')));
  }

  it('a request is one span with the attributes of an HTTP server', async () => {
    await traced({ path: `${ENGINES}/engine` });

    expect(collector.spans).toMatchObject([
      {
        name: `GET ${ENGINES}/{name}`,
        kind: 'server',
        parentSpanId: '',
        attributes: {
          'http.request.method': 'GET',
          'http.route': `${ENGINES}/{name}`,
          'url.scheme': 'https',
          'url.path': `${ENGINES}/engine`,
          'http.response.status_code': 200,
          'network.protocol.version': '1.1',
          'client.address': '127.0.0.1',
        },
        status: 'unset',
      },
    ]);
  });

  it('a request continues the trace of its header, and so does the call to the API server', async () => {
    const sent = await traced({
      path: `${ENGINES}/engine`,
      headers: { traceparent: SAMPLED, tracestate: 'vendor=text', baggage: 'user=text' },
    });
    const [span] = collector.spans;

    expect(span).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
    expect(sent).toEqual([`traceparent: 00-${TRACE}-${span?.spanId}-01`]);
    expect(rig?.upstream.text).not.toMatch(/vendor|user=text/);
  });

  it.each([['00-zz-b7ad6b7169203331-01'], [`${SAMPLED}\u00e9`], [`00-${'0'.repeat(32)}-${PARENT}-01`]])(
    'a request with the malformed traceparent %s begins a trace of its own',
    async (traceparent) => {
      await traced({ path: `${ENGINES}/engine`, headers: { traceparent } });

      expect(collector.spans).toMatchObject([{ parentSpanId: '' }]);
    },
  );

  it('a request whose client does not record its trace is not recorded either, and the flag is passed on to the API server', async () => {
    const sent = await traced({ path: `${ENGINES}/engine`, headers: { traceparent: `00-${TRACE}-${PARENT}-00` } });

    expect(collector.spans).toEqual([]);
    expect(sent).toEqual([expect.stringMatching(new RegExp(`^traceparent: 00-${TRACE}-[0-9a-f]{16}-00$`))]);
  });

  it('a failed call to the API server is an error, without any text of it', async () => {
    await traced({ path: `${ENGINES}/engine` }, 500);

    expect(collector.spans).toMatchObject([
      { status: 'error', attributes: { 'http.response.status_code': 500, 'error.type': 'broken' } },
    ]);
  });

  it('a rejected request is no error, and a path or method without a route is in no attribute', async () => {
    await traced({ method: 'PURGE', path: '/secret/path' });

    expect(collector.spans).toMatchObject([
      { name: 'HTTP', status: 'unset', attributes: { 'http.request.method': '_OTHER' } },
    ]);
    expect(JSON.stringify(collector.spans)).not.toMatch(/secret|PURGE/);
  });

  it('without traces the API server gets no header of a trace', async () => {
    rig = await startRig();
    await rig.ask({ path: `${ENGINES}/engine`, headers: { traceparent: SAMPLED } });

    expect(rig.upstream.requests).toHaveLength(1);
    expect(rig.upstream.text).not.toMatch(/trace/i);
  });
});

describe('a collector that fails', () => {
  it('spans that are rejected are one warning, whatever their number', async () => {
    collector.answer(400);
    await reconcileOnce(() => ({ ending: 'done' }));

    expect(log.lines.filter(({ message }) => message === 'traces cannot be exported')).toEqual([
      expect.objectContaining({ level: 'warn' }),
    ]);
  });

  it('a line of the log says that spans are exported again', async () => {
    process.env['OTEL_BSP_SCHEDULE_DELAY'] = '1';
    const { tracer, close } = await open();
    const record = (): void =>
      tracer.start({ name: 'a', kind: 'internal', attributes: {} }).end({ attributes: {}, errorType: undefined });
    const logged = (text: string): Promise<unknown> =>
      waitFor(text, () => log.lines.some(({ message }) => message === text), { everyMs: 2 });
    collector.answer(400);
    record();
    await logged('traces cannot be exported');
    collector.answer(200);
    record();
    await logged('traces are exported again');
    record();
    await close();

    expect(log.lines).toHaveLength(2);
    expect(collector.spans).toHaveLength(2);
  });

  it('a collector that does not answer delays the end of the process by 2 s', async () => {
    collector.answer(undefined);
    const tracing = await open();
    tracing.tracer.start({ name: 'a', kind: 'internal', attributes: {} }).end({ attributes: {}, errorType: undefined });
    let closed = false;
    const close = tracing.close().then(() => (closed = true));
    await waitFor('the request', () => collector.headers.length === 1);
    await clock.advance(1_999);
    expect(closed).toBe(false);
    await clock.advance(1);
    await close;
    collector.answer(200);

    expect(clock.pending).toBe(0);
  });
});
