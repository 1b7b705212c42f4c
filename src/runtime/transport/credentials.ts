import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import { connectionCode } from '../connection/failure.js';

/** Certificates and options for TLS. */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Server name to verify instead of the host. */
  readonly servername?: string;
  /** Only the kubeconfig can switch the verification off, never the environment. */
  readonly rejectUnauthorized: boolean;
}

/** Address of the API server, and the credentials to use. */
export interface Credentials {
  /** `https://host:port`, with a path where the API is served under one; no slash at the end. */
  readonly server: string;
  /** Authorization and impersonation. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsMaterial;
  /** `http://`, `https://` or `socks5://` URL of a proxy. */
  readonly proxy?: string;
  /** Where they come from, for messages: the context and its file, say. */
  readonly origin?: string;
  /** What identifies the caller to the server, for messages: `the token in FILE`, say. */
  readonly presented?: string;
}

/** Credentials cannot be read. The message is one line, without secrets, for the user. */
export class CredentialsError extends Error {}

/** Where credentials are read from. */
export interface CredentialLoader {
  /** Reads files again, or runs the plugin; `fresh`: does not use credentials that a plugin has cached. */
  load(fresh: boolean): Promise<Credentials>;
}

/** Token and CA files are read again after this long, so that a rotation needs no restart. */
const REREAD_MS = 30_000;
/** After a failed read the old credentials stay in use; the next read follows after this long. */
const RETRY_READ_MS = 5_000;
/** One forced read serves all calls that are rejected within this time. */
const FORCED_READ_MS = 1_000;
/** A read (of a plugin) that takes longer counts as hung; the next call starts another. */
const STUCK_MS = 60_000;

interface PendingRead {
  readonly startedAt: number;
  readonly loading: Promise<Credentials>;
}

/**
 * Caches credentials for 30 s; concurrent calls share one read.
 *
 * Guarantees: returned credentials were read at most 30 s ago, or the last read failed; a failed read never removes
 * working credentials.
 */
export class CachedCredentials {
  readonly #loader: CredentialLoader;
  readonly #clock: Clock;
  readonly #log: Logger;
  #cached: Credentials | undefined;
  #readAgainAt = 0;
  #forcedAt = -Infinity;
  #pending: PendingRead | undefined;

  constructor(loader: CredentialLoader, clock: Clock, log: Logger) {
    this.#loader = loader;
    this.#clock = clock;
    this.#log = log;
  }

  /** The credentials to use now. Throws the error of the first read; later errors keep the old credentials. */
  async current(): Promise<Credentials> {
    return this.cached() ?? this.#read(false);
  }

  /** The credentials to use now; undefined when they have to be read. */
  cached(): Credentials | undefined {
    return this.#clock.monotonic() < this.#readAgainAt ? this.#cached : undefined;
  }

  /** Reads them again after the server or TLS rejected `used`; returns the old ones when that fails or was done in the last second. */
  async refresh(used: Credentials): Promise<Credentials> {
    if (this.#cached !== undefined && this.#cached !== used) return this.#cached;
    const now = this.#clock.monotonic();
    if (now - this.#forcedAt < FORCED_READ_MS) return this.#pending?.loading ?? used;
    this.#forcedAt = now;
    this.#pending = undefined;
    return this.#read(true);
  }

  #read(fresh: boolean): Promise<Credentials> {
    const now = this.#clock.monotonic();
    if (this.#pending !== undefined && now - this.#pending.startedAt < STUCK_MS) return this.#pending.loading;
    const pending: PendingRead = { startedAt: now, loading: this.#load(fresh) };
    this.#pending = pending;
    const clear = (): void => {
      if (this.#pending === pending) this.#pending = undefined;
    };
    pending.loading.then(clear, clear);
    return pending.loading;
  }

  async #load(fresh: boolean): Promise<Credentials> {
    try {
      const read = await this.#loader.load(fresh);
      this.#cached = read;
      this.#readAgainAt = this.#clock.monotonic() + REREAD_MS;
      return read;
    } catch (error) {
      if (this.#cached === undefined) throw error;
      this.#readAgainAt = this.#clock.monotonic() + RETRY_READ_MS;
      const reason = error instanceof CredentialsError ? { reason: error.message } : {};
      this.#log.warn(
        { code: connectionCode(error), ...reason },
        'failed to read the credentials again, the old ones stay in use',
      );
      return this.#cached;
    }
  }
}

/** No configuration of the API server was found, or it cannot be used. The message is one line, without secrets, for the user. */
export class KubeconfigError extends CredentialsError {}
