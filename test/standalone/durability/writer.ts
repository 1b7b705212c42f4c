import type { Connection, SentRequest } from '@multicluster-engine/kube-apiserver/testing/connection';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';
import type { Ledger } from './ledger.js';

export interface Collection {
  /** `configmaps`. */
  readonly name: string;
  /** Path of the objects of one writer. */
  readonly path: string;
  /** Namespace of these, if they are in one. */
  readonly namespace?: string;
  readonly type: { readonly apiVersion: string; readonly kind: string };
  /** Has a status of its own. */
  readonly status: boolean;
}

export interface WriterOptions {
  readonly connection: Connection;
  readonly ledger: Ledger;
  readonly collection: Collection;
  /** Unique: in the names of its objects. */
  readonly id: string;
  readonly seed: number;
}

const OBJECTS = 6;
const LARGEST = 2000;

/** Writes its own objects in every way, one write at a time, each of a new value, until the server is gone. Throws what was refused. */
export async function write({ connection, ledger, collection, id, seed }: WriterOptions): Promise<void> {
  const dice = new Dice(seed);
  for (let count = 0; ; count++) {
    const name = `${id}-${dice.between(1, OBJECTS)}`;
    const key = collection.namespace === undefined ? name : `${collection.namespace}/${name}`;
    const before = ledger.object(collection.name, key);
    const value = `${id}-${seed}-${count}`;
    const request = next({ dice, collection, name, before, value });
    ledger.begin(collection.name, key, { value: request.method === 'DELETE' ? undefined : value });
    let answer;
    try {
      answer = await connection.request(request);
    } catch {
      return;
    }
    const text = answer.body.toString();
    if (answer.status > 201) throw new Error(`${request.method} ${request.path}: ${answer.status} ${text}`);
    ledger.end(collection.name, key, request.method === 'DELETE' ? undefined : objectIn(text));
  }
}

function objectIn(text: string): AnyObject {
  const object: AnyObject = JSON.parse(text);
  return object;
}

interface Step {
  readonly dice: Dice;
  readonly collection: Collection;
  readonly name: string;
  readonly before: AnyObject | undefined;
  readonly value: string;
}

function next(step: Step): SentRequest {
  const { dice, collection, name, before } = step;
  const path = `${collection.path}/${name}`;
  const object = objectOf(step);
  const body = JSON.stringify(object);
  const apply = `${path}?fieldManager=applier-${dice.between(1, 3)}&force=true`;
  if (before === undefined) {
    if (dice.chance(0.5)) return { method: 'POST', path: collection.path, body };
    return { method: 'PATCH', path: apply, body, contentType: 'application/apply-patch+yaml' };
  }
  const way = dice.between(1, 10);
  if (way === 1) return { method: 'DELETE', path };
  if (way <= 4)
    return {
      method: 'PUT',
      path,
      body: JSON.stringify({
        ...object,
        metadata: { ...object.metadata, resourceVersion: before.metadata?.resourceVersion },
      }),
    };
  if (way <= 6) return { method: 'PATCH', path: apply, body, contentType: 'application/apply-patch+yaml' };
  if (way === 7 && collection.status)
    return { method: 'PUT', path: `${path}/status`, body: JSON.stringify(withStatus(step, before)) };
  return {
    method: 'PATCH',
    path,
    body: JSON.stringify({ metadata: object.metadata }),
    contentType: 'application/merge-patch+json',
  };
}

function objectOf({ dice, collection: { type, status, namespace }, name, value }: Step): AnyObject {
  const labels = Object.fromEntries(
    Array.from({ length: dice.between(0, 3) }, (_, n) => [`label-${n}`, String(dice.between(1, 5))]),
  );
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels,
    annotations: { value, padding: 'x'.repeat(dice.between(0, LARGEST)) },
  };
  return {
    ...type,
    metadata,
    ...(status ? { spec: { displayName: value } } : { data: { value, [`key-${dice.between(1, 4)}`]: 'y' } }),
  };
}

/** A write of the status takes nothing else. */
function withStatus({ value }: Step, before: AnyObject): AnyObject {
  return { ...before, status: { version: { kubernetes: value } } };
}
