import type { Clock } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import { textField } from '../json.js';

/** What TLS needs to know of the server and of us. */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Name to verify instead of the host's. */
  readonly servername?: string;
  /** Never taken from the environment: an unverified server has to be asked for in the kubeconfig. */
  readonly rejectUnauthorized: boolean;
}

/** How to reach the API server, and as whom, at one moment. */
export interface Credentials {
  /** `https://host:port`, with a path where the API is served under one; no slash at the end. */
  readonly server: string;
  /** Authorization and impersonation. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
  /** `http://` or `https://` proxy in between. */
  readonly proxy?: string;
}

/** Where credentials are read from. */
export interface CredentialLoader {
  /** Reads them anew from files or plugin; `fresh`: what a plugin has kept for later use is not to be trusted any more. */
  load(fresh: boolean): Promise<Credentials>;
}

/** Token and CA files are read again after this long, so that a rotation is seen without a restart. */
const REREAD_MS = 30_000;
/** After a failed read the old credentials are used on; the next read is tried after this long. */
const RETRY_READ_MS = 5_000;
/** One forced read serves all calls that are refused within this time. */
const FORCED_READ_MS = 1_000;
/** A read that hangs (a plugin) is given up on after this long, and the next call starts another. */
const STUCK_MS = 60_000;

interface Flight {
  readonly startedAt: number;
  readonly loading: Promise<Credentials>;
}

/**
 * Credentials kept for a while, read by one reader at a time however many calls ask.
 *
 * Guarantees: what is handed out was read at most 30 s ago, or the last read failed; a failed read never takes working
 * credentials away.
 */
export class CachedCredentials {
  readonly #loader: CredentialLoader;
  readonly #clock: Clock;
  readonly #log: Logger;
  #kept: Credentials | undefined;
  #readAgainAt = 0;
  #forcedAt = -Infinity;
  #flight: Flight | undefined;

  constructor(loader: CredentialLoader, clock: Clock, log: Logger) {
    this.#loader = loader;
    this.#clock = clock;
    this.#log = log;
  }

  /** The credentials to use now. Throws what the first read threw; later failures keep the old ones. */
  async current(): Promise<Credentials> {
    if (this.#kept !== undefined && this.#clock.monotonic() < this.#readAgainAt) return this.#kept;
    return this.#read(false);
  }

  /** Reads them again because the server, or TLS, refused `used`; the old ones when that fails or was done just now. */
  async refresh(used: Credentials): Promise<Credentials> {
    if (this.#kept !== undefined && this.#kept !== used) return this.#kept;
    const now = this.#clock.monotonic();
    if (now - this.#forcedAt < FORCED_READ_MS) return this.#flight?.loading ?? used;
    this.#forcedAt = now;
    this.#flight = undefined;
    return this.#read(true);
  }

  #read(fresh: boolean): Promise<Credentials> {
    const now = this.#clock.monotonic();
    if (this.#flight !== undefined && now - this.#flight.startedAt < STUCK_MS) return this.#flight.loading;
    const flight: Flight = { startedAt: now, loading: this.#load(fresh) };
    this.#flight = flight;
    const land = (): void => {
      if (this.#flight === flight) this.#flight = undefined;
    };
    flight.loading.then(land, land);
    return flight.loading;
  }

  async #load(fresh: boolean): Promise<Credentials> {
    try {
      const read = await this.#loader.load(fresh);
      this.#kept = read;
      this.#readAgainAt = this.#clock.monotonic() + REREAD_MS;
      return read;
    } catch (error) {
      if (this.#kept === undefined) throw error;
      this.#readAgainAt = this.#clock.monotonic() + RETRY_READ_MS;
      this.#log.warn({ code: errorCode(error) }, 'credentials could not be read again, the old ones are used on');
      return this.#kept;
    }
  }
}

/** The code of a system or TLS error; else the error's name. Never its text, which may quote what was read. */
export function errorCode(error: unknown): string {
  const code = textField(error, 'code');
  if (code !== '') return code;
  const name = textField(error, 'name');
  return name === '' ? 'unknown' : name;
}
