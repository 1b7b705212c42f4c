import { groupVersion, apiVersionOf, CustomResourceDefinitions } from '../../../src/runtime/vocabulary/kinds.js';
import { timestamp, type KubeObject } from '../../../src/runtime/vocabulary/meta.js';

/** A kind of this example: it asks for a ConfigMap of its own name with a text. */
export interface Greeting extends KubeObject {
  readonly spec: { readonly text: string };
  readonly status?: { readonly conditions?: readonly ReadyCondition[] };
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface ReadyCondition {
  readonly type: 'Ready';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export const Greetings = groupVersion('example.com', 'v1').namespaced('greetings', 'Greeting');

/** The condition that a Greeting has to get; undefined when it has it. `now`: ms since the epoch. */
export function readyCondition(greeting: Greeting, isTaken: boolean, now: number): ReadyCondition | undefined {
  const wanted = isTaken
    ? { status: 'False', reason: 'NameTaken', message: 'a ConfigMap of this name belongs to somebody else' }
    : { status: 'True', reason: 'Written', message: 'the ConfigMap has the text' };
  const before = greeting.status?.conditions?.find(({ type }) => type === 'Ready');
  // Each reason has one status and one message.
  if (before?.reason === wanted.reason) return undefined;
  const lastTransitionTime = before?.status === wanted.status ? before.lastTransitionTime : timestamp(now);
  return { type: 'Ready', ...(wanted as Pick<ReadyCondition, 'status' | 'reason' | 'message'>), lastTransitionTime };
}

const text = { type: 'string' };

export const definition = {
  apiVersion: apiVersionOf(CustomResourceDefinitions),
  kind: CustomResourceDefinitions.kind,
  metadata: { name: `${Greetings.plural}.${Greetings.group}` },
  spec: {
    group: Greetings.group,
    scope: 'Namespaced',
    names: { kind: Greetings.kind, plural: Greetings.plural, singular: 'greeting', listKind: 'GreetingList' },
    versions: [
      {
        name: Greetings.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', required: ['text'], properties: { text } },
              status: {
                type: 'object',
                properties: {
                  conditions: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['type'],
                    items: {
                      type: 'object',
                      required: ['type', 'status'],
                      properties: { type: text, status: text, reason: text, message: text, lastTransitionTime: text },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};
