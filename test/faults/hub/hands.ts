import type { UserInfo } from '@multicluster-engine/kube-apiserver';
import type { MemoryServer } from '@multicluster-engine/kube-apiserver/testing/memoryserver';

import { collectionPath, objectPath, resourceOf } from '../../../src/runtime/client/path.js';
import { isRecord, type JsonRecord } from '../../../src/runtime/vocabulary/json.js';
import type { KubeObject, ObjectName, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { typeOf } from '../../support/builders/typeof.js';

/** Who writes what a scenario says. */
export const PEOPLE: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** Writes what people and other programs write, as an administrator: no fault hits it. */
export class Hands {
  readonly #server: MemoryServer;

  constructor(server: MemoryServer) {
    this.#server = server;
  }

  /** @throws Error for a refused request */
  create(object: JsonRecord): Promise<KubeObject> {
    const type = typeOf(object);
    const { namespace } = nameOf(object);
    return this.send('POST', collectionPath(type, namespace), object);
  }

  /** A merge patch; `null` removes a field. */
  patch(type: ResourceType, name: ObjectName, patch: object, subresource?: 'status'): Promise<KubeObject> {
    return this.send('PATCH', objectPath(type, name, subresource), patch, 'application/merge-patch+json');
  }

  /** Creates the object, or replaces its content. */
  async put(object: JsonRecord): Promise<KubeObject> {
    const type = typeOf(object);
    const name = nameOf(object);
    const stored = await this.find(type, name);
    if (stored === undefined) return this.create(object);
    const { resourceVersion } = stored.metadata;
    const metadata = { ...(object['metadata'] as object), resourceVersion };
    return this.send('PUT', objectPath(type, name), { ...object, metadata });
  }

  /** Undefined when it is not there. */
  async find(type: ResourceType, name: ObjectName): Promise<KubeObject | undefined> {
    const { code, value } = await this.ask('GET', objectPath(type, name));
    return code === 404 ? undefined : (value as unknown as KubeObject);
  }

  async list(type: ResourceType): Promise<readonly KubeObject[]> {
    const { value } = await this.ask('GET', collectionPath(type));
    return (value['items'] as KubeObject[] | undefined) ?? [];
  }

  async remove(type: ResourceType, name: ObjectName): Promise<void> {
    await this.send('DELETE', objectPath(type, name));
  }

  /** Stores a spec as if the definition had no rules, as it may have been before. */
  async overwrite(type: ResourceType, { namespace = '', name }: ObjectName, spec: JsonRecord): Promise<void> {
    const [collection, key] = [resourceOf(type), namespace === '' ? name : `${namespace}/${name}`];
    await this.#server.store.put(collection, key, (revision) => {
      const stored = this.#server.store.newest(collection, key)?.object;
      if (stored === undefined) throw new Error(`${collection} ${key}: there is none`);
      const { metadata, ...rest } = stored;
      const changed = { resourceVersion: String(revision), generation: (metadata.generation ?? 0) + 1 };
      return { ...rest, metadata: { ...metadata, ...changed }, spec } as never;
    });
  }

  /** @throws Error for a refused request */
  async send(method: string, target: string, body?: object, contentType = 'application/json'): Promise<KubeObject> {
    const { code, value } = await this.ask(method, target, body, contentType);
    if (code >= 300) throw new Error(`${method} ${target}: ${code} ${JSON.stringify(value).slice(0, 400)}`);
    return value as unknown as KubeObject;
  }

  /** Sends it, refused or not. */
  async ask(
    method: string,
    target: string,
    body?: object,
    contentType = 'application/json',
  ): Promise<{ readonly code: number; readonly value: JsonRecord }> {
    const { code, body: answer } = await this.#server.dispatch({
      method,
      target,
      headers: { 'content-type': contentType, accept: 'application/json', 'user-agent': 'people' },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      user: PEOPLE,
      signal: new AbortController().signal,
    });
    const value: unknown =
      answer.kind === 'value' ? answer.value : answer.kind === 'bytes' ? { message: String(answer.bytes) } : {};
    return { code, value: isRecord(value) ? value : {} };
  }
}

function nameOf(object: JsonRecord): ObjectName {
  const metadata = object['metadata'] as { readonly name?: string; readonly namespace?: string } | undefined;
  return { name: metadata?.name ?? '', ...(metadata?.namespace && { namespace: metadata.namespace }) };
}
