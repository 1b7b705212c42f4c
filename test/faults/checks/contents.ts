import type { MemoryServer } from '@multicluster-engine/kube-apiserver/testing/memoryserver';

import { resourceOf } from '../../../src/runtime/client/path.js';
import { field } from '../../../src/runtime/vocabulary/json.js';
import type { ObjectName, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { keyOf } from '../../../src/runtime/vocabulary/names.js';

/** What is stored at the end of a step, by what people may expect and not by what a run has led to. */
export interface Content {
  /** From 1. */
  readonly step: number;
  readonly type: ResourceType;
  /** Absent: the names of all objects of the type are expected, sorted. */
  readonly name?: ObjectName;
  /** The field of the object, with dots; of a list, the item of a `type`, such as `conditions.Ready`. Default: its name. */
  readonly field?: string;
  /** Undefined: there is none. */
  readonly expect: unknown;
}

/** Compares what is stored with what a scenario says of the end of a step. */
export function checkContents(
  { store }: Pick<MemoryServer, 'store'>,
  contents: readonly Content[],
  violate: (rule: string, detail: string) => void,
): void {
  for (const { type, name, field: path = 'metadata.name', expect } of contents) {
    const entries = store.list(resourceOf(type), '');
    const read = (object: unknown): unknown => path.split('.').reduce(fieldOrItem, object);
    const found =
      name === undefined
        ? entries.map(({ object }) => String(read(object))).sort()
        : read(entries.find(({ key }) => key === keyOf(name))?.object);
    const [wanted, stored] = [expect, found].map((one) => JSON.stringify(one) ?? 'none') as [string, string];
    const title = name === undefined ? type.plural : `${type.plural} ${keyOf(name)}`;
    if (stored !== wanted) violate('content', `${title}: ${path} is ${stored}, and not ${wanted}`);
  }
}

function fieldOrItem(value: unknown, name: string): unknown {
  return Array.isArray(value) ? value.find((one) => field(one, 'type') === name) : field(value, name);
}
