import { FlagValue, type Environment } from './flags.js';

/** Traces are on. The SDK of OpenTelemetry itself reads its other variables. */
export interface TracingConfig {
  /** The variables that hold for the programs that this one starts, too. */
  readonly shared: Readonly<Record<string, string>>;
}

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;
/**
 * The variables that other programs get, too. OTEL_EXPORTER_OTLP_HEADERS is none, since it may hold a secret, nor are names of
 * files.
 */
const SHARED = [
  ...ENDPOINTS,
  ...PROTOCOLS,
  'OTEL_TRACES_EXPORTER',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_RESOURCE_ATTRIBUTES',
];

/**
 * Reads the variables of OpenTelemetry that turn traces on: an endpoint, or the exporter `otlp`. Undefined: no traces.
 * @throws FlagError for another exporter, another protocol than the supported one, or an endpoint that is no URL.
 */
export function tracing(env: Environment): TracingConfig | undefined {
  const given = (name: string): FlagValue | undefined => (env[name] ? new FlagValue(env[name], name) : undefined);
  const exporter = given('OTEL_TRACES_EXPORTER')?.oneOf(['otlp', 'none']);
  const endpoints = ENDPOINTS.flatMap((name) => given(name) ?? []);
  if (exporter === 'none' || env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  if (exporter === undefined && endpoints.length === 0) return undefined;
  for (const endpoint of endpoints) checkUrl(endpoint);
  for (const name of PROTOCOLS) given(name)?.oneOf(['http/protobuf']);
  const shared = SHARED.flatMap((name) => {
    const value = given(name);
    return value === undefined ? [] : [[name, value.text] as const];
  });
  return Object.freeze({ shared: Object.freeze(Object.fromEntries(shared)) });
}

function checkUrl(endpoint: FlagValue): void {
  const url = URL.canParse(endpoint.text) ? new URL(endpoint.text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return;
  // What stands before an @ may be a password.
  endpoint.with(endpoint.text.replace(/^.*@/s, '…@')).refuse('an http or https URL');
}
