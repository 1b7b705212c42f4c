import { pathSegment } from '@multicluster-engine/values/formats';
import { badRequest, quoted } from '../status.js';

/** @throws StatusError 400 for a name that no object can have */
export function checkStoredName(name: string): void {
  if (name === '') throw badRequest('Name parameter required.');
  const wrong = pathSegment(name);
  if (wrong.length > 0) throw badRequest(`Name parameter invalid: ${quoted(name)}: ${wrong.join(';')}`);
}
