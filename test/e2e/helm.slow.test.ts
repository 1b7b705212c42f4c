import { execFile } from 'node:child_process';
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';

import { releaseVersion, version } from '../../src/runtime/process/build.js';
import { DEFAULT_TARGET_NAMESPACE, OPERATOR_NAMESPACE, OPERATOR_SERVICE_ACCOUNT } from '../../src/api/names.js';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { isDeployment } from '../support/hub/deployment.js';
import { startPod, type Pod } from '../support/hub/pod.js';
import { pathWithKubectl } from '../support/clients/kubectl.js';
import { describeWithPrograms, runProgram } from '../support/programs/programs.js';
import { readPage } from '../support/repository/documents.js';
import { stepsIn } from '../support/repository/markdown.js';
import { root } from '../support/repository/root.js';
import { ReaderSession } from '../support/repository/session.js';
import { fields, items, text } from '../support/scenario/checks/reading.js';

const MINUTE = 60_000;
const CHART = path.join(root, 'deploy', 'helm', 'multicluster-engine');
const RELEASE = ['multicluster-engine', '--namespace', OPERATOR_NAMESPACE];
const OPERATOR = `/apis/apps/v1/namespaces/${OPERATOR_NAMESPACE}/deployments/${OPERATOR_SERVICE_ACCOUNT}`;
const GATEWAY = `/apis/apps/v1/namespaces/${DEFAULT_TARGET_NAMESPACE}/deployments/gateway`;
const CLUSTERS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/managedclusters.cluster.fleetmgmt.io';
const ENDPOINTS = `/apis/discovery.k8s.io/v1/namespaces/${DEFAULT_TARGET_NAMESPACE}/endpointslices`;
const REGISTRY = 'registry.example.com';
const BEFORE = `${REGISTRY}/multicluster-engine:0.0.9`;
const AFTER = `${REGISTRY}/multicluster-engine:${releaseVersion()}`;
/** The commands of the page, in its order. */
const PAGE = stepsIn(readPage('docs/how-to/helm.md')).map(({ command }) =>
  command.replaceAll('REGISTRY', REGISTRY).replaceAll(/\b(?:NEW|PREVIOUS)-VERSION\b/g, version()),
);
/** A column that the chart of the previous release lacks. */
const COLUMN = /\n {8}- name: Display Name\n(?: {10}.*\n)+/;

