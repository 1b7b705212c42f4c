import { url } from 'node:inspector';
import type { Host } from './lifecycle.js';
import type { Logger } from '../logger.js';

/**
 * Prevents that SIGUSR1 opens Node's debugger, which could read every token: a listener replaces the default action. Returns a
 * check that throws when a debugger is open already.
 */
export function refuseDebugger(
  host: Pick<Host, 'on'>,
  log: Logger,
  address: () => string | undefined = url,
): () => void {
  host.on('SIGUSR1', () => log.warn({ signal: 'SIGUSR1' }, 'signal ignored: it would open a debugger'));
  return () => {
    if (address() !== undefined) throw new Error('a debugger is open, which could read every token');
  };
}
