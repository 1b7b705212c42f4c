import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';

import { issueServingCertificate } from '../../src/runtime/tls/serving.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { root } from '../support/repository/root.js';
import { fields, text } from '../support/scenario/checks/reading.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const CERTIFICATES = '/apis/cert-manager.io/v1/certificates';
const SYNC_MS = 200;

/**
 * Simulates cert-manager with a self-signed issuer: creates for each Certificate a Secret of type kubernetes.io/tls,
 * with the labels and annotations of cert-manager, and the condition Ready. A missing Secret is created again; one
 * whose Certificate was deleted stays.
 */
export class CertManager {
  readonly #server: ControlPlane;
  readonly #end = new AbortController();
  readonly #done: Promise<void>;
  #renewing = false;
  #syncs = 0;

  private constructor(server: ControlPlane) {
    this.#server = server;
    this.#done = this.#run();
  }

  /** Installs the CRD and starts the controller. */
  static async start(server: ControlPlane): Promise<CertManager> {
    const admin = { kubeconfig: server.adminKubeconfig };
    await kubectlOk(['apply', '-f', path.join(root, 'test', 'e2e', 'certmanager.yaml')], admin);
    await kubectlOk(
      ['wait', '--for=condition=Established', '--timeout=120s', 'crd/certificates.cert-manager.io'],
      admin,
    );
    await kindsServed(server);
    return new CertManager(server);
  }

  /** Renews each certificate, as when it is due. */
  renew(): void {
    this.#renewing = true;
  }

  /** Waits for a reconciliation that begins after this call, so that it observes earlier changes. */
  async synced(): Promise<void> {
    const until = this.#syncs + 2;
    await waitFor('another sync', () => this.#syncs >= until);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#end.signal.aborted) {
      // As in every controller, a failed reconciliation is retried.
      await this.#sync().catch(() => undefined);
      this.#syncs += 1;
      await sleep(SYNC_MS);
    }
  }

  async #sync(): Promise<void> {
    const renewing = this.#renewing;
    const { body } = await this.#server.call({ path: CERTIFICATES });
    for (const certificate of body.items ?? []) await this.#serve(certificate, renewing);
    if (renewing) this.#renewing = false;
  }

  async #serve(certificate: AnyObject, renewing: boolean): Promise<void> {
    const { name = '', namespace = '' } = certificate.metadata ?? {};
    const spec = fields(certificate['spec']);
    const secretName = text(spec['secretName']);
    const { status } = await this.#server.call({ path: `/api/v1/namespaces/${namespace}/secrets/${secretName}` });
    if (status === 200 && !renewing) return;
    const names = Array.isArray(spec['dnsNames']) ? spec['dnsNames'].map(text) : [];
    const issuer = fields(spec['issuerRef']);
    const pair = await issueServingCertificate({ names, now: Date.now() });
    await this.#apply({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: {
        name: secretName,
        namespace,
        labels: { 'controller.cert-manager.io/fao': 'true' },
        annotations: {
          'cert-manager.io/certificate-name': name,
          'cert-manager.io/alt-names': names.join(','),
          'cert-manager.io/common-name': '',
          'cert-manager.io/ip-sans': '',
          'cert-manager.io/uri-sans': '',
          'cert-manager.io/issuer-name': text(issuer['name']),
          'cert-manager.io/issuer-kind': text(issuer['kind']),
          'cert-manager.io/issuer-group': 'cert-manager.io',
        },
      },
      data: { 'ca.crt': btoa(pair.certificate), 'tls.crt': btoa(pair.certificate), 'tls.key': btoa(pair.privateKey) },
    });
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: 'Certificate is up to date and has not expired',
      lastTransitionTime: new Date().toISOString().replace(/\.\d+/, ''),
    };
    await this.#server.call({
      method: 'PATCH',
      path: `/apis/cert-manager.io/v1/namespaces/${namespace}/certificates/${name}/status`,
      body: { status: { conditions: [ready] } },
      contentType: 'application/merge-patch+json',
    });
  }

  async #apply(object: object): Promise<void> {
    const options = { kubeconfig: this.#server.adminKubeconfig, input: JSON.stringify(object) };
    await kubectlOk(
      ['apply', '--server-side', '--force-conflicts', '--field-manager=cert-manager-certificates-issuing', '-f', '-'],
      options,
    );
  }
}
