import { describe, expect, it } from '@jest/globals';

import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { asObject, compareWithPrediction, predict, type OwnershipRequest } from './prediction.js';
import { RECORDED } from './recorded.js';
import { CONFIG_MAP, DEPLOYMENT, SERVICE, THING, type Subject } from './subjects.js';

interface Recorded {
  readonly kind: 'thing' | 'configmap' | 'service' | 'deployment';
  readonly move: OwnershipRequest;
  readonly live?: KubeObject;
  readonly answer: { readonly status: number; readonly body: unknown };
  /** The object before defaulting, for built-in kinds. */
  readonly object?: Json;
}

const SUBJECTS: Readonly<Record<Recorded['kind'], Subject>> = {
  thing: THING,
  configmap: CONFIG_MAP,
  service: SERVICE,
  deployment: DEPLOYMENT,
};

const turns = RECORDED.map((text): Recorded => JSON.parse(text));

function nameOf({ kind, move, answer }: Recorded, index: number): string {
  const where = move.subresource === '' ? kind : `${kind}/${move.subresource}`;
  return `${index}: ${move.type} of a ${where} by ${move.manager}${move.force ? ' with force' : ''}, answered ${answer.status}`;
}

describe('recorded requests', () => {
  it.each(turns.map((turn, index): [string, Recorded] => [nameOf(turn, index), turn]))(
    'a recorded request is predicted correctly: %s',
    async (_name, { kind, move, live, answer, object }) => {
      const subject = SUBJECTS[kind];
      const turn = { subject, live, move };
      const wrong = await compareWithPrediction(turn, answer, async (made) => subject.complete?.(made));
      expect(wrong).toBeUndefined();
      if (object !== undefined) {
        expect(withoutEntries(predict(turn, asObject(answer.body)).object)).toEqual(object);
      }
    },
  );

  it('the recorded requests cover every kind and status code', () => {
    const seen = new Set(turns.map(({ kind, move, answer }) => `${kind} ${move.type} ${answer.status}`));
    for (const kind of ['thing', 'configmap', 'service', 'deployment']) {
      for (const what of ['apply 201', 'apply 200', 'apply 409', 'create 201', 'put 200', 'merge 200', 'json 200'])
        expect(seen).toContain(`${kind} ${what}`);
    }
  });
});

function withoutEntries(object: unknown): Json {
  const copy: { metadata?: { managedFields?: unknown } } = JSON.parse(JSON.stringify(object));
  delete copy.metadata?.managedFields;
  return copy as Json;
}
