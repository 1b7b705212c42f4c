import { InputError } from '../answers/output.js';
import type { ReadClient } from '../runtime/client/client.js';
import type { Transport } from '../runtime/transport/transport.js';
import { systemClock, type Clock } from '../runtime/clock.js';
import { codeOf, errorText } from '../runtime/errors.js';
import { addressOf, type Listen } from '../runtime/flags/flags.js';
import { readAssets } from './server/assets.js';
import { Planner } from './server/planner.js';
import type { Hub } from './server/routes.js';
import { listen, portOf } from './server/server.js';
import { LinkEntrance, Sessions } from './server/session.js';
import { Snapshots } from './server/snapshot.js';

/** A console for one person: `console` serves it with a kubeconfig, `standalone` beside its hub. */

export interface ConsoleOptions {
  /** Asks with the credentials of the person. */
  readonly client: ReadClient;
  readonly transport: Pick<Transport, 'call'>;
  readonly session: Omit<Hub['session'], 'by'>;
  /** The only namespace to read; undefined: all. */
  readonly namespace: string | undefined;
  /** Read instead where objects of all namespaces may not be listed. */
  readonly fallback: () => string;
  readonly listen: Listen;
  /** With the time of the hub. */
  readonly clock: Clock;
  /** The flag that has set the address. */
  readonly flag: string;
}

export interface OpenConsole {
  /** A link that opens one session, once. */
  readonly link: () => string;
  /** Reads the hub. @throws ApiError where it cannot be read. */
  readonly read: () => Promise<unknown>;
  readonly close: () => void;
}

/** Starts the console. @throws InputError with the flag and the address, if it cannot listen there */
export async function openConsole(options: ConsoleOptions): Promise<OpenConsole> {
  const { client, transport, namespace, fallback, listen: address, flag, clock } = options;
  const snapshots = new Snapshots({ client, namespace, fallback, clock });
  const assets = readAssets();
  const sessions = new Sessions(systemClock);
  const hub = {
    snapshots,
    client,
    transport,
    session: { ...options.session, by: 'link' as const },
    namespace,
    planner: new Planner(systemClock),
  };
  const entrance = new LinkEntrance(hub, sessions);
  const server = await listen({ assets, entrance, clock: systemClock }, address).catch((error: unknown) => {
    const why = codeOf(error) === 'EADDRINUSE' ? 'another program listens there' : errorText(error);
    throw new InputError(`--${flag} ${addressOf(address)}: ${why}`, { cause: error });
  });
  return {
    link: () => `http://${addressOf({ host: address.host, port: portOf(server) })}/login#code=${sessions.code()}`,
    read: () => snapshots.current(),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