describeWithPrograms('the Helm chart on a hub', ['helm'], () => {
  describeWithServer(
    'a release of the Helm chart',
    { own: true, capabilities: ['pods', 'rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts'] },
    (server) => {
      let operator: Pod | undefined;
      let previous = '';
      let next = '';
      let reader: ReaderSession;
      /** How many commands of the page have been run. */
      let done = 0;

      /** Runs the next command of the page, which begins with `start`; `chart` is used in place of its chart. */
      async function follows(start: string, chart = 'deploy/helm/multicluster-engine'): Promise<string> {
        const command = PAGE[done++] ?? '';
        expect(command.slice(0, start.length)).toBe(start);
        return (await reader.succeeds(command.replace(' deploy/helm/multicluster-engine ', ` ${chart} `))).join('\n');
      }

      function helm(...args: readonly string[]): Promise<string> {
        const home = (name: string): string => path.join(server().folder, 'helm', name);
        const env = {
          KUBECONFIG: server().adminKubeconfig,
          HELM_CACHE_HOME: home('cache'),
          HELM_CONFIG_HOME: home('config'),
          HELM_DATA_HOME: home('data'),
        };
        return runProgram('helm', args, { env });
      }

      function kubectl(...args: readonly string[]): Promise<string> {
        return kubectlOk(args, { kubeconfig: server().adminKubeconfig });
      }

      async function read(uri: string): Promise<Record<string, unknown>> {
        const { status, body, text: answer } = await server().call({ path: uri });
        if (status !== 200) throw new Error(`${uri}: ${answer}`);
        return { ...body };
      }

      /** Runs what the pods of the operator's Deployment would run now, instead of what they ran before. */
      async function startOperator(name: string): Promise<void> {
        await operator?.stop();
        const deployment: unknown = await read(OPERATOR);
        if (!isDeployment(deployment)) throw new Error('the operator is no Deployment');
        operator = await startPod(server(), deployment, { name });
        await operator.ready();
      }

      async function imageAt(uri: string): Promise<string> {
        const pod = fields(fields(fields((await read(uri))['spec'])['template'])['spec']);
        return text(items(pod['containers'])[0]?.['image']);
      }

      async function columns(): Promise<string[]> {
        const [version] = items(fields((await read(CLUSTERS))['spec'])['versions']);
        return items(version?.['additionalPrinterColumns']).map((one) => text(one['name']));
      }

      /** The chart under an older version, and with a CustomResourceDefinition that has changed since. */
      async function previousChart(): Promise<string> {
        const folder = path.join(server().folder, 'previous');
        await cp(CHART, folder, { recursive: true });
        const edit = async (file: string, pattern: RegExp, replacement: string): Promise<void> => {
          const content = await readFile(path.join(folder, file), 'utf8');
          expect(content).toMatch(pattern);
          await writeFile(path.join(folder, file), content.replace(pattern, replacement));
        };
        await edit('Chart.yaml', /^version: .*\nappVersion: .*$/m, 'version: 0.0.9\nappVersion: 0.0.9');
        await edit('templates/crds.yaml', COLUMN, '\n');
        return folder;
      }

      beforeAll(async () => {
        for (const name of ['node-a', 'node-b']) await server().addNode({ name });
        previous = await previousChart();
        await helm('package', CHART, '--destination', server().folder);
        const [archive = ''] = (await readdir(server().folder)).filter((file) => file.endsWith('.tgz'));
        next = path.join(server().folder, archive);
        const PATH = pathWithKubectl(path.join(root, '.bin'));
        reader = new ReaderSession(server().folder, { PATH, KUBECONFIG: server().adminKubeconfig });
      }, 3 * MINUTE);
      afterAll(() => operator?.stop(), MINUTE);

      it(
        'helm install --wait installs the operator, which makes an engine available',
        async () => {
          const notes = await follows('helm install', previous);
          await kindsServed(server());
          await startOperator('operator-0');
          await follows('kubectl apply');
          await kubectl('apply', '-f', `${root}/examples/fleet.yaml`, '-f', `${root}/examples/placement.yaml`);
          await follows('kubectl wait');

          expect(notes).toContain(`with image ${BEFORE}.`);
          expect(notes).toContain(`kubectl label namespace ${OPERATOR_NAMESPACE} pod-security`);
          expect([await imageAt(OPERATOR), await imageAt(GATEWAY)]).toEqual([BEFORE, BEFORE]);
          expect(await columns()).not.toContain('Display Name');
        },
        4 * MINUTE,
      );

      it(
        'helm test passes for a working release, and its program fails with one line for each failed check',
        async () => {
          const hooks = await helm('get', 'hooks', ...RELEASE);
          const objects = loadAll(hooks).map((one) => fields(one));
          expect(await follows('helm test')).toMatch(/Phase:\s+Succeeded/);

          // The pods of the hub run nothing: the program of the Job, as its ServiceAccount.
          const account = objects.filter(({ kind }) => kind !== 'Job');
          const input = account.map((one) => JSON.stringify(one)).join('\n---\n');
          await kubectlOk(['apply', '-f', '-'], { kubeconfig: server().adminKubeconfig, input });
          const job = objects.find(({ kind }) => kind === 'Job');
          const pod = fields(fields(fields(job?.['spec'])['template'])['spec']);
          const [container] = items(pod['containers']);
          const command = [container?.['command'], container?.['args']].flat().map(String);
          const name = text(pod['serviceAccountName']);
          const subject = { serviceAccount: { namespace: OPERATOR_NAMESPACE, name } };
          await writeFile(path.join(server().folder, 'token'), await server().tokenFor(subject));
          const { hostname, port } = new URL(server().url);
          const run = (namespace: string): Promise<{ stdout: string }> =>
            promisify(execFile)(process.execPath, command.slice(1), {
              env: {
                ACCOUNT: server().folder,
                NAMESPACE: namespace,
                NODE_EXTRA_CA_CERTS: server().caFile,
                KUBERNETES_SERVICE_HOST: hostname,
                KUBERNETES_SERVICE_PORT: port,
              },
            });

          expect((await run(OPERATOR_NAMESPACE)).stdout.match(/^ok: /gm)).toHaveLength(4);
          const failed: unknown = await run('default').catch((error: unknown) => error);
          expect(failed).toMatchObject({ code: 1 });
          expect(String(Object(failed).stdout).match(/^FAILED: the operator .*: 403 /gm)).toHaveLength(2);
        },
        3 * MINUTE,
      );

      it(
        'helm upgrade updates the definitions, the operator and the components, while the gateway keeps all its replicas',
        async () => {
          const ready: number[] = [];
          const addresses = new Set<string>();
          const end = new AbortController();
          const uri = `${ENDPOINTS}?labelSelector=kubernetes.io/service-name%3Dgateway`;
          const { resourceVersion } = fields((await read(uri))['metadata']);
          const watch = server().stream(
            `${uri}&watch=true&resourceVersion=${text(resourceVersion)}`,
            (line) => {
              const endpoints = items(fields(fields(JSON.parse(line))['object'])['endpoints']);
              const serving = endpoints.filter((one) => fields(one['conditions'])['ready'] === true);
              ready.push(serving.length);
              for (const one of serving) addresses.add(String(one['addresses']));
            },
            end.signal,
          );

          await kubectl('label', 'namespace', OPERATOR_NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted');
          const notes = await follows('helm upgrade');
          await startOperator('operator-1');
          await waitFor('the image of the gateway', async (seen) => {
            const image = await imageAt(GATEWAY);
            seen(image);
            return image === AFTER;
          });
          await kubectl('rollout', 'status', 'deployment/gateway', '-n', DEFAULT_TARGET_NAMESPACE, '--timeout=120s');
          await waitFor('the endpoints of the new pods', () => addresses.size >= 3 && ready.at(-1) === 2);
          end.abort();
          await watch;

          expect(notes).not.toContain('kubectl label namespace');
          expect(Math.min(...ready)).toBeGreaterThanOrEqual(2);
          expect(await imageAt(OPERATOR)).toBe(AFTER);
          expect(await columns()).toContain('Display Name');
          await follows('kubectl wait');
        },
        5 * MINUTE,
      );

      it(
        'helm rollback brings the previous release back',
        async () => {
          await follows('helm rollback');
          await startOperator('operator-2');
          await waitFor('the image of the gateway', async () => (await imageAt(GATEWAY)) === BEFORE);
          await follows('kubectl wait');

          expect(await imageAt(OPERATOR)).toBe(BEFORE);
          expect(await columns()).not.toContain('Display Name');
        },
        3 * MINUTE,
      );

      it(
        'helm uninstall is refused while an engine exists, and leaves the engine, its rights and all data',
        async () => {
          await expect(helm('uninstall', ...RELEASE)).rejects.toThrow('failed to delete release: multicluster-engine');

          await kubectl('get', 'clusterrole', 'multicluster-engine-placement-controller', OPERATOR_SERVICE_ACCOUNT);
          expect(await kubectl('get', 'placements', '-A', '-o', 'name')).toContain('/web');
          expect((await server().call({ path: OPERATOR })).status).toBe(200);
        },
        MINUTE,
      );

      it(
        'helm uninstall leaves the definitions with their objects, a new release takes them over, and kubectl deletes them',
        async () => {
          await follows('kubectl delete mce');
          // A kubelet ends the process when the Deployment is deleted.
          await operator?.stop();
          await follows('helm uninstall');
          const { status } = await server().call({ path: OPERATOR });
          const left = await kubectl('get', 'crd,mcl,placements', '-A', '-o', 'name');

          expect(status).toBe(404);
          expect(left.match(/^customresourcedefinition/gm)).toHaveLength(6);
          expect(left).toContain('placement.cluster.fleetmgmt.io/web');
          expect(left.match(/^managedcluster\./gm)).toHaveLength(12);

          await helm(
            'install',
            ...RELEASE,
            next,
            '--wait',
            '--set',
            `image.repository=${REGISTRY}/multicluster-engine`,
          );
          expect(await columns()).toContain('Display Name');
          await follows('kubectl annotate -f crds/');
          await follows('kubectl delete -f crds/');
          expect(await kubectl('get', 'crd', '-o', 'name')).toBe('');
          expect(done).toBe(PAGE.length);
        },
        12 * MINUTE,
      );
    },
  );
});
