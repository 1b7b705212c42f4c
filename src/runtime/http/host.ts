import { isIP } from 'node:net';
import { bareHost } from '../vocabulary/url.js';

/** Whether the name is one of this machine alone: another one may be pointed at it by its owner (DNS rebinding). */
export function isLoopback(host: string): boolean {
  const name = bareHost(host).toLowerCase();
  if (name === 'localhost') return true;
  return isIP(name) === 4 ? name.startsWith('127.') : name === '::1';
}
