import { readFileSync } from 'node:fs';

import { ApiSession, type ApiAnswer, type ApiRequest } from '../../testing/controlplane/api.js';
import type { ControlPlane } from '../../testing/controlplane/plane.js';

/** What a conformance test knows of a server: where it answers and as whom to ask. */
export interface ConformanceTarget {
  /** `embedded`, `real`, or the URL that was given. */
  readonly name: string;
  readonly url: string;
  readonly caFile: string;
  /** Of a member of system:masters. */
  readonly token: string;
  /** Kubeconfig file with these. */
  readonly kubeconfig: string;
  call(request: ApiRequest): Promise<ApiAnswer>;
  stream(path: string, onLine: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** Drops all history; only of servers that test support started. */
  compactHistory?(): Promise<void>;
}

/** A server that test support started. */
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

/** The server that CONFORMANCE_URL, CONFORMANCE_CA, CONFORMANCE_TOKEN and CONFORMANCE_KUBECONFIG tell of. */
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
