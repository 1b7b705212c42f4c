import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Clock } from '../../runtime/clock.js';

/** Seals sessions, so that the browser keeps them and nobody else can read or make one. */

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Until then every replica has the new key: the kubelet copies a changed Secret within about two minutes. */
const SEALS_AFTER_MS = 5 * 60_000;
/** The longest session: what an old key has sealed ends by then. */
const OPENS_FOR_MS = 8 * 3_600_000;

interface Key {
  readonly bytes: Buffer;
  /** By the monotonic clock. */
  readonly sealsFrom: number;
  /** Undefined while it is the newest. */
  opensUntil: number | undefined;
}

/** The keys of all replicas: each derives them from the serving key, which they share, and from the trust in their hub. */
export class KeyRing {
  readonly #clock: Clock;
  /** The newest last. */
  #keys: readonly Key[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Uses the key of this serving key (PEM) and hub. The first one seals at once, a later one after five minutes; the one
   * before opens for eight hours more. `hub`: what no other hub has, so that a session of another one is never opened here.
   */
  use(servingKey: string, hub: string): void {
    const secret = createPrivateKey(servingKey).export({ type: 'pkcs8', format: 'der' });
    const bytes = Buffer.from(hkdfSync('sha256', secret, hub, 'multicluster-engine console session', KEY_BYTES));
    const newest = this.#keys.at(-1);
    if (newest !== undefined && timingSafeEqual(newest.bytes, bytes)) return;
    const now = this.#clock.monotonic();
    if (newest !== undefined) newest.opensUntil = now + OPENS_FOR_MS;
    const others = this.#keys.filter((one) => (one.opensUntil ?? Infinity) > now && !one.bytes.equals(bytes));
    const sealsFrom = others.length === 0 ? now : now + SEALS_AFTER_MS;
    this.#keys = [...others, { bytes, sealsFrom, opensUntil: undefined }];
  }

  /** A text that only {@link open} reads, with the same `about`. */
  seal(text: string, about: string): string {
    const now = this.#clock.monotonic();
    const key = this.#keys.findLast(({ sealsFrom }) => sealsFrom <= now) ?? this.#keys.at(-1);
    if (key === undefined) throw new Error('there is no key to seal with');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key.bytes, nonce).setAAD(Buffer.from(about));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** The text that was sealed for `about`; undefined for every other text. */
  open(sealed: string, about: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    // The last character has bits that stand for nothing: one spelling is accepted.
    if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined;
    const now = this.#clock.monotonic();
    for (const { bytes: key, opensUntil = Infinity } of this.#keys) {
      const text = opensUntil > now ? openWith(key, bytes, about) : undefined;
      if (text !== undefined) return text;
    }
    return undefined;
  }
}

function openWith(key: Buffer, bytes: Buffer, about: string): string | undefined {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
