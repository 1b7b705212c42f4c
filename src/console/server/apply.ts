import { CLI_FIELD_MANAGER } from '../../api/names.js';
import { ApiError, isFailure } from '../../runtime/errors.js';
import type { Transport } from '../../runtime/transport/transport.js';
import type { RawObject } from '../../runtime/vocabulary/meta.js';
import type { ApplyAnswer, ApplyRequest } from '../wire/plan.js';
import { isWritten, notDone, type WriteRequest } from './write.js';
import type { PlannedDraft } from './plan.js';

/**
 * Writes a draft with the rights of the person. Every write is checked by a dry run before the first one is made. Each is made at
 * the version that was read, once: what somebody else has changed meanwhile is a conflict, and nothing is forced.
 */
export async function applyAnswer(
  transport: Pick<Transport, 'call'>,
  planned: PlannedDraft,
  { basedOn, dryRun }: Omit<ApplyRequest, 'draft'>,
): Promise<ApplyAnswer> {
  if ('fault' in planned) return refusal('draft', planned.fault);
  const { plan, requests } = planned;
  if (plan.notApplied !== undefined) return refusal('draft', plan.notApplied);
  if (plan.basedOn !== basedOn) return { kind: 'moved' };
  for (const query of [{ dryRun: 'All' }, ...(dryRun ? [] : [{}])]) {
    const refused = await sendAll(transport, requests, { ...query, fieldValidation: 'Strict' });
    if (refused !== undefined) return refused;
  }
  const { action } = plan;
  return { kind: 'accepted', objects: plan.writes, ...(action !== undefined && { done: action.done }) };
}

function refusal(object: string, message: string, written: readonly string[] = []): ApplyAnswer {
  return { kind: 'refused', object, message, written };
}

async function sendAll(
  transport: Pick<Transport, 'call'>,
  requests: readonly WriteRequest[],
  query: Readonly<Record<string, string>>,
): Promise<ApplyAnswer | undefined> {
  const written: string[] = [];
  for (const { name, of, ...write } of requests) {
    if (!isWritten(write.target))
      throw new Error(`${write.target.verb} ${write.target.resource}: the console never does`);
    try {
      const { body } = await transport.call({
        ...write,
        query: { ...write.query, ...query, fieldManager: CLI_FIELD_MANAGER },
        idempotent: false,
        attempts: 1,
      });
      if (query['dryRun'] === undefined) written.push(name);
      // Its type is that of the object that was written.
      const fault = of && notDone(of, body as unknown as RawObject);
      if (fault !== undefined) return refusal(name, fault, written);
    } catch (error) {
      // The status of an object changes by itself: it is read, planned and shown again.
      if (of !== undefined && isFailure(error, 'Conflict')) return { kind: 'moved' };
      if (error instanceof ApiError) return refusal(name, error.message, written);
      throw error;
    }
  }
  return undefined;
}
