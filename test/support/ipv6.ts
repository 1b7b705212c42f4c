import { networkInterfaces } from 'node:os';

/** Whether this machine has the address `::1`. In CI it must have. */
export const HAS_IPV6 =
  process.env['CI'] === 'true' ||
  Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1') === true);
