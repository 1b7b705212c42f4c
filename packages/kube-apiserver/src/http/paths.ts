import { textResponse } from './response/response.js';
import type { Exchange } from './exchange.js';
import type { PathHandler } from './router.js';
import { wrongMethod } from './route.js';
import type { RequestTarget } from './target.js';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { ApiResponse } from '../request.js';
import { noSuchResource, notAcceptable } from '../status.js';

/** The server's own data for non-resource paths. */
export interface PathDeps {
  readonly version: JsonObject;
  /** Health checks by name; each returns whether it passes. */
  readonly checks: Readonly<Record<string, () => boolean>>;
  /** The metrics in Prometheus text format. */
  readonly metrics: () => string;
  readonly issuer: string;
  readonly keys: () => readonly JsonObject[];
  /** Discovery and OpenAPI; undefined for other paths. */
  readonly documents: (exchange: Exchange) => ApiResponse | undefined;
  /** The paths of discovery in the index at `/`. */
  readonly groupPaths: () => readonly string[];
}

const HEALTH_PATHS = ['/healthz', '/livez', '/readyz'];
const OPENID = '/.well-known/openid-configuration';
const KEYS = '/openid/v1/jwks';

/** The version response: the API version that it is compatible with, and the actual runtime. */
export function serverVersion(): JsonObject {
  return {
    major: '1',
    minor: '36',
    emulationMajor: '1',
    emulationMinor: '36',
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '35',
    // Build metadata instead of a pre-release: a comparison of versions yields 1.36.3.
    gitVersion: 'v1.36.3+embedded',
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node${process.version}`,
    compiler: 'v8',
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}

/** Responds to non-resource paths. */
export function createPaths(deps: PathDeps): PathHandler {
  return (exchange) => {
    const { path } = exchange.info;
    if (/^\/version\/*$/.test(path)) return versionOf(deps, exchange);
    if (path.startsWith('/version/')) throw noSuchResource();
    const health = HEALTH_PATHS.find((one) => path === one || path.startsWith(`${one}/`));
    if (health !== undefined && path === `${health}/`) return undefined;
    if (health !== undefined)
      return healthOf(deps, { health, check: path.slice(health.length + 1), target: exchange.target });
    if (path === '/metrics')
      return {
        ...textResponse(200, deps.metrics()),
        headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
      };
    const bare = path.replace(/\/+$/, '');
    if (bare === OPENID) return openid(deps, exchange);
    if (bare === KEYS) return keys(deps, exchange);
    return path === '/' || path === '/index.html' ? pretty(index(deps)) : deps.documents(exchange);
  };
}

function versionOf({ version }: PathDeps, exchange: Exchange): ApiResponse {
  requireRead(exchange, 'application/json');
  return pretty(version);
}

/** Read-only paths with a single form. */
function requireRead({ request, requester: { accept = '' } }: Exchange, type: string): void {
  if (request.method !== 'GET') throw wrongMethod();
  const medias = accept.split(',').map((part) => (part.split(';')[0] ?? '').trim());
  if (accept !== '' && !medias.includes('*/*') && !medias.includes(type))
    throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${type}`);
}

function pretty(value: Json): ApiResponse {
  return {
    code: 200,
    headers: { 'Content-Type': 'application/json' },
    body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(value, null, 2)), value },
  };
}

function cached(value: JsonObject, type: string): ApiResponse {
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    code: 200,
    headers: { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' },
    body: { kind: 'bytes', bytes, value },
  };
}

function keys(deps: PathDeps, exchange: Exchange): ApiResponse {
  requireRead(exchange, 'application/jwk-set+json');
  return cached({ keys: deps.keys() }, 'application/jwk-set+json');
}

function openid({ issuer }: PathDeps, exchange: Exchange): ApiResponse {
  requireRead(exchange, 'application/json');
  return cached(
    {
      issuer,
      jwks_uri: `https://${exchange.request.headers['host'] ?? 'localhost'}${KEYS}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    },
    'application/json',
  );
}

function index(deps: PathDeps): Json {
  const health = HEALTH_PATHS.flatMap((path) => [path, ...Object.keys(deps.checks).map((check) => `${path}/${check}`)]);
  const paths = [OPENID, ...deps.groupPaths(), ...health, '/metrics', '/openapi/v3', '/openapi/v3/', KEYS, '/version'];
  return { paths: [...new Set(paths)].sort() };
}

interface HealthRequest {
  /** `/readyz` or one of its siblings. */
  readonly health: string;
  /** One check, or '' for all. */
  readonly check: string;
  readonly target: RequestTarget;
}

function healthOf({ checks }: PathDeps, { health, check, target }: HealthRequest): ApiResponse | undefined {
  const all = Object.entries(checks);
  if (check !== '') {
    const one = all.find(([name]) => name === check)?.[1];
    if (one === undefined) return undefined;
    return one()
      ? { ...textResponse(200, 'ok'), headers: { 'Content-Type': 'text/plain; charset=utf-8' } }
      : textResponse(500, `internal server error: ${check} failed\n`);
  }
  const skipped = target.all('exclude').filter((name) => name !== '');
  const results = all.map(([name, run]) => ({
    name,
    excluded: skipped.includes(name),
    good: skipped.includes(name) || run(),
  }));
  const unknown = [...new Set(skipped)].filter((name) => !results.some((one) => one.name === name)).sort();
  const lines = results.map(({ name, excluded, good }) =>
    excluded ? `[+]${name} excluded: ok\n` : good ? `[+]${name} ok\n` : `[-]${name} failed: reason withheld\n`,
  );
  if (unknown.length > 0)
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${unknown.map((name) => `"${name}"`).join(', ')}\n`,
    );
  const word = health.slice(1);
  if (results.some(({ good }) => !good)) return textResponse(500, `${lines.join('')}${word} check failed\n`);
  return textResponse(200, target.query.has('verbose') ? `${lines.join('')}${word} check passed\n` : 'ok');
}
