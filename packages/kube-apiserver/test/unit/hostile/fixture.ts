import { type Assembly, assemble } from '../../../src/server/assembly.js';
import { generateSigningKey, readSigningKey } from '../../../src/auth/tokens/jwt.js';
import { bootstrap } from '../../../src/server/bootstrap.js';
import { isObject, type JsonObject } from '@multicluster-engine/values/json';
import { memoryStore } from '../../../src/store/open.js';
import { ManualClock } from '../../../testing/clock.js';

const ROOT = { name: 'root', groups: ['system:masters', 'system:authenticated'] };

/** A complete server without a socket, with deep-frozen stored objects. */
export async function startAssembly(): Promise<Assembly> {
  const clock = new ManualClock();
  const assembly = assemble({
    store: memoryStore({ clock, frozen: true }),
    clock,
    signing: readSigningKey(generateSigningKey()),
    tokens: [],
    audit: undefined,
    address: () => '',
    metrics: () => '',
  });
  await bootstrap(assembly, []);
  return assembly;
}

/** The response to an administrator's request: the code, and the object, `{}` where it is text. */
export async function ask(
  assembly: Assembly,
  request: {
    readonly method: string;
    readonly target: string;
    readonly body: string | Uint8Array;
    readonly type?: string;
  },
): Promise<{ readonly code: number; readonly value: JsonObject }> {
  const { method, target, body, type = 'application/json' } = request;
  const signal = AbortSignal.timeout(600_000);
  const answer = await assembly.router.dispatch({
    method,
    target,
    headers: { 'content-type': type, accept: 'application/json' },
    body: Buffer.from(body),
    user: ROOT,
    signal,
  });
  return {
    code: answer.code,
    value: answer.body.kind === 'value' && isObject(answer.body.value) ? answer.body.value : {},
  };
}
