import { InputError } from '../output.js';
import path from 'node:path';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { ManagedClusters, ManagedClusterSets, MultiClusterEngines } from '../../api/resources.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import { packageRoot } from '../../runtime/process/build.js';
import { readManifests } from '../../runtime/manifests.js';
import { errorText } from '../../runtime/errors.js';
import type { Fault, ManifestRules } from './manifestfaults.js';
import { manifestsOf, StandardInput, createdFrom, parseUserManifests, type UserManifest } from './usermanifests.js';

/** Kinds of this project without a namespace. */
const CLUSTER_SCOPED = new Set(
  [ManagedClusters, ManagedClusterSets, MultiClusterEngines].map((type) => `${apiVersionOf(type)}/${type.kind}`),
);
/** The most faults that are named for one object. */
const MOST_FAULTS = 5;

export interface FileOptions {
  /** Whether the folders below a folder are read too; default false. */
  readonly recursive?: boolean;
  /** The namespace that every object with one must have, as for `kubectl apply -n`; default: any. */
  readonly namespace?: string | undefined;
  /** What `-` stands for; default: one of its own. Reads of one command share it. */
  readonly input?: StandardInput;
}

/**
 * The objects of files, of the YAML and JSON files of folders, and of standard input (`-`), as `kubectl apply` reads them, with
 * the defaults of the API server. What it would not create is refused.
 * @throws InputError, also when there is no object at all: what was meant to be read is somewhere else
 */
export async function readFiles(from: readonly string[], options: FileOptions = {}): Promise<readonly KubeObject[]> {
  const { manifests, rules } = await readJudged(from, options, (ruleset, object) =>
    ruleset.ofObject(createdFrom(object)),
  );
  return manifests.map(({ object }) => rules.withDefaults(createdFrom(object)));
}

/** Manifests that are merged into what is on a hub. */
export interface AppliedFiles {
  readonly objects: readonly KubeObject[];
  /** Refuses what the API server refuses of the merged object; `live`: what is there before. @throws InputError. */
  readonly check: (merged: KubeObject, live: KubeObject | undefined) => void;
  /** The object with the defaults of the API server. */
  readonly withDefaults: (merged: KubeObject) => KubeObject;
}

/** As {@link readFiles}, of manifests that need not be whole. @throws InputError. */
export async function readAppliedFiles(from: readonly string[], options: FileOptions = {}): Promise<AppliedFiles> {
  return appliedOf(await readJudged(from, options, (ruleset, object) => ruleset.ofManifest(object)), from.join(', '));
}

/** As {@link readAppliedFiles}, of a text, which may have no object; `name` is that of it. `onObject` runs before each is judged. @throws InputError. */
export async function readAppliedText(text: string, name: string, onObject?: () => void): Promise<AppliedFiles> {
  const rules = await manifestRules();
  const manifests = parseUserManifests(Buffer.from(text), name);
  for (const one of manifests) {
    onObject?.();
    refuse(one, rules.ofManifest(one.object));
  }
  return appliedOf({ manifests, rules }, name);
}

function appliedOf({ manifests, rules }: JudgedManifests, otherwise: string): AppliedFiles {
  const whereById = new Map(manifests.map(({ object, where }) => [idOf(object), where]));
  const check: AppliedFiles['check'] = (merged, live) => {
    // A manifest need not name its namespace; the merged object does.
    const where =
      whereById.get(idOf(merged)) ?? whereById.get(idOf({ ...merged, metadata: { name: merged.metadata.name } }));
    refuse({ object: merged, where: where ?? otherwise }, rules.ofObject(merged, live));
  };
  const withDefaults: AppliedFiles['withDefaults'] = (object) => rules.withDefaults(object);
  return { objects: manifests.map(({ object }) => object), check, withDefaults };
}

/** Refuses a manifest that has faults. @throws InputError */
function refuse({ object, where }: UserManifest, faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const { kind, metadata } = object;
  const more = faults.length > MOST_FAULTS ? `, and ${faults.length - MOST_FAULTS} more` : '';
  throw new InputError(`${where}: ${kind} ${metadata.name}: ${faults.slice(0, MOST_FAULTS).join('; ')}${more}`);
}

function idOf({ kind, metadata: { namespace = '', name } }: KubeObject): string {
  return [kind, namespace, name].join('/');
}

/** What the API server would refuse in an object of this project, if it were created. */
export async function manifestFaults(object: KubeObject): Promise<readonly Fault[]> {
  return (await manifestRules()).ofObject(object);
}

let ownRules: ManifestRules | undefined;

/** The rules of the definitions of this program. Loads them only where manifests are read: most of a start is spent on it. */
export async function manifestRules(): Promise<ManifestRules> {
  const { ManifestRules: Rules } = await import('./manifestfaults.js');
  ownRules ??= new Rules(readManifests(path.join(packageRoot(), 'crds')));
  return ownRules;
}

/** Manifests that are not refused, and the rules by which. */
interface JudgedManifests {
  readonly manifests: readonly UserManifest[];
  readonly rules: ManifestRules;
}

async function readJudged(
  from: readonly string[],
  { recursive = false, namespace, input = new StandardInput() }: FileOptions,
  faultsOf: (rules: ManifestRules, object: KubeObject) => readonly Fault[],
): Promise<JudgedManifests> {
  const rules = await manifestRules();
  const manifests = manifestsIn(from, recursive, input);
  for (const one of manifests) refuse(one, [...namespaceFaults(one.object, namespace), ...faultsOf(rules, one.object)]);
  return { manifests, rules };
}

/** One object or more. @throws InputError. */
function manifestsIn(from: readonly string[], recursive: boolean, input: StandardInput): readonly UserManifest[] {
  try {
    const manifests = from.flatMap((one) => manifestsOf(one, { recursive, input }));
    if (manifests.length === 0) throw new Error(`${from.join(', ')}: there is no object`);
    return manifests;
  } catch (error) {
    throw new InputError(errorText(error).split('\n', 1)[0], { cause: error });
  }
}

function namespaceFaults({ apiVersion, kind, metadata }: KubeObject, wanted: string | undefined): readonly Fault[] {
  const own = metadata.namespace ?? '';
  if (wanted === undefined || own === '' || own === wanted || CLUSTER_SCOPED.has(`${apiVersion}/${kind}`)) return [];
  return [`metadata.namespace: ${JSON.stringify(own)}: does not match --namespace=${wanted}: give --namespace=${own}`];
}
