import type { Mistake } from './mistake.js';

/** An engine and its objects. */
export const ENGINE: readonly Mistake[] = [
  {
    name: 'objects of an engine are made before its finalizer',
    file: 'operator/controllers/engine/apply.ts',
    from: 'const finalizer = await ensureFinalizer(input, scope);',
    to: "const finalizer = { kind: 'present', engine: input.engine } as Finalizer;",
    scenarios: 'engine/install',
  },
  {
    name: 'an engine goes while an object of its is being deleted',
    file: 'operator/controllers/engine/uninstall/remaining.ts',
    from: "    .filter(({ object }) => ownershipOf(object, identity) === 'ours' || wasAppliedByUs(object, identity))",
    to: "    .filter(({ object }) => ownershipOf(object, identity) === 'ours' && !isTerminating(object))",
    scenarios: 'engine/held-objects',
  },
  {
    name: 'a Deployment counts as ready by the status of an earlier change',
    file: 'domain/engine/status/components.ts',
    from: 'observedGeneration !== undefined && observedGeneration >= generation;',
    to: 'observedGeneration !== undefined;',
    scenarios: 'engine/install',
  },
  {
    name: 'a version counts as current before its components run',
    file: 'domain/engine/status/status.ts',
    from: 'objects.every((one) => isAsDesired(one) && healthOf(one)?.ready !== false) ? input.version : stored;',
    to: 'objects.every((one) => isAsDesired(one)) ? input.version : stored;',
    scenarios: 'engine/update',
  },
  {
    name: 'a new certificate is served before clients trust it',
    file: 'operator/controllers/engine/install/certificates.ts',
    from: 'const bundle = bundleOf(pair, decision.served);',
    to: 'const bundle = decision.served ?? bundleOf(pair, decision.served);',
    scenarios: 'engine/certificate',
  },
  {
    name: 'every apply is forced',
    file: 'operator/controllers/engine/applysteps.ts',
    from: 'force: uid !== undefined,',
    to: 'force: true,',
    scenarios: 'engine/install',
  },
  {
    name: 'a paused engine is changed',
    file: 'operator/controllers/engine/decide.ts',
    from: "  if (input.paused) return { kind: 'observe', desired };\n",
    to: '',
    scenarios: 'engine/pause',
  },
  {
    name: 'the object of a tool is taken over',
    file: 'domain/engine/steps/steps.ts',
    from: "isAdoptable(desired) ? ownerOf(fresh, engine) : 'was created by somebody else'",
    to: "isAdoptable(desired) ? undefined : 'was created by somebody else'",
    scenarios: 'engine/adoption',
  },
  {
    name: 'a second engine takes the objects of the first',
    file: 'domain/engine/steps/ownership.ts',
    from: "  return controller.name === engine.name ? 'leftover' : 'foreign';",
    to: "  return 'ours';",
    scenarios: 'engine/second-engine',
  },
  {
    name: 'an object that could not be written is not tried again',
    file: 'operator/controllers/engine/report.ts',
    from: '    ...failed.map((one) => memory.retryDelayMs(idOf(one.type, one.name), clock.monotonic())),\n',
    to: '',
    scenarios: 'engine/install',
  },
  {
    name: 'an object whose update is refused is deleted, to be made anew',
    file: 'operator/controllers/engine/applysteps.ts',
    from: '    if (uid === undefined || managedFields === undefined) throw error;\n',
    to: `    if (uid !== undefined) await client.delete(type, object.metadata, { preconditions: { uid, resourceVersion } });
    if (uid === undefined || managedFields === undefined) throw error;\n`,
    scenarios: 'engine/update',
  },
  {
    name: 'the key pair of a write that failed is forgotten',
    file: 'operator/controllers/engine/install/certificates.ts',
    from: 'memory.unstoredKeyPairs.set(this.#id, pair);',
    to: 'memory.unstoredKeyPairs.delete(this.#id);',
    scenarios: 'engine/certificate',
  },
  {
    name: 'an object that was deleted a moment ago counts as applied',
    file: 'operator/controllers/engine/applysteps.ts',
    from: "step.action === 'keep' && memory.writes.newest(id, step.stored) === step.stored",
    to: "step.action === 'keep'",
    scenarios: 'engine/components',
  },
  {
    name: 'the certificate of a component that is off stays',
    file: 'operator/controllers/engine/install/stages.ts',
    from: 'pruneSteps({ ...stepInput(state, []), stored });',
    to: 'pruneSteps({ ...stepInput(state, []), stored: stored.slice(0, 0) });',
    scenarios: 'engine/components',
  },
];
