import { spawn } from 'node:child_process';
import { escaped, field, parseJson, textField } from '../vocabulary/json.js';
import type { ClusterEntry, PluginEntry } from './document.js';
import type { Environment } from '../flags/flags.js';
import { KubeconfigError } from '../transport/credentials.js';
import type { Clock } from '../clock.js';
import { fileFault } from '../errors.js';
import { standardError } from '../log/standardoutput.js';
import { endTree } from '../process/endtree.js';

/** A credential plugin (`client.authentication.k8s.io`): a program that prints a token, or a certificate and its key. */

export interface PluginCredentials {
  /** Empty without one. */
  readonly token: string;
  /** PEM; empty without one. */
  readonly certificate: string;
  readonly key: string;
  /** ms since the epoch; undefined: they do not expire. */
  readonly expires: number | undefined;
}

export interface PluginRun {
  readonly plugin: PluginEntry;
  /** What it is told of, if it wants to. */
  readonly cluster: ClusterEntry & { readonly ca: Buffer };
  readonly env: Environment;
  /** Whether a person can answer it. */
  readonly isTerminal: boolean;
  readonly clock: Clock;
}

/** Below the time that a call may take, so that its error is that of the plugin. */
const LONGEST_MS = 14_000;

const VERSION = /^client\.authentication\.k8s\.io\/v1(beta1)?$/;

/**
 * Runs it; its errors go to the standard error of this process. After 14 s, and with this process, it is ended with all that it
 * has started. @throws KubeconfigError that quotes nothing of its output.
 */
export async function runPlugin(run: PluginRun): Promise<PluginCredentials> {
  const { plugin, isTerminal } = run;
  const { command, apiVersion, interactiveMode } = plugin;
  if (!VERSION.test(apiVersion))
    throw new KubeconfigError(
      `credential plugin ${command}: apiVersion ${JSON.stringify(apiVersion)} is not supported: it must be client.authentication.k8s.io/v1 or v1beta1`,
    );
  if (interactiveMode === 'Always' && !isTerminal)
    throw new KubeconfigError(`credential plugin ${command} asks for input, and standard input is not a terminal`);
  const isInteractive = interactiveMode !== 'Never' && isTerminal;
  return credentialsIn(await output(run, isInteractive), plugin);
}

function output({ plugin, cluster, env, clock }: PluginRun, isInteractive: boolean): Promise<string> {
  const { command, args } = plugin;
  const own = Object.fromEntries(plugin.env.map(({ name, value }) => [name, value]));
  const info = { KUBERNETES_EXEC_INFO: execInfo(plugin, cluster, isInteractive) };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...env, ...own, ...info },
      stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    });
    const end = (): void => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) endTree(child.pid);
    };
    const timer = clock.after(LONGEST_MS, () => {
      end();
      // Its prompt may have no end of line.
      standardError().write('\n');
      reject(new KubeconfigError(lateText(plugin)));
    });
    process.once('exit', end);
    const stop = (): void => {
      timer.cancel();
      process.off('exit', end);
    };
    const parts: Buffer[] = [];
    child.stdout?.on('data', (part: Buffer) => parts.push(part));
    child.on('error', (error) => {
      stop();
      reject(new KubeconfigError(notStarted(plugin, fileFault(error))));
    });
    child.on('close', (code, signal) => {
      stop();
      if (code === 0) resolve(Buffer.concat(parts).toString('utf8'));
      else
        reject(
          new KubeconfigError(`credential plugin ${command} failed: ${code === null ? signal : `exit code ${code}`}`),
        );
    });
  });
}

function lateText({ command }: PluginEntry): string {
  const login = 'if it waits for a login, log in first, for example by kubectl get namespaces with the same context';
  return `credential plugin ${command} had no credentials after ${LONGEST_MS / 1000} s, and was ended; ${login}`;
}

function notStarted({ command, installHint }: PluginEntry, fault: string): string {
  const hint = installHint
    .replaceAll(/[^\P{C}\n]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const remedy = hint === '' ? 'install it, or add its folder to PATH' : hint;
  return `credential plugin ${command} cannot be started: ${fault}; ${remedy}`;
}

function execInfo(plugin: PluginEntry, cluster: PluginRun['cluster'], interactive: boolean): string {
  const spec = { ...(plugin.provideClusterInfo ? { cluster: clusterInfo(cluster) } : {}), interactive };
  const text = JSON.stringify({ kind: 'ExecCredential', apiVersion: plugin.apiVersion, spec });
  return `${text.replaceAll(ESCAPED_BY_GO, escaped)}\n`;
}

/** What Go escapes in JSON, so that it can stand in HTML and JavaScript. */
const ESCAPED_BY_GO = /[<>&\u2028\u2029]/g;

function clusterInfo({ ca, ...cluster }: PluginRun['cluster']): object {
  const { server, tlsServerName, skipTLSVerify, proxyUrl, disableCompression, pluginConfig } = cluster;
  return {
    server,
    ...(tlsServerName === '' ? {} : { 'tls-server-name': tlsServerName }),
    ...(skipTLSVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca.length === 0 ? {} : { 'certificate-authority-data': ca.toString('base64') }),
    ...(proxyUrl === '' ? {} : { 'proxy-url': proxyUrl }),
    ...(disableCompression ? { 'disable-compression': true } : {}),
    config: pluginConfig ?? null,
  };
}

function credentialsIn(text: string, { command, apiVersion }: PluginEntry): PluginCredentials {
  const refuse = (rule: string): never => {
    throw new KubeconfigError(`credential plugin ${command}: its output ${rule}`);
  };
  const answer = parseJson(text);
  if (textField(answer, 'kind') !== 'ExecCredential') return refuse('is not an ExecCredential in JSON');
  if (textField(answer, 'apiVersion') !== apiVersion) return refuse(`is not of apiVersion ${apiVersion}`);
  const status = field(answer, 'status');
  const token = textField(status, 'token');
  const certificate = textField(status, 'clientCertificateData');
  const key = textField(status, 'clientKeyData');
  if (token === '' && certificate === '' && key === '') return refuse('has no token and no certificate');
  if ((certificate === '') !== (key === '')) return refuse('must have a certificate and its key, or none of both');
  const expiry = textField(status, 'expirationTimestamp');
  const expires = expiry === '' ? undefined : Date.parse(expiry);
  if (Number.isNaN(expires)) return refuse('has an expirationTimestamp that is no time');
  return { token, certificate, key, expires };
}
