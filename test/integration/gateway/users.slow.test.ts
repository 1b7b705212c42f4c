import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { MEDIA_TYPES } from '../../../src/gateway/request/media.js';
import type { Ask } from '../../gateway/client.js';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { startGateway, type GatewayProcess } from './process.js';

const NAMESPACE = 'shop';
const ENGINES = '/platform/apis/multicluster.platform.io/v1alpha1/multiclusterengines';
const PLACEMENTS = `/platform/cluster.fleetmgmt.io/v1alpha1/namespaces/${NAMESPACE}/placements`;
const PLACEMENTS_APIS = PLACEMENTS.replace('/platform/', '/platform/apis/');
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const YAML = { 'content-type': 'application/yaml' };
const GROUPS = ['multicluster.platform.io', 'cluster.fleetmgmt.io'];

type User = 'alice' | 'bob' | 'carol' | 'nobody';
type Place = 'COOKIE' | 'Authorization';
const PLACES: readonly Place[] = ['COOKIE', 'Authorization'];

function engine(name: string): string {
  return `metadata:\n  name: ${name}\nspec:\n  nodeSelector: {infra: "yes"}\n`;
}

function placement(name: string): string {
  return `apiVersion: cluster.fleetmgmt.io/v1alpha1\nkind: Placement\nmetadata: {name: ${name}, namespace: ${NAMESPACE}}\nspec:\n  predicates:\n  - requiredClusterSelector:\n      labelSelector: {matchLabels: {tier: gold}}\nstatus: {}\n`;
}

