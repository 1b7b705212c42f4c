import path from 'node:path';

import { isWildcard } from '@multicluster-engine/kube-apiserver';
import { shellWord } from '../domain/shellword.js';
import { packageRoot } from '../runtime/process/build.js';
import { addressOf } from '../runtime/flags/flags.js';
import type { StandaloneConfig } from './flags.js';
import { logFile } from './preflight.js';

interface NextSteps {
  readonly kubeconfig: string;
  readonly config: StandaloneConfig;
  /** Whether an earlier run has left an engine. */
  readonly installed: boolean;
  /** The link to the console; undefined without a console. */
  readonly link: string | undefined;
}

/** What is printed once the hub is up. */
export function nextSteps({ kubeconfig, config, installed, link }: NextSteps): string {
  const { listen, gatewayListen, dataDir, ephemeral } = config;
  const gateway = isWildcard(gatewayListen.host) ? { ...gatewayListen, host: '127.0.0.1' } : gatewayListen;
  return [
    '',
    'The hub is up. Next, in another terminal:',
    '',
    `  export KUBECONFIG=${shellWord(kubeconfig)}`,
    ...(installed ? [] : [`  kubectl apply -f ${shown(path.join(packageRoot(), 'examples', 'engine.yaml'))}`]),
    '  kubectl get mce -w',
    '',
    ...(link === undefined
      ? []
      : ['The fleet in a browser (the link opens once; kubectl mce console prints another one):', '', `  ${link}`, '']),
    `Once the engine is Available, the HTTPS interface answers on https://${addressOf(gateway)}. Logs: ${shown(path.dirname(logFile(dataDir)))}`,
    ...(isWildcard(listen.host)
      ? ['The API listens on every address of this machine: a token of the kubeconfig gives full access.']
      : []),
    ephemeral
      ? 'Ctrl-C stops it, and its objects are gone.'
      : 'Ctrl-C stops it; the next start continues with its data.',
    '',
  ].join('\n');
}

/** A path as a shell reads it: relative to the working directory where it is below it. */
function shown(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return shellWord(/^\.\.(?:\/|$)/.test(relative) ? file : relative || '.');
}
