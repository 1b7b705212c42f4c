import type { RandomRequest } from './request.js';
import type { Outcome } from './serverclient.js';

/** A difference between the embedded server and the real one that is meant, or that is borne. */
export interface KnownDifference {
  readonly reason: string;
  readonly applies: (move: RandomRequest, embedded: Outcome, real: Outcome) => boolean;
  /** Whether the two hold different objects after a move that both answered alike. */
  readonly diverges?: (move: RandomRequest, both: Outcome) => boolean;
}

/** Everything else that differs is a fault. */
export const KNOWN: readonly KnownDifference[] = [
  {
    reason:
      'a write to the status of a Service or policy that is not there makes one on the real server, a Service without its addresses, and is checked as such: a fault that is not copied',
    applies: (move, embedded, real) =>
      /\/(services|validatingadmissionpolicies)\/[^/]+\/status/.test(move.path) &&
      move.method !== 'GET' &&
      embedded.code === 404 &&
      real.code !== 404,
  },
  {
    reason:
      'a Service without addresses that is told to have clusterIP None keeps that, and the real server shows it in clusterIPs too, though nobody may write it there',
    applies: ({ path }, embedded, real) =>
      path.includes('/services') &&
      !JSON.stringify(embedded).includes('"clusterIPs":["None"]') &&
      /"clusterIP":"None","clusterIPs":\["None"\],"externalName"/.test(JSON.stringify(real)),
  },
  {
    reason: 'a Service without a name is refused by the real server for the address that it wanted to give it',
    applies: (_move, embedded, real) =>
      embedded.code === 422 && real.code === 422 && JSON.stringify(real).includes('spec.parentRef.name'),
  },
  {
    reason:
      'a Table of the Scale of a built-in kind leaves open on the real server what its first column and its last one are',
    applies: ({ path }, embedded, real) =>
      path.includes('/scale') &&
      [embedded, real].every(({ body }) => typeof body === 'object' && body !== null && 'columnDefinitions' in body),
  },
  {
    reason:
      'a new Node is tainted until a controller finds it ready, on the real server: without that controller it would stay so',
    applies: (move, embedded, real) =>
      /\/nodes(\/[^/]+)?(\?|$)/.test(move.path) &&
      [move, embedded].every((one) => !JSON.stringify(one).includes(NOT_READY)) &&
      JSON.stringify(real).includes(NOT_READY),
  },
  {
    reason:
      "a dry deletion that takes the garbage collector's finalizers off answers an empty object on the real server",
    applies: (move, embedded, real) =>
      move.method === 'DELETE' &&
      isDry(move) &&
      [embedded, real].every(({ code }) => code === 200) &&
      isNobody(real.body),
  },
  {
    reason:
      'definitions that are deleted as a collection end like any other, with their objects; the real server drops them at once, and what they defined stays in its store until it is defined again: a fault that is not copied',
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

/** Whether it is an object that has no name: a Status has a kind of its own. */
function isNobody(body: unknown): boolean {
  const text = JSON.stringify(body);
  return !text.includes('"kind":"Status"') && (text.includes('"metadata":{}') || !text.includes('"metadata"'));
}

const NOT_READY = 'node.kubernetes.io/not-ready';
