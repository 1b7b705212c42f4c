import type { Mistake } from './mistake.js';

/** An agent, and what of it talks to the hub. */
export const AGENT: readonly Mistake[] = [
  {
    name: 'a token is stored after it was used',
    file: 'agent/session/owntoken.ts',
    from: '    await this.#store(token, signal);\n    this.#use(token);',
    to: '    this.#use(token);\n    await this.#store(token, signal);',
    scenarios: 'agents/slow-secret',
  },
  {
    name: 'a token that replaces another one is not stored',
    file: 'agent/session/owntoken.ts',
    from: 'if (content.token !== token) {',
    to: 'if (content.token === undefined) {',
    scenarios: 'agents/rotation',
  },
  {
    name: 'the join Secret is deleted before a token is stored',
    file: 'agent/session/session.ts',
    from: '  await Promise.race([token.stored, whenAborted(signal)]);\n',
    to: '',
    scenarios: 'agents/secret-not-stored',
  },
  {
    name: 'a renewal does not say who holds the Lease',
    file: 'agent/hub.ts',
    from: 'this.#patchLease({ holderIdentity: holder, leaseDurationSeconds: seconds }, signal)',
    to: 'this.#patchLease({ leaseDurationSeconds: seconds }, signal)',
    scenarios: 'agents/twin',
  },
  {
    name: 'the join Secret of any manifest is deleted',
    file: 'agent/hub.ts',
    from: "kind: 'DeleteOptions', preconditions };",
    to: "kind: 'DeleteOptions' };",
    scenarios: 'agents/twin',
  },
  {
    name: 'a join Secret that cannot be deleted counts as gone',
    file: 'agent/hub.ts',
    from: "      if (isFailure(error, 'NotFound', 'Conflict')) return true;\n      throw error;",
    to: '      return true;',
    scenarios: 'agents/join',
  },
  {
    name: 'a report counts as applied before it was',
    file: 'agent/session/publisher.ts',
    from: "outcome.kind === 'failed' ? undefined : JSON.stringify(report);",
    to: 'JSON.stringify(report);',
    scenarios: 'agents/claims',
  },
  {
    name: 'the token of an earlier manifest is used',
    file: 'domain/agent/hubtoken.ts',
    from: "value('tokenOrigin') === join.joinSecretUid && value('token') !== ''",
    to: "value('token') !== ''",
    scenarios: 'agents/renewed',
  },
  {
    name: 'a new manifest is noticed only by the periodic read',
    file: 'agent/session/attempts.ts',
    from: "      if (await isReplaced(this.#context, signal)) this.#context.end('replaced');\n",
    to: '',
    scenarios: 'agents/renewed',
  },
  {
    name: 'an agent stops for any failure to take its Lease',
    file: 'agent/session/join.ts',
    from: '    if (!isPolicyDenial(error)) throw error;\n',
    to: '',
    scenarios: 'agents/claims',
  },
  {
    name: 'a Lease that somebody has deleted is not made again',
    file: 'agent/session/join.ts',
    from: "      if (!isFailure(error, 'NotFound')) throw error;\n      await tryAcquireLease(context, hub, signal);",
    to: '      throw error;',
    scenarios: 'agents/lease-deleted',
  },
  {
    name: 'who waits for the hub is not told that it is back',
    file: 'agent/session/context.ts',
    from: '    for (const resolve of this.#waiting) resolve();\n',
    to: '',
    scenarios: 'agents/claims-while-cut',
  },
  {
    name: 'a report goes to any cluster of the name',
    file: 'agent/hub.ts',
    from: 'const metadata = { name: cluster, uid: clusterUid };',
    to: 'const metadata = { name: cluster };',
    scenarios: 'agents/rejoin',
    notFound:
      'an API server gives a status the uid of the stored object, and compares the one that was sent with nothing',
  },
];
