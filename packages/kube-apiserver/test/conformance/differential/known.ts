import type { RandomRequest } from './request.js';
import type { Outcome } from './serverclient.js';

/** An accepted difference between the embedded server and kube-apiserver. */
export interface KnownDifference {
  readonly reason: string;
  readonly applies: (move: RandomRequest, embedded: Outcome, real: Outcome) => boolean;
  /** Whether the servers store different objects after a request with equal responses. */
  readonly diverges?: (move: RandomRequest, both: Outcome) => boolean;
}

/** All other differences are faults of the embedded server. */
export const KNOWN: readonly KnownDifference[] = [
  {
    reason:
      'a write to the status of a missing Service or policy creates it on kube-apiserver: a fault that is not copied',
    applies: (move, embedded, real) =>
      /\/(services|validatingadmissionpolicies)\/[^/]+\/status/.test(move.path) &&
      move.method !== 'GET' &&
      embedded.code === 404 &&
      real.code !== 404,
  },
  {
    reason:
      'an ExternalName Service with clusterIP None has it in clusterIPs too on kube-apiserver, where no client can write it',
    applies: ({ path }, embedded, real) =>
      path.includes('/services') &&
      !JSON.stringify(embedded).includes('"clusterIPs":["None"]') &&
      /"clusterIP":"None","clusterIPs":\["None"\],"externalName"/.test(JSON.stringify(real)),
  },
  {
    reason: 'a Service without a name is rejected by kube-apiserver with an error of the IP allocator',
    applies: (_move, embedded, real) =>
      embedded.code === 422 && real.code === 422 && JSON.stringify(real).includes('spec.parentRef.name'),
  },
  {
    reason:
      'a Table of the Scale of a built-in kind has a first and a last column without description on kube-apiserver',
    applies: ({ path }, embedded, real) =>
      path.includes('/scale') &&
      [embedded, real].every(({ body }) => typeof body === 'object' && body !== null && 'columnDefinitions' in body),
  },
  {
    reason: 'kube-apiserver taints a new Node as not ready, which only the node controller removes',
    applies: (move, embedded, real) =>
      /\/nodes(\/[^/]+)?(\?|$)/.test(move.path) &&
      [move, embedded].every((one) => !JSON.stringify(one).includes(NOT_READY)) &&
      JSON.stringify(real).includes(NOT_READY),
  },
  {
    reason:
      'a dry-run deletion that removes finalizers of the garbage collector returns an empty object on kube-apiserver',
    applies: (move, embedded, real) =>
      move.method === 'DELETE' &&
      isDry(move) &&
      [embedded, real].every(({ code }) => code === 200) &&
      isEmptyObject(real.body),
  },
  {
    reason:
      'definitions that are deleted as a collection delete their instances; kube-apiserver keeps the instances in its store: a fault that is not copied',
    applies: () => false,
    diverges: (move, { code, body }) =>
      move.method === 'DELETE' &&
      /\/customresourcedefinitions(\?|$)/.test(move.path) &&
      code === 200 &&
      !isDry(move) &&
      !/"items":(\[\]|null)/.test(JSON.stringify(body)),
  },
];

function isDry({ path, body, text }: RandomRequest): boolean {
  return path.includes('dryRun=All') || (text ?? JSON.stringify(body ?? null)).includes('"dryRun"');
}

/** Whether a body is an object without a name; a Status is excluded by its kind. */
function isEmptyObject(body: unknown): boolean {
  const text = JSON.stringify(body);
  return !text.includes('"kind":"Status"') && (text.includes('"metadata":{}') || !text.includes('"metadata"'));
}

const NOT_READY = 'node.kubernetes.io/not-ready';
