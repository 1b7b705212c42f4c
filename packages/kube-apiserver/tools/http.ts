import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { load } from 'js-yaml';
import type { ControlPlane } from '../testing/controlplane/plane.js';

/** Untyped JSON. */
export interface Node {
  readonly [key: string]: unknown;
}

export interface Sent {
  readonly method?: string;
  readonly target: string;
  readonly body?: unknown;
  readonly accept?: string;
}

export interface Answer {
  readonly code: number;
  readonly body: Node;
  readonly warnings: readonly string[];
}

export type Send = (sent: Sent) => Promise<Answer>;

/** Sends requests as the administrator of kube-apiserver, with any media types. */
export function sender(plane: ControlPlane): Send {
  const bearer = tokenIn(plane.adminKubeconfig);
  const ca = readFileSync(plane.caFile);
  return ({ method = 'GET', target, body, accept = 'application/json' }) =>
    new Promise((resolve, reject) => {
      const headers = { accept, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
      const outgoing = request(new URL(target, plane.url), { method, ca, headers }, (incoming) => {
        let text = '';
        const warnings = incoming.rawHeaders.flatMap((name, at) =>
          at % 2 === 0 && name.toLowerCase() === 'warning' ? [incoming.rawHeaders[at + 1] ?? ''] : [],
        );
        incoming
          .setEncoding('utf8')
          .on('data', (part: string) => (text += part))
          .on('error', reject);
        incoming.on('end', () => resolve({ code: incoming.statusCode ?? 0, body: parsed(text), warnings }));
      });
      outgoing.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
}

/** @throws Error for a kubeconfig whose first user has no token */
function tokenIn(kubeconfig: string): string {
  const { users } = load(readFileSync(kubeconfig, 'utf8')) as {
    readonly users?: readonly { readonly user?: { readonly token?: string } }[];
  };
  const token = users?.[0]?.user?.token;
  if (token === undefined) throw new Error(`${kubeconfig} has no token`);
  return token;
}

function parsed(text: string): Node {
  try {
    return JSON.parse(text) as Node;
  } catch {
    return { text };
  }
}
