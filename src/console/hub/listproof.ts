import { TYPES } from '../../answers/world/worlds.js';
import { collectionPath, resourceOf } from '../../runtime/client/path.js';
import type { Clock } from '../../runtime/clock.js';
import type { Transport } from '../../runtime/transport/transport.js';

/** It is asked again after this time: a right that was taken away is of no use after it. */
const PROOF_MS = 5_000;

/**
 * Since when it is known that a token may list every object of every kind that is read: asked of the API server with the token
 * itself, by lists of one object. Undefined where it may not, and where that cannot be said. Never rejects.
 */
export function listProof(transport: Pick<Transport, 'call'>, clock: Clock): () => Promise<number | undefined> {
  let asked: { readonly at: number; readonly mayList: Promise<boolean> } | undefined;
  return async () => {
    const now = clock.monotonic();
    if (asked === undefined || now - asked.at >= PROOF_MS) asked = { at: now, mayList: mayListAll(transport) };
    const { at, mayList } = asked;
    return (await mayList) ? at : undefined;
  };
}

async function mayListAll(transport: Pick<Transport, 'call'>): Promise<boolean> {
  const lists = Object.values(TYPES).map((type) =>
    transport.call({
      method: 'GET',
      path: collectionPath(type),
      query: { limit: '1' },
      target: { verb: 'list', resource: resourceOf(type) },
      idempotent: true,
      attempts: 1,
    }),
  );
  try {
    await Promise.all(lists);
    return true;
  } catch {
    return false;
  }
}
