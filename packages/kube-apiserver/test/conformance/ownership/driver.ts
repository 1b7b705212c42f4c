import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { ApiAnswer, ApiRequest } from '../../../testing/controlplane/api.js';
import type { Dice } from '../../../testing/random.js';
import type { OwnershipRequest } from './request.js';
import { nextRequest } from './request.js';
import type { Subject } from './subject.js';
import type { RequestInState } from './prediction.js';
import { asObject, stripped, compareWithPrediction } from './prediction.js';

/** A response that differs from its prediction. */
export interface Mismatch {
  readonly what: string;
  readonly move: OwnershipRequest;
  readonly live: Json;
  readonly ours: Json;
  readonly real: Json;
}

export interface Counters {
  steps: number;
  /** Number of responses by type of request and status: `apply 409`. */
  readonly answers: Map<string, number>;
}

type Call = (request: ApiRequest) => Promise<ApiAnswer>;

/** Receives every response that matched its prediction. */
type Listener = (turn: RequestInState, answer: ApiAnswer) => void;

/** Sends random requests for objects of one kind to a server and compares each response with its prediction. */
export class OwnershipDriver {
  readonly #call: Call;
  readonly #dice: Dice;
  #subject: Subject;
  readonly #live = new Map<string, KubeObject>();
  readonly #configurations = new Map<string, JsonObject>();
  readonly tally: Counters = { steps: 0, answers: new Map() };

  readonly #listener: Listener | undefined;

  constructor(call: Call, dice: Dice, subject: Subject, listener?: Listener) {
    this.#call = call;
    this.#listener = listener;
    this.#dice = dice;
    this.#subject = subject;
  }

  /** Replaces the subject after its schema changed on the server. */
  change(subject: Subject): void {
    this.#subject = subject;
  }

  /** One random request to one of a few objects whose names begin with `prefix`. */
  async step(prefix: string): Promise<Mismatch | undefined> {
    const name = `${prefix}${this.#dice.between(1, 4)}`;
    const live = this.#live.get(name);
    const move = nextRequest(this.#dice, this.#subject, { name, live, configurations: this.#configurations });
    if (move.type === 'delete') await this.#release(move.name);
    const answer = await this.#call(move.request);
    this.tally.steps += 1;
    const key = `${move.type} ${answer.status}`;
    this.tally.answers.set(key, (this.tally.answers.get(key) ?? 0) + 1);
    if (move.type === 'delete') this.#live.delete(name);
    const real = answer.status < 300 && move.type !== 'delete' ? asObject(answer.body) : undefined;
    if (real !== undefined) this.#live.set(name, real);
    const complete = (object: JsonObject): Promise<Json | undefined> => this.#completed(object, move);
    const turn = { subject: this.#subject, move, live };
    const wrong = await compareWithPrediction(turn, answer, complete);
    if (wrong === undefined) this.#listener?.(turn, answer);
    return wrong === undefined ? undefined : { ...wrong, move, live: live ?? null };
  }

  /** Removes finalizers, which would delay a deletion. */
  async #release(name: string): Promise<void> {
    const path = `${this.#subject.path}/${name}`;
    await this.#call({
      method: 'PATCH',
      path,
      body: { metadata: { finalizers: null } },
      contentType: 'application/merge-patch+json',
    });
  }

  /**
   * The object as the server would store it, with defaults. Undefined where this is unknown, because the server rejects
   * the object without defaults.
   */
  async #completed(object: JsonObject, { name, subresource }: OwnershipRequest): Promise<Json | undefined> {
    if (this.#subject.complete !== undefined) return this.#subject.complete(object);
    const path = `${this.#subject.path}/${name}${subresource === '' ? '' : `/${subresource}`}?dryRun=All`;
    const answer = await this.#call({ method: 'PUT', path, body: stripped(object) });
    return answer.status === 200 ? (answer.body as unknown as Json) : undefined;
  }
}
