import type { Reply } from '../../gateway/openapi/conformance.js';
import { parseReplies } from '../../gateway/rawclient.js';
import type { ClientSocket, GatewayProgram, Receiver } from './gateway.js';

/** A client's end of a connection to the gateway. */
export class Line implements Receiver {
  readonly socket: ClientSocket;
  #received: Buffer = Buffer.alloc(0);
  #isClosed = false;
  #hasLeft = false;
  #changed: () => void = () => undefined;

  private constructor(connect: (receiver: Receiver) => ClientSocket) {
    this.socket = connect(this);
  }

  /** Undefined when nobody listens. */
  static open(gateway: GatewayProgram): Line | undefined {
    return gateway.isListening ? new Line((receiver) => gateway.connect(receiver)) : undefined;
  }

  /** Whether a further request can be sent. */
  get isUsable(): boolean {
    return !this.#isClosed && !this.#hasLeft;
  }

  send(bytes: Buffer): void {
    this.socket.arrive(bytes);
  }

  /** Nothing is sent from now on; after a reset nothing is received either. */
  leave(how: 'end' | 'reset'): void {
    if (this.isUsable) this.socket.leave(how);
    this.#hasLeft = true;
    if (how === 'reset') this.closed();
  }

  data(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    this.#changed();
  }

  closed(): void {
    this.#isClosed = true;
    this.#changed();
  }

  /** Whether the gateway wants the body. `late`: when it is waited for no longer. */
  async mayContinue(late: Promise<void>): Promise<boolean> {
    const head = await this.#find(late, () => /^HTTP\/1\.1 (\d).*\r\n\r\n/s.exec(this.#received.toString('latin1')));
    return head?.[1] === '1';
  }

  /** The answer, once; undefined when the connection is closed before its end, or it is late. */
  async reply(late: Promise<void>): Promise<Reply | undefined> {
    const reply = await this.#find(late, () => parseReplies(this.#received)[0]);
    this.#received = Buffer.alloc(0);
    return reply;
  }

  async #find<T>(late: Promise<void>, look: () => T | null | undefined): Promise<T | undefined> {
    let isLate = false;
    void late.then(() => {
      isLate = true;
      this.#changed();
    });
    for (;;) {
      const found = look() ?? undefined;
      if (found !== undefined || this.#isClosed || isLate) return found;
      await new Promise<void>((resolve) => (this.#changed = resolve));
    }
  }
}
