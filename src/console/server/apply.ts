import { CLI_FIELD_MANAGER } from '../../api/names.js';
import { ApiError } from '../../runtime/errors.js';
import type { Transport } from '../../runtime/transport/transport.js';
import type { ApplyAnswer, ApplyRequest } from '../wire/plan.js';
import type { WriteRequest } from './draft.js';
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
  return { kind: 'accepted', objects: plan.writes };
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
  for (const { name, ...write } of requests) {
    try {
      await transport.call({
        ...write,
        query: { ...query, fieldManager: CLI_FIELD_MANAGER },
        idempotent: false,
        attempts: 1,
      });
      if (query['dryRun'] === undefined) written.push(name);
    } catch (error) {
      if (error instanceof ApiError) return refusal(name, error.message, written);
      throw error;
    }
  }
  return undefined;
}
