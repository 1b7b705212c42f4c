import type { Mistake } from './mistake.js';

/** What the gateway does between clients and the API server. */
export const GATEWAY: readonly Mistake[] = [
  {
    name: 'the first piece of a body counts as all of it',
    file: 'gateway/request/body.ts',
    from: 'else if (!memory.grow(received, onEvicted))',
    to: 'else if (memory.grow(received)) onEnd();\n      else if (!memory.grow(received, onEvicted))',
    scenarios: 'gateway/create',
  },
  {
    name: 'a request is sent with the token of another client',
    file: 'gateway/upstream/upstream.ts',
    from: 'this.#pool.dispatch({ method, path, headers: this.#headers(request)',
    to: 'this.#pool.dispatch({ method, path, headers: (this.headersOfAll ??= this.#headers(request))',
    scenarios: 'gateway/company',
  },
  {
    name: 'a write without an answer counts as one that was not done',
    file: 'gateway/server/handler.ts',
    from: "unavailable ? 'unavailable' : 'failed'",
    to: "unavailable ? 'unavailable' : 'notFound'",
    scenarios: 'gateway/replace',
  },
  {
    name: 'an overloaded API server counts as success',
    file: 'gateway/response/mapresponse.ts',
    from: 'status >= 200 && status <= 299;',
    to: '(status >= 200 && status <= 299) || status === 429;',
    scenarios: 'gateway/delete',
  },
  {
    name: 'the time of a call goes on after its end',
    file: 'gateway/upstream/upstream.ts',
    from: "        limit.stop();\n        clientGone.removeEventListener('abort', onClientGone);",
    to: "        if (failure === undefined) limit.stop();\n        clientGone.removeEventListener('abort', onClientGone);",
    scenarios: 'gateway/read',
  },
  {
    name: 'a decision whose objects do not agree is answered as a smaller one',
    file: 'gateway/response/decision.ts',
    from: 'if (clusters === undefined) return undefined;',
    to: 'if (clusters === undefined) continue;',
    scenarios: 'gateway/decision',
  },
];
