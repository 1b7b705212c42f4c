import * as own from '../../../src/api/resources.js';
import { isRecord } from '../../../src/runtime/vocabulary/json.js';
import * as builtIn from '../../../src/runtime/vocabulary/kinds.js';
import type { ResourceType } from '../../../src/runtime/vocabulary/meta.js';

const TYPES: readonly ResourceType[] = Object.values({ ...own, ...builtIn }).filter(
  (one): one is ResourceType => isRecord(one) && 'plural' in one,
);

/** The kind of an object as the API serves it. @throws Error for a kind that this product does not name */
export function typeOf({ apiVersion, kind }: { readonly apiVersion?: unknown; readonly kind?: unknown }): ResourceType {
  const found = TYPES.find((type) => type.kind === kind && builtIn.apiVersionOf(type) === apiVersion);
  if (found === undefined) throw new Error(`${String(apiVersion)} ${String(kind)}: unknown kind`);
  return found;
}
