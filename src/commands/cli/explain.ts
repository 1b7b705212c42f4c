import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { KubeObject } from '../../api/meta.js';
import { explainPlacement, NotFoundError, type ExplainRequest } from '../../cli/explain/command.js';
import { worldOfObjects } from '../../cli/sources.js';
import type { ExplainConfig } from '../../config/explain.js';
import { parseManifests } from '../../kube/manifests/manifests.js';
import { standardError } from '../../observability/standardoutput.js';
import { KubeconfigError } from '../../kube/transport/kubeconfigerror.js';
import { ApiError, errorText } from '../../runtime/errors.js';
import { DEFAULT_NAMESPACE } from '../../api/names.js';
import type { NamespacedWorld } from './hubworld.js';
import { printAnswer } from '../usage.js';

const STANDARD_INPUT = 0;

/** Objects that could not be read from files. The message is one line. */
class FileError extends Error {}

/** Prints the explanation; returns the exit code: 1, and one line on standard error, when there is none. */
export async function runExplain(config: ExplainConfig): Promise<number> {
  try {
    const { world, namespace } = await read(config);
    printAnswer(explainPlacement(world, requestOf(config, namespace)));
    return 0;
  } catch (error) {
    if (!isExpected(error)) throw error;
    standardError().write(`multicluster-engine explain: ${errorText(error)}\n`);
    return 1;
  }
}

function isExpected(error: unknown): boolean {
  return [ApiError, KubeconfigError, NotFoundError, FileError].some((kind) => error instanceof kind);
}

function requestOf({ placement, cluster, nearest, output, color }: ExplainConfig, namespace: string): ExplainRequest {
  const colored = color === 'always' || (color === 'auto' && process.stdout.isTTY);
  return { namespace, placement, cluster, nearest, output, colored };
}

/** Loads the client of the API server only where it is needed: most of a start is spent on it. */
async function read(config: ExplainConfig): Promise<NamespacedWorld> {
  const { source } = config;
  if (source.kind === 'api') {
    const { readHub } = await import('./hubworld.js');
    return readHub(config, source);
  }
  const namespace = config.namespace ?? DEFAULT_NAMESPACE;
  return { world: worldOfObjects(readFiles(source.path), namespace), namespace };
}

/** The objects of a file, of the YAML and JSON files of a folder, or of standard input. @throws FileError. */
function readFiles(from: string): readonly KubeObject[] {
  try {
    if (from === '-') return parseManifests(readFileSync(STANDARD_INPUT, 'utf8'), 'standard input');
    if (!statSync(from).isDirectory()) return parseManifests(readFileSync(from, 'utf8'), from);
    const files = readdirSync(from).filter((file) => /\.(ya?ml|json)$/.test(file));
    return files.sort().flatMap((file) => {
      const place = path.join(from, file);
      return parseManifests(readFileSync(place, 'utf8'), place);
    });
  } catch (error) {
    throw new FileError(errorText(error).split('\n', 1)[0], { cause: error });
  }
}
