import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import type { KubeObject, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { completionAnswer, liveNames, namesWithin } from '../../../src/cli/commands/completion.js';
import type { ListOptions, ReadClient } from '../../../src/runtime/client/client.js';

const { signal } = new AbortController();

/** Objects `b`, `a` and, in another namespace, `a`. */
class NamesClient implements ReadClient {
  readonly calls: string[] = [];

  get(): Promise<undefined> {
    throw new Error('nothing is read by name');
  }

  list<T extends KubeObject>(
    type: ResourceType,
    namespace: string | undefined,
    options: ListOptions = {},
  ): Promise<T[]> {
    this.calls.push(`${type.plural} ${namespace ?? '*'} ${options.metadataOnly === true ? 'metadata' : 'all'}`);
    return Promise.resolve(['b', 'a', 'a'].map((name) => ({ metadata: { name } })) as T[]);
  }
}

describe('live names', () => {
  it.each([
    ['placements', 'shop', 'placements shop metadata'],
    ['placements', undefined, 'placements * metadata'],
    ['managedclusters', 'shop', 'managedclusters * metadata'],
    ['namespaces', 'shop', 'namespaces * metadata'],
  ] as const)('the names of %s in namespace %s are read by one list of metadata', async (kind, namespace, call) => {
    const client = new NamesClient();

    expect(await liveNames(client, kind, { namespace, signal })).toEqual(['a', 'b']);
    expect(client.calls).toEqual([call]);
  });

  it('names that come too late are not waited for, and their request is aborted', async () => {
    const clock = new ManualClock();
    let aborted = false;
    const names = namesWithin(clock, 1_000, (late) => {
      late.addEventListener('abort', () => (aborted = true));
      return new Promise(() => undefined);
    });
    await clock.advance(1_000);

    expect(await names).toEqual([]);
    expect(aborted).toBe(true);
  });

  it('names that come in time are taken, and an error is no name', async () => {
    const clock = new ManualClock();

    expect(await namesWithin(clock, 1_000, () => Promise.resolve(['a']))).toEqual(['a']);
    expect(await namesWithin(clock, 1_000, () => Promise.reject(new Error('403')))).toEqual([]);
  });
});

describe('completionAnswer', () => {
  it('words that begin with the typed one are answered, and then the directive', () => {
    expect(completionAnswer(['web\tnew', 'api'], { prefix: 'w', files: false })).toBe('web\tnew\n:4\n');
    expect(completionAnswer([], { prefix: '', files: true })).toBe(':0\n');
  });
});
