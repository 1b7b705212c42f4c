import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { unpackImage, type UnpackedImage } from './image.js';
import type { Executable } from './kubelets.js';

/** What is installed: the charts, and the image with its program. */
export interface Installable {
  readonly version: string;
  readonly chart: string;
  readonly agentChart: string;
  readonly image: string;
  readonly program: Executable;
}

/** The files of a release that lies in a folder, as tools/release/build.sh makes it. */
export interface Release extends Installable {
  readonly folder: string;
  readonly unpacked: UnpackedImage;
  /** The root of the unpacked image of the bundle for OLM. */
  readonly bundle: string;
  /** The root of the unpacked npm package. */
  readonly npmPackage: string;
}

/** The only file of a folder whose name matches. */
export function fileIn(folder: string, pattern: RegExp): string {
  const [name, ...others] = readdirSync(folder).filter((one) => pattern.test(one));
  if (name === undefined || others.length > 0) throw new Error(`${folder}: not one file like ${pattern.source}`);
  return path.join(folder, name);
}

/** Unpacks what has to be unpacked of the release in `folder` below `work`. */
export function openRelease(folder: string, work: string): Release {
  const unpacked = unpackImage(fileIn(folder, /^multicluster-engine-\d.*\.oci\.tar$/), path.join(work, 'image'));
  const bundle = unpackImage(fileIn(folder, /^multicluster-engine-bundle-.*\.oci\.tar$/), path.join(work, 'bundle'));
  execFileSync('tar', ['-xzf', fileIn(folder, /^multicluster-engine-\d.*\.tgz$/), '-C', work]);
  const chart = fileIn(path.join(folder, 'charts'), CHART);
  const { Entrypoint = [], Labels = {} } = unpacked.config.config;
  const [program = '', ...args] = Entrypoint;
  return {
    folder,
    unpacked,
    version: Labels['org.opencontainers.image.version'] ?? '',
    chart,
    agentChart: fileIn(path.join(folder, 'charts'), AGENT_CHART),
    image: `${valueOf(chart, 'repository')}@${unpacked.digest}`,
    // An engine finds it by the PATH of the image.
    program: [path.join(unpacked.root, 'usr/local/bin', program), ...args.map((one) => path.join(unpacked.root, one))],
    bundle: bundle.root,
    npmPackage: path.join(work, 'package'),
  };
}

const CHART = /^multicluster-engine-\d.*\.tgz$/;
const AGENT_CHART = /^multicluster-engine-agent-.*\.tgz$/;

/** A value of the image in a packed chart. */
function valueOf(chart: string, name: string): string {
  const values = execFileSync('tar', ['-xzOf', chart, 'multicluster-engine/values.yaml'], { encoding: 'utf8' });
  return new RegExp(`^  ${name}: "?([^"\\n]*)"?$`, 'm').exec(values)?.[1] ?? '';
}

/** What tools/release/rehearse.sh has made of the commit before: its charts, and the content of its image. */
export function openBefore(folder: string): Installable {
  const chart = fileIn(folder, CHART);
  const program: Executable = [process.execPath, path.join(folder, 'image/app/dist/bundle/main.js')];
  const version = execFileSync(program[0], [...program.slice(1), 'version', '-o', 'json'], { encoding: 'utf8' });
  return {
    version: (JSON.parse(version) as { version: string }).version,
    chart,
    agentChart: fileIn(folder, AGENT_CHART),
    image: `${valueOf(chart, 'repository')}:${valueOf(chart, 'tag')}`,
    program,
  };
}
