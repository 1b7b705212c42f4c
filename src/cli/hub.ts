import type { ApiSource, TargetConfig } from '../runtime/flags/target.js';
import { DEFAULT_NAMESPACE } from '../api/names.js';
import { PATH_NAME, PATH_NAME_RULE } from '../runtime/vocabulary/names.js';
import { SelfSubjectAccessReviews } from '../runtime/vocabulary/kinds.js';
import { absentNamespaceNote } from '../answers/meant.js';
import { durationText, NotFoundError, linesText, RefusedError } from '../answers/output.js';
import type { CliConfig } from './flags.js';
import { PROGRAM } from './program.js';
import { resourceOf } from '../runtime/client/path.js';
import { createClient } from '../runtime/client/rest.js';
import { serverVersion } from '../runtime/client/serverversion.js';
import type { KubeClient } from '../runtime/client/client.js';
import { KubeconfigError } from '../runtime/transport/credentials.js';
import { loadKubeconfig, type Kubeconfig } from '../runtime/kubeconfig/kubeconfig.js';
import { WHICH_SERVER } from '../runtime/transport/apierror.js';
import { ServerClock } from '../runtime/transport/serverclock.js';
import { createTransport, type Transport } from '../runtime/transport/transport.js';
import { createLogger } from '../runtime/log/pinologger.js';
import { systemClock, systemRandom, waitingClock, type Clock } from '../runtime/clock.js';
import { ApiError, isFailure } from '../runtime/errors.js';
import { printNote, printAnswer } from './terminal/print.js';
import { ManagedClusters } from '../api/resources.js';
import { answer, type Answer } from './terminal/answer.js';

/** An API server, with the caller's credentials. */
export interface Hub {
  readonly client: KubeClient;
  readonly transport: Transport;
  readonly kubeconfig: Kubeconfig;
  /** Says on standard error, once, where this command writes. Before the first write that is done by itself: for questions. */
  readonly announceWrites: () => void;
  /**
   * The namespace of the flags, else that of the kubeconfig's context, else `default`. Commands that need none work with a
   * kubeconfig that names an impossible one, as with kubectl. @throws KubeconfigError.
   */
  readonly namespace: () => string;
  /**
   * The wall time of the hub, with the timers of this process. Before the first response it is that of this machine.
   */
  readonly clock: Clock;
  /** The time of the hub, ms since the epoch, with which its times are compared. Says once on standard error where that of this machine differs. */
  readonly now: () => Promise<number>;
}

const REVIEWS = resourceOf(SelfSubjectAccessReviews);

/**
 * Calls `work` with the API server that the flags name. An error names the server that has not responded, or has rejected
 * the credentials, or was not asked. @throws KubeconfigError, and what `work` throws.
 */
export async function withHub<T>(
  config: Pick<CliConfig, 'version' | 'namespace'> & { readonly command: string },
  source: ApiSource,
  work: (hub: Hub) => Promise<T>,
): Promise<T> {
  const kubeconfig = loadKubeconfig({
    ...(source.kubeconfig === undefined ? {} : { path: source.kubeconfig }),
    ...(source.context === undefined ? {} : { context: source.context }),
    ...(source.impersonate === undefined ? {} : { impersonate: source.impersonate }),
  });
  const announceWrites = announcement(config.command, kubeconfig);
  const serverClock = new ServerClock(waitingClock);
  const transport = createTransport(kubeconfig, {
    serverClock,
    // Between two attempts of a call nothing else keeps the process alive.
    clock: waitingClock,
    random: systemRandom,
    log: createLogger({ level: 'fatal', clock: systemClock }),
    userAgent: `multicluster-engine/${config.version} (${config.command})`,
  });
  try {
    const announced = announcing(transport, announceWrites);
    const namespace = (): string => config.namespace ?? namespaceOf(kubeconfig);
    const now = hubTime(config.command, serverClock, transport);
    const client = createClient(announced);
    return await work({ client, transport: announced, kubeconfig, announceWrites, namespace, clock: serverClock, now });
  } catch (error) {
    const { namespace } = config;
    const isAbsent = namespace !== undefined && isNothing(error);
    const absent = isAbsent ? await absentNamespaceNote(createClient(transport), namespace) : undefined;
    if (absent !== undefined) throw new NotFoundError(absent, { cause: error });
    if (isFailure(error, 'Transport', 'Malformed', 'Unavailable')) throw naming(kubeconfig, error);
    throw error;
  } finally {
    await transport.close();
  }
}

/** The `Date` of a response has whole seconds, and clocks that are kept by NTP differ by less. */
const MOST_APART_MS = 5_000;

