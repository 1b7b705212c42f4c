import { ConfigMaps } from '../../../../runtime/vocabulary/kinds.js';
import { inspectTrustBundle, type TrustBundleFinding } from '../../../../domain/engine/steps/trustbundle.js';
import type { TrustBundle } from '../../../../domain/engine/spec.js';
import { titleOf } from '../../../../domain/engine/manifest/manifest.js';
import { errorText, isFailure } from '../../../../runtime/errors.js';
import type { Input } from '../gather.js';
import type { Scope } from '../scope.js';

/** When the ConfigMap is read again, ms. It is polled: the operator may list ConfigMaps, and watch only its own. */
const AGAIN_MS = Object.freeze({ usable: 60_000, unusable: 10_000 });

/**
 * Reads the trust bundle when that is due, into the memory. Returns in how many ms it is due again; undefined without a
 * bundle. A bundle that was usable stays so while it cannot be read. Throws Fenced and Aborted only.
 */
export async function readTrustBundle(input: Input, scope: Scope): Promise<number | undefined> {
  const { memory, clock } = scope;
  const { trustBundle: bundle } = input.spec;
  if (bundle === undefined) {
    memory.trustBundle = undefined;
    return undefined;
  }
  const { configMapName, key } = bundle;
  const last = memory.trustBundle;
  const known = last?.bundle.configMapName === configMapName && last.bundle.key === key ? last : undefined;
  const now = clock.monotonic();
  if (known !== undefined && now < known.readAgainAt) return known.readAgainAt - now;
  const finding = await read(bundle, known?.finding, input, scope);
  const afterMs = AGAIN_MS[finding.kind];
  memory.trustBundle = { bundle, finding, readAgainAt: now + afterMs };
  return afterMs;
}

/** For people: what is wrong with the bundle; undefined when nothing is, or there is none. */
export function trustBundleProblem({ namespace }: Input, { memory }: Pick<Scope, 'memory'>): string | undefined {
  const { bundle, finding } = memory.trustBundle ?? {};
  if (bundle === undefined || finding?.kind !== 'unusable') return undefined;
  return `ConfigMap ${namespace}/${bundle.configMapName}, named by spec.trustBundle, ${finding.problem}`;
}

async function read(
  bundle: TrustBundle,
  known: TrustBundleFinding | undefined,
  { namespace }: Input,
  { client, pass }: Scope,
): Promise<TrustBundleFinding> {
  const name = bundle.configMapName;
  try {
    const options = { fieldSelector: `metadata.name=${name}`, signal: pass.signal };
    const [found] = await client.list(ConfigMaps, namespace, options);
    return inspectTrustBundle(bundle, found);
  } catch (error) {
    if (isFailure(error, 'Fenced', 'Aborted')) throw error;
    pass.log.warn(
      { object: titleOf(ConfigMaps, { namespace, name }), err: error },
      'the trust bundle could not be read',
    );
    return known?.kind === 'usable' ? known : { kind: 'unusable', problem: `cannot be read: ${errorText(error)}` };
  }
}