describeWithServer(
  'the HTTPS interface with the tokens of three users',
  { own: true, capabilities: ['requestLog'] },
  (server) => {
    const tokens = new Map<User, string>([['nobody', 'no-token-of-this-server']]);
    let lenient: GatewayProcess;
    let strict: GatewayProcess;

    async function put(path: string, body: unknown): Promise<void> {
      const { status, text } = await server().call({ method: 'POST', path, body });
      if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
    }

    async function grant(user: User, verbs: readonly string[]): Promise<void> {
      const name = `gateway-${user}`;
      await put(`${RBAC}/clusterroles`, {
        metadata: { name },
        rules: [{ apiGroups: GROUPS, resources: ['multiclusterengines', 'placements'], verbs }],
      });
      await put(`${RBAC}/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
      });
    }

    function ask(
      user: User,
      what: Ask,
      { gateway = lenient, place = 'COOKIE' }: { gateway?: GatewayProcess; place?: Place } = {},
    ): ReturnType<GatewayProcess['ask']> {
      const token = tokens.get(user) ?? '';
      if (place === 'COOKIE') return gateway.ask({ ...what, token });
      return gateway.ask({ ...what, token: '', headers: { ...what.headers, authorization: `Bearer ${token}` } });
    }

    beforeAll(async () => {
      await installCrds(server());
      await put('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
      await grant('alice', ['get', 'list', 'create', 'update', 'delete']);
      await grant('bob', ['get', 'list']);
      for (const user of ['alice', 'bob', 'carol'] as const) tokens.set(user, await server().tokenFor({ user }));
      await put('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
        metadata: { name: 'no-denied' },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              { apiGroups: GROUPS, apiVersions: ['*'], operations: ['CREATE'], resources: ['placements'] },
            ],
          },
          validations: [
            {
              expression: "!object.metadata.name.startsWith('denied')",
              reason: 'Forbidden',
              message: 'a SECRET of the policy',
            },
          ],
        },
      });
      await put('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', {
        metadata: { name: 'no-denied' },
        spec: { policyName: 'no-denied', validationActions: ['Deny'] },
      });
      lenient = await startGateway(server());
      strict = await startGateway(server(), ['--strict-status-codes']);
      await waitFor(
        'the permissions to be in force',
        async () =>
          (await ask('alice', { path: PLACEMENTS })).status === 200 &&
          (await ask('bob', { path: ENGINES })).status === 200,
      );
      await waitFor(
        'the policy to be in force',
        async () =>
          (await ask('alice', { method: 'POST', path: PLACEMENTS, headers: YAML, body: placement(ownName('denied')) }))
            .status === 403,
      );
    }, 300_000);

    afterAll(async () => {
      const printed = await Promise.all([lenient, strict].map((one) => one.stop()));
      for (const text of printed) {
        for (const token of tokens.values()) expect(text).not.toContain(token);
      }
    });

    /** Creates, lists, reads, replaces and deletes an object, and checks each response. */
    async function live(
      collection: string,
      body: (name: string) => string,
      how: { gateway: GatewayProcess; place: Place; type: string },
    ): Promise<void> {
      const { type, ...where } = how;
      const name = ownName('one');
      const text = type === 'application/json' ? JSON.stringify(load(body(name))) : body(name);
      const headers = { 'content-type': type };

      const created = await ask('alice', { method: 'POST', path: collection, headers, body: text }, where);
      expect({ status: created.status, body: created.body }).toEqual({ status: 200, body: '' });
      const listed = await ask('alice', { path: collection, headers: { 'content-type': 'operator/yaml' } }, where);
      expect(listed.status).toBe(200);
      expect(JSON.parse(listed.body).items.map((one: { metadata: { name: string } }) => one.metadata.name)).toContain(
        name,
      );
      const read = await ask('alice', { path: `${collection}/${name}`, headers: { accept: type } }, where);
      expect(read).toMatchObject({ status: 200, headers: { 'content-type': type, etag: created.headers['etag'] } });
      expect(type === 'application/json' ? JSON.parse(read.body) : load(read.body)).toMatchObject({
        metadata: { name },
        ...(load(text) as object),
      });
      const etag = read.headers['etag'] ?? '';
      const replaced = await ask(
        'alice',
        {
          method: 'PUT',
          path: `${collection}/${name}`,
          headers: { ...headers, 'if-match': etag },
          body: text.replace('yes', 'no').replace('gold', 'tin'),
        },
        where,
      );
      expect({ status: replaced.status, body: replaced.body }).toEqual({ status: 200, body: '' });
      expect(replaced.headers['etag']).not.toBe(etag);
      const deleted = await ask('alice', { method: 'DELETE', path: `${collection}/${name}` }, where);
      expect({ status: deleted.status, body: deleted.body }).toEqual({ status: 200, body: '' });
      expect((await ask('alice', { path: `${collection}/${name}` }, where)).status).toBe(404);
    }

    describe('a user with all permissions', () => {
      const lives = MEDIA_TYPES.map(({ name }, at) => [name, PLACES[at % 2] ?? 'COOKIE', at % 2 === 0] as const);

      it.each(lives)(
        'a user with all permissions creates, reads, replaces and deletes an engine in %s by %s, strict status codes: %s',
        async (type, place, isStrict) => {
          await live(ENGINES, engine, { gateway: isStrict ? strict : lenient, place, type });
        },
      );

      it.each(lives)(
        'a user with all permissions creates, reads, replaces and deletes a placement in %s by %s, strict status codes: %s',
        async (type, place, isStrict) => {
          await live(PLACEMENTS, placement, { gateway: isStrict ? strict : lenient, place, type });
        },
      );

      it('a user with all permissions creates, reads, replaces and deletes a placement with /apis in the path, too', async () => {
        await live(PLACEMENTS_APIS, placement, { gateway: lenient, place: 'COOKIE', type: 'placement/yaml' });
      });

      it('a user causes one request at the API server for each request, with the same user', async () => {
        const mark = await server().logMark();
        await live(PLACEMENTS, placement, { gateway: lenient, place: 'COOKIE', type: 'placement/yaml' });

        const log = await server().requestLog({ after: mark, resources: ['placements'] });
        expect(log.map(({ verb, user }) => `${user} ${verb}`)).toEqual(
          ['create', 'list', 'get', 'update', 'delete', 'get'].map((verb) => `alice ${verb}`),
        );
        expect(new Set(log.map(({ userAgent }) => userAgent))).toEqual(
          new Set([expect.stringMatching(/^multicluster-engine-gateway\/\S+$/)]),
        );
      });

      it('a user gets the object in the response when Prefer requests it', async () => {
        const name = ownName('shown');
        const headers = { ...YAML, prefer: 'return=representation' };

        const created = await ask('alice', { method: 'POST', path: PLACEMENTS, headers, body: placement(name) });
        const deleted = await ask('alice', {
          method: 'DELETE',
          path: `${PLACEMENTS}/${name}`,
          headers: { prefer: 'return=representation' },
        });

        // The gateway has a field manager of its own, not that of the operator.
        const managedFields = [expect.objectContaining({ manager: 'multicluster-engine-gateway' })];
        expect(JSON.parse(created.body)).toMatchObject({
          kind: 'Placement',
          metadata: { name, uid: expect.any(String), managedFields },
        });
        expect(created.headers['preference-applied']).toBe('return=representation');
        expect(JSON.parse(deleted.body)).toMatchObject({ kind: 'Status', status: 'Success' });
      });

      it('a user with all permissions reaches no other resource than engines and placements', async () => {
        expect(
          (await ask('alice', { path: '/platform/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters' })).status,
        ).toBe(404);
        expect((await ask('alice', { path: '/api/v1/secrets' })).status).toBe(404);
      });
    });

    describe('a rejected request', () => {
      const fixed = 'kept';

      beforeAll(async () => {
        await ask('alice', { method: 'POST', path: PLACEMENTS, headers: YAML, body: placement(fixed) });
      });

      interface Row {
        readonly user: User;
        readonly what: Ask;
        readonly code: number;
        readonly strictCode: number;
        readonly expectedStatus?: object;
      }

      const post = (body: string, path = PLACEMENTS): Ask => ({ method: 'POST', path, headers: YAML, body });
      const replace = (body: string, headers: object = { 'if-match': '"1"' }, name = fixed): Ask => ({
        method: 'PUT',
        path: `${PLACEMENTS}/${name}`,
        headers: { ...YAML, ...headers },
        body,
      });
      const remove: Ask = { method: 'DELETE', path: `${PLACEMENTS}/${fixed}` };
      const denied = (user: User, title: string, what: Ask): readonly [string, Row] => [
        `${user} may not ${title}`,
        { user, what, code: 403, strictCode: 403 },
      ];
      const causes = (...fields: readonly string[]): object => ({
        details: { causes: fields.map((field) => expect.objectContaining({ field })) },
      });
      // What the API server is not asked about is refused in gateway/operations.test.ts.
      const rows: readonly (readonly [string, Row])[] = [
        ...(['carol', 'nobody'] as const).flatMap((user) => [
          denied(user, 'list engines', { path: ENGINES }),
          denied(user, 'read a placement', { path: `${PLACEMENTS}/${fixed}` }),
          denied(user, 'read one that is not there', { path: `${PLACEMENTS}/absent` }),
          denied(user, 'create a placement', post(placement('x'))),
          denied(user, 'replace a placement', replace(placement(fixed))),
          denied(user, 'delete a placement', remove),
        ]),
        denied('bob', 'create an engine', post(engine('x'), ENGINES)),
        denied('bob', 'replace a placement', replace(placement(fixed))),
        denied('bob', 'delete a placement', remove),
        [
          'bob does not find what is not there',
          { user: 'bob', what: { path: `${PLACEMENTS}/absent` }, code: 404, strictCode: 404 },
        ],
        [
          'alice does not delete what is not there',
          { user: 'alice', what: { method: 'DELETE', path: `${PLACEMENTS}/absent` }, code: 404, strictCode: 404 },
        ],
        [
          'alice does not create in a namespace that is not there',
          {
            user: 'alice',
            what: post('metadata: {name: web}\nspec: {}\n', PLACEMENTS.replace(NAMESPACE, 'absent')),
            code: 404,
            strictCode: 404,
          },
        ],
        [
          'alice does not create what is there',
          {
            user: 'alice',
            what: post(placement(fixed)),
            code: 409,
            strictCode: 403,
            expectedStatus: { reason: 'AlreadyExists' },
          },
        ],
        ['a policy refuses', { user: 'alice', what: post(placement('denied')), code: 403, strictCode: 403 }],
        [
          'a field is not valid',
          {
            user: 'alice',
            what: post('metadata: {name: web}\nspec: {numberOfClusters: -1}\n'),
            code: 422,
            strictCode: 403,
            expectedStatus: causes('spec.numberOfClusters'),
          },
        ],
        [
          'a name is not valid',
          {
            user: 'alice',
            what: post('metadata: {name: Web}\nspec: {}\n'),
            code: 422,
            strictCode: 403,
            expectedStatus: causes('metadata.name'),
          },
        ],
        [
          'a rule of the CRD is broken',
          {
            user: 'alice',
            what: post('metadata: {name: e}\nspec: {targetNamespace: kube-system}\n', ENGINES),
            code: 422,
            strictCode: 403,
            expectedStatus: causes('spec.targetNamespace'),
          },
        ],
        [
          'fields are not known, one with an odd name',
          {
            user: 'alice',
            what: post('metadata: {name: web}\nspec: {numberOfCluster: 1, "a b": 1}\n'),
            code: 400,
            strictCode: 403,
            expectedStatus: causes('spec.numberOfCluster', 'spec.a b'),
          },
        ],
        [
          'a revision of If-Match is not the stored one',
          { user: 'alice', what: replace(placement(fixed)), code: 412, strictCode: 403 },
        ],
        [
          'a delete at another revision',
          { user: 'alice', what: { ...remove, headers: { 'if-match': '"1"' } }, code: 412, strictCode: 403 },
        ],
        [
          'a resourceVersion is not the stored one',
          {
            user: 'alice',
            what: replace(`metadata: {name: ${fixed}, resourceVersion: "1"}\nspec: {}\n`, {}),
            code: 409,
            strictCode: 403,
            expectedStatus: { reason: 'Conflict' },
          },
        ],
        [
          'a PUT of an object that was there before',
          {
            user: 'alice',
            what: replace(`metadata: {name: ${fixed}, uid: other, resourceVersion: "1"}\nspec: {}\n`, {}),
            code: 409,
            strictCode: 403,
            expectedStatus: causes('metadata.uid'),
          },
        ],
        [
          'a PUT of what is not there',
          {
            user: 'alice',
            what: replace(placement('absent'), { 'if-match': '"1"' }, 'absent'),
            code: 404,
            strictCode: 404,
          },
        ],
      ];

      it.each(rows)(
        'a rejected request has the expected status codes: %s',
        async (_title, { user, what, code, strictCode, expectedStatus }) => {
          for (const place of PLACES) {
            const answer = await ask(user, what, { place });
            const folded = await ask(user, what, { place, gateway: strict });

            expect([answer.status, folded.status, folded.body]).toEqual([code, strictCode, '']);
            expect(answer.body === '').toBe(code === 404);
            if (expectedStatus !== undefined)
              expect(JSON.parse(answer.body)).toMatchObject({
                kind: 'Status',
                status: 'Failure',
                code,
                ...expectedStatus,
              });
            expect(answer.body).not.toContain('SECRET');
          }
        },
      );

      it('a rejected request changes no stored object', async () => {
        const { status, body } = await ask('bob', { path: `${PLACEMENTS}/${fixed}` });

        expect([status, JSON.parse(body).metadata.generation]).toEqual([200, 1]);
        expect(JSON.parse((await ask('bob', { path: ENGINES })).body).items).toEqual([]);
      });
    });

    it('a revoked token is rejected as soon as the API server rejects it', async () => {
      const name = ownName('robot');
      await put(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name } });
      await put(`${RBAC}/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'gateway-bob' },
        subjects: [{ kind: 'ServiceAccount', name, namespace: NAMESPACE }],
      });
      const token = await server().tokenFor({ serviceAccount: { namespace: NAMESPACE, name } });
      await waitFor(
        'the permission to be in force',
        async () => (await lenient.ask({ path: PLACEMENTS, token })).status === 200,
      );

      await server().call({ method: 'DELETE', path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${name}` });

      // The API server caches a valid token for some seconds.
      await waitFor(
        'the token to be rejected',
        async () => (await lenient.ask({ path: PLACEMENTS, token })).status === 403,
        {
          deadlineMs: 60_000,
        },
      );
      expect(
        (await server().call({ path: `/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/${NAMESPACE}/placements`, token }))
          .status,
      ).toBe(401);
    }, 240_000);

    it('a token for another audience is rejected, as by the API server', async () => {
      const name = ownName('robot');
      await put(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name } });
      const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${name}/token`;
      const { body } = await server().call({ method: 'POST', path, body: { spec: { audiences: ['elsewhere'] } } });
      const { token } = Object(body)['status'];

      expect(token).toMatch(/^ey/);
      expect((await lenient.ask({ path: PLACEMENTS, token })).status).toBe(403);
      expect(
        (await server().call({ path: `/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/${NAMESPACE}/placements`, token }))
          .status,
      ).toBe(401);
    });
  },
);
