import { readdirSync } from 'node:fs';
import path from 'node:path';

import type { StartOptions } from './plane.js';

/** The files of one control plane. */
export interface Layout {
  readonly folder: string;
  readonly data: string;
  readonly certificates: string;
  readonly serviceAccountKey: string;
  readonly serviceAccountPublicKey: string;
  readonly tokens: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  readonly ports: { readonly api: number; readonly etcd: number; readonly peer: number };
}

export function layout(folder: string, ports: Layout['ports']): Layout {
  return {
    folder,
    ports,
    data: path.join(folder, 'data'),
    certificates: path.join(folder, 'certificates'),
    serviceAccountKey: path.join(folder, 'service-account.key'),
    serviceAccountPublicKey: path.join(folder, 'service-account.pub'),
    tokens: path.join(folder, 'tokens.csv'),
    auditPolicy: path.join(folder, 'audit-policy.yaml'),
    auditLog: path.join(folder, 'audit.log'),
  };
}

/** The self-signed certificate of kube-apiserver, with its authority. */
export function caFile(where: Layout): string {
  return path.join(where.certificates, 'apiserver.crt');
}

export function etcdFlags(where: Layout): string[] {
  const client = `http://127.0.0.1:${where.ports.etcd}`;
  const peer = `http://127.0.0.1:${where.ports.peer}`;
  return [
    `--data-dir=${where.data}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=error',
  ];
}

export function apiServerFlags(where: Layout, size: StartOptions['size']): string[] {
  const flags = [
    `--etcd-servers=http://127.0.0.1:${where.ports.etcd}`,
    `--secure-port=${where.ports.api}`,
    '--bind-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--cert-dir=${where.certificates}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${where.serviceAccountPublicKey}`,
    `--service-account-signing-key-file=${where.serviceAccountKey}`,
    `--token-auth-file=${where.tokens}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    `--audit-policy-file=${where.auditPolicy}`,
    `--audit-log-path=${where.auditLog}`,
    '--audit-log-maxsize=100000',
    '--profiling=false',
    '--v=1',
  ];
  // Pods require the `default` ServiceAccounts of this controller.
  return size === 'api' ? [...flags, '--disable-admission-plugins=ServiceAccount'] : flags;
}

export function controllerManagerFlags(where: Layout, kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--service-account-private-key-file=${where.serviceAccountKey}`,
    `--root-ca-file=${caFile(where)}`,
    '--use-service-account-credentials=true',
    '--controllers=*,-node-ipam-controller,-node-route-controller,-cloud-node-lifecycle-controller,-service-lb-controller',
    '--leader-elect=false',
    '--secure-port=0',
    '--profiling=false',
  ];
}

export function schedulerFlags(kubeconfig: string): string[] {
  return [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0', '--profiling=false'];
}

export function kwokFlags(stages: string, kubeconfig: string): string[] {
  const files = readdirSync(stages)
    .filter((name) => name.endsWith('.yaml'))
    .sort();
  return [
    `--kubeconfig=${kubeconfig}`,
    '--manage-all-nodes=true',
    '--node-lease-duration-seconds=40',
    '--server-address=',
    ...files.map((name) => `--config=${path.join(stages, name)}`),
  ];
}

/** Requests that the audit log leaves out: health checks, and those of the server to itself. */
export function auditPolicy(level: string): string {
  return [
    'apiVersion: audit.k8s.io/v1',
    'kind: Policy',
    'omitStages: [RequestReceived]',
    'omitManagedFields: true',
    'rules:',
    "- {level: None, nonResourceURLs: ['/readyz*', '/livez*', '/healthz*']}",
    "- {level: None, users: ['system:apiserver']}",
    `- {level: ${level}}`,
    '',
  ].join('\n');
}
