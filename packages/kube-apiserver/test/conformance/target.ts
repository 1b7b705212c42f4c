import { readFileSync } from 'node:fs';

import { ApiSession, type ApiAnswer, type ApiRequest } from '../../testing/controlplane/api.js';
import type { ControlPlane } from '../../testing/controlplane/plane.js';

/** The address and the credentials of a server under test. */
export interface ConformanceTarget {
  /** `embedded`, `real`, or the URL that was given. */
  readonly name: string;
  readonly url: string;
  readonly caFile: string;
  /** Bearer token of a member of system:masters. */
  readonly token: string;
  /** Path of a kubeconfig with this server and token. */
  readonly kubeconfig: string;
  call(request: ApiRequest): Promise<ApiAnswer>;
  stream(path: string, onLine: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** Compacts all history; only for servers that the tests started. */
  compactHistory?(): Promise<void>;
}

/** The target of a server that the tests started. */
export async function targetOf(plane: ControlPlane, name: string): Promise<ConformanceTarget> {
  return {
    name,
    url: plane.url,
    caFile: plane.caFile,
    token: await plane.tokenFor({ user: 'admin', groups: ['system:masters'] }),
    kubeconfig: plane.adminKubeconfig,
    call: (request) => plane.call(request),
    stream: (path, onLine, signal) => plane.stream(path, onLine, signal),
    compactHistory: () => plane.compactHistory(),
  };
}

/** The target that CONFORMANCE_URL, CONFORMANCE_CA, CONFORMANCE_TOKEN and CONFORMANCE_KUBECONFIG describe. */
export function givenTarget(): ConformanceTarget {
  const url = variable('CONFORMANCE_URL');
  const caFile = variable('CONFORMANCE_CA');
  const token = variable('CONFORMANCE_TOKEN');
  readFileSync(caFile);
  const session = new ApiSession({ url, caFile, token });
  return {
    name: url,
    url,
    caFile,
    token,
    kubeconfig: variable('CONFORMANCE_KUBECONFIG'),
    call: (request) => session.call(request),
    stream: (path, onLine, signal) => session.stream(path, onLine, signal),
  };
}

function variable(name: string): string {
  const value = process.env[name] ?? '';
  if (value === '') throw new Error(`${name}: must be set where CONFORMANCE_URL is`);
  return value;
}