/** Another call would wait as long for nothing. Any answer has the time. */
function unlessUnanswered(error: unknown): void {
  if (isFailure(error, 'Transport')) throw error;
}

/** A hub that was not asked yet is asked for its version, which every user may read. */
function hubTime(command: string, clock: ServerClock, transport: Transport): () => Promise<number> {
  let isSaid = false;
  return async () => {
    if (clock.localAheadMs === undefined) await serverVersion(transport).catch(unlessUnanswered);
    const { localAheadMs: ahead = 0 } = clock;
    if (!isSaid && Math.abs(ahead) >= MOST_APART_MS) {
      isSaid = true;
      const apart = `${durationText(Math.round(Math.abs(ahead) / 1000) * 1000)} ${ahead > 0 ? 'ahead of' : 'behind'}`;
      printNote(`${PROGRAM} ${command}: the clock of this machine is ${apart} that of the hub, which is used\n`);
    }
    return clock.now();
  };
}

/** The error with the server. With a code or the context it names it already. No object of the API may mean that another one answers. */
function naming({ server, source }: Kubeconfig, error: ApiError): ApiError {
  if (error.code !== undefined || error.message.includes(`(${source})`)) return error;
  const { kind, call, status, reason } = error;
  const question = kind === 'Malformed' ? `: ${WHICH_SERVER}` : '';
  return new ApiError({ kind, call, status, reason, message: `${server} (${source}): ${error.message}${question}` });
}

function namespaceOf({ namespace = DEFAULT_NAMESPACE, source }: Kubeconfig): string {
  if (PATH_NAME.test(namespace)) return namespace;
  const given = `namespace ${JSON.stringify(namespace)} of ${source}`;
  throw new KubeconfigError(`${given} must be ${PATH_NAME_RULE}; correct it, or give --namespace`);
}

/** What a misspelt namespace leads to. */
function isNothing(error: unknown): boolean {
  return error instanceof NotFoundError || isFailure(error, 'NotFound');
}

/** One line, at the first call. Where it cannot be said, nothing is written: it throws OutputError. */
function announcement(command: string, { server, source }: Kubeconfig): () => void {
  let isDone = false;
  return () => {
    if (!isDone) printNote(`${PROGRAM} ${command}: writes to ${server} (${source})\n`);
    isDone = true;
  };
}

/**
 * Announces before the first request that is no GET, so that no command can write without it. A review of rights stores
 * nothing.
 */
function announcing(transport: Transport, announce: () => void): Transport {
  return {
    call: (call) => {
      if (call.method !== 'GET' && call.target.resource !== REVIEWS) announce();
      return transport.call(call);
    },
    open: (call) => transport.open(call),
    close: () => transport.close(),
  };
}

/** Of a command that changes a hub. */
export type ChangeConfig = TargetConfig & { readonly command: string };

/** Runs a command that changes a hub; returns the exit code: 1, and one line on standard error, for any error. */
export function changeHub(config: ChangeConfig, work: (hub: Hub) => Promise<Answer>): Promise<number> {
  return answer(config.command, () => withHub(config, config.source, (hub) => workOn(config, hub, work)));
}

/** An answer of these lines, and that the command has done what it should. */
export function done(...lines: readonly string[]): Answer {
  return { text: linesText(lines), exitCode: 0 };
}

/** For a command that prints by itself while it works on a hub. */
export const ownPrinting = {
  onHub: (config: ChangeConfig, work: (hub: Hub) => Promise<void>): Promise<number> =>
    changeHub(config, async (hub) => {
      await work(hub);
      return done();
    }),
  print: printAnswer,
};

async function workOn(config: ChangeConfig, hub: Hub, work: (hub: Hub) => Promise<Answer>): Promise<Answer> {
  try {
    return await work(hub);
  } catch (error) {
    if (!isFailure(error, 'ResourceMissing') || !error.call.resource.endsWith(`.${ManagedClusters.group}`)) throw error;
    throw new RefusedError(notInstalledLine(error.call.resource, config.source, hub.kubeconfig), { cause: error });
  }
}

/** The flags of the source are repeated: without them the command would check another server. */
function notInstalledLine(
  resource: string,
  { kubeconfig, context: named }: TargetConfig['source'],
  { server, context }: Hub['kubeconfig'],
): string {
  const flags = Object.entries({ kubeconfig, context: named }).flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name} ${value}`],
  );
  const check = `${PROGRAM} check --pre${flags.join('')}`;
  return `multicluster-engine is not installed on ${server} (context ${context}), which does not serve ${resource}; before you install it there: ${check}`;
}
