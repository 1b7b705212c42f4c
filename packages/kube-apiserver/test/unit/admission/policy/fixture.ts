import type { AdmissionRequest } from '../../../../src/admission/admission.js';
import { createPolicyAdmission, type PolicyAdmission } from '../../../../src/admission/policy.js';
import type { Authorizer } from '../../../../src/auth/authorizer.js';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { ObjectReader } from '../../../../src/registry/reader.js';
import type { Registry } from '../../../../src/resource.js';
import { StatusError } from '../../../../src/status.js';
import { VerbsFixture } from '../../verbs/fixture.js';

export type Watcher = Parameters<ObjectReader['watch']>[1];

/** A server's objects by collection, which only the test changes. */
export class FakeObjects implements ObjectReader {
  private readonly objects: Readonly<Record<string, readonly KubeObject[]>>;
  private readonly watchers = new Map<string, Watcher>();
  ended = 0;

  constructor(objects: Readonly<Record<string, readonly KubeObject[]>>) {
    this.objects = objects;
  }

  get(collection: string, namespace: string, name: string): KubeObject | undefined {
    return this.list(collection, namespace).find(({ metadata }) => metadata.name === name);
  }

  list(collection: string, namespace = ''): readonly KubeObject[] {
    return (this.objects[collection] ?? []).filter(
      ({ metadata }) => namespace === '' || metadata.namespace === namespace,
    );
  }

  watch(collection: string, listener: Watcher): { end(): void } {
    this.watchers.set(collection, listener);
    for (const object of this.list(collection)) listener(object, 'put');
    return { end: () => void this.ended++ };
  }

  notify(collection: string, object: KubeObject, type: 'put' | 'remove'): void {
    this.watchers.get(collection)?.(object, type);
  }

  admission(authorizer: Authorizer, registry: Registry = new VerbsFixture().registry): PolicyAdmission {
    return createPolicyAdmission(this, () => registry, authorizer);
  }
}

/** The result of admission: `code reason: message`, or undefined where it accepts; and its warnings. */
export function admissionResult(
  admission: PolicyAdmission,
  request: AdmissionRequest,
): { refused: string | undefined; warnings: readonly string[] } {
  const warnings: string[] = [];
  try {
    admission.validate(request, (text) => warnings.push(text));
    return { refused: undefined, warnings };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { refused: `${error.code} ${error.reason}: ${error.message}`, warnings };
  }
}
