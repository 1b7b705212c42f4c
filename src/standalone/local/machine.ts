import { readFileSync } from 'node:fs';
import os from 'node:os';

/** `status.nodeInfo` of this machine, without IDs that would identify it. `version`: shown as the kubelet's. */
export function nodeInfo(version: string): Readonly<Record<string, string>> {
  return {
    machineID: '',
    systemUUID: '',
    bootID: '',
    kernelVersion: os.release(),
    osImage: osName(),
    architecture: architecture(),
    operatingSystem: process.platform,
    containerRuntimeVersion: `node://${process.versions.node}`,
    kubeletVersion: version,
    kubeProxyVersion: '',
  };
}

/** The CPUs that this process may use and the machine's memory, as quantities. */
export function capacity(): { readonly cpu: string; readonly memory: string } {
  return { cpu: String(os.availableParallelism()), memory: `${Math.floor(os.totalmem() / 1024)}Ki` };
}

/** The architecture, with its name in Kubernetes. */
export function architecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}

const RELEASE_FILES = ['/etc/os-release', '/usr/lib/os-release'];

function osName(): string {
  for (const file of RELEASE_FILES) {
    const name = prettyName(textOf(file));
    if (name !== undefined) return name;
  }
  return `${os.type()} ${os.release()}`;
}

/** PRETTY_NAME in the text of an os-release file; undefined when it is absent or empty. */
export function prettyName(text: string): string | undefined {
  const name = /^PRETTY_NAME=(["']?)(.*?)\1[ \t]*$/m.exec(text)?.[2]?.trim();
  return name === '' ? undefined : name;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
