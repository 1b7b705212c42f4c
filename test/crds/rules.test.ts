import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApiServer, type ApiServer } from '@multicluster-engine/kube-apiserver';

import { systemClock } from '../../src/runtime/clock.js';
import { root } from '../support/repository/root.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const files = readdirSync(path.join(root, 'crds'));

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ listen: { host: '127.0.0.1', port: 0 }, clock: systemClock, controllers: false });
});
afterAll(() => server.close());

describe('an API server that compiles and prices the rules of a definition', () => {
  it.each(files)('an API server that compiles and prices the rules of a definition accepts %s', async (file) => {
    const { code, body } = await server.dispatch({
      method: 'POST',
      target: DEFINITIONS,
      headers: { 'content-type': 'application/yaml' },
      body: readFileSync(path.join(root, 'crds', file)),
      user: { name: 'admin', groups: ['system:masters'] },
      signal: new AbortController().signal,
    });
    expect([code, code === 201 ? '' : body]).toEqual([201, '']);
  });
});
