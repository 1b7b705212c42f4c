import { describe, expect, it } from '@jest/globals';

import { FlagError } from '../../../src/runtime/flags/flags.js';
import { tracing } from '../../../src/runtime/flags/tracing.js';

const ENDPOINT = 'http://collector:4318';

describe('the variables of OpenTelemetry', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['no variable', {}],
    ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    ['variables that turn nothing on', { OTEL_TRACES_SAMPLER: 'always_on', OTEL_SERVICE_NAME: 'a' }],
    ['the exporter none', { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
    ['a disabled SDK', { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
  ])('traces are off with %s', (_what, env) => {
    expect(tracing(env)).toBeUndefined();
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['an endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }],
    ['an endpoint for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' }],
    ['the exporter otlp', { OTEL_TRACES_EXPORTER: 'otlp' }],
    ['the supported protocol', { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }],
    ['a sampler', { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_SAMPLER: 'traceidratio' }],
  ])('traces are on with %s, in the components too', (_what, env) => {
    expect(tracing(env)).toEqual({ shared: env });
  });

  it('the components get neither headers, which may hold a secret, nor files nor the name of the service', () => {
    const own = {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret',
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.crt',
      OTEL_SERVICE_NAME: 'operator',
    };

    expect(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, ...own })).toEqual({
      shared: { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT },
    });
  });

  it.each([
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'OTEL_TRACES_EXPORTER must be one of otlp, none, got "zipkin"'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'OTEL_EXPORTER_OTLP_PROTOCOL must be one of http/protobuf, got "grpc"'],
    [
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      'collector:4318',
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be an http or https URL, got "collector:4318"',
    ],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'grpc://user:secret@host',
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, got "…@host"',
    ],
  ])('the variable %s with %s is rejected', (name, value, message) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, [name]: value };

    expect(() => tracing(env)).toThrow(new FlagError(message));
  });
});
