import { url } from 'node:inspector';
import type { Host } from '../runtime/lifecycle.js';
import type { Logger } from '../runtime/logger.js';

/**
 * Keeps node's debugger shut, through which whoever may signal the process could read every token: SIGUSR1, which opens
 * it, is taken by a listener in its stead. Returns a check for whether it was opened before.
 */
export function refuseDebugger(
  host: Pick<Host, 'on'>,
  log: Logger,
  address: () => string | undefined = url,
): () => void {
  host.on('SIGUSR1', () => log.warn({ signal: 'SIGUSR1' }, 'signal refused: it asks for a debugger'));
  return () => {
    if (address() !== undefined) throw new Error('a debugger is open, through which every token could be read');
  };
}
