import { listAt, structAt, textAt, textsAt } from '../../fields.js';
import { equal, isObject } from '../../json.js';
import type { Json, JsonObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import type { Schema } from '../schema.js';
import { compareKubeVersions } from './kubeversion.js';
import type { ScalePaths } from './scalerules.js';

/** The parts of a CustomResourceDefinition that serving its objects needs. It was validated when it was stored. */
export interface Definition {
  readonly name: string;
  readonly group: string;
  readonly namespaced: boolean;
  readonly names: DefinitionNames;
  readonly versions: readonly DefinitionVersion[];
  /** The version in which objects are stored. */
  readonly storage: string;
}

export type DefinitionNames = {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
};

/** An item of `additionalPrinterColumns` of a CustomResourceDefinition. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly schema: Schema;
  readonly status: boolean;
  /** Undefined where the version has no scale subresource. */
  readonly scale: ScalePaths | undefined;
  /** The warning that requests to this version get; undefined where the version is not deprecated. */
  readonly deprecation: string | undefined;
  readonly columns: readonly PrinterColumn[];
  readonly selectable: readonly string[];
}

export function readDefinition(crd: KubeObject): Definition {
  const spec = structAt(crd, 'spec');
  const versions = listAt(spec, 'versions');
  const group = textAt(spec, 'group');
  const names = readNames(acceptedNames(crd) ?? structAt(spec, 'names'));
  return {
    name: crd.metadata.name ?? '',
    group,
    namespaced: spec.scope === 'Namespaced',
    names,
    versions: versions.map((version) => readVersion(version, { versions, group, kind: names.kind })),
    storage: textAt(versions.find((version) => version.storage === true) ?? {}, 'name'),
  };
}

/** The accepted names of the status; undefined before any were accepted. */
function acceptedNames(crd: KubeObject): JsonObject | undefined {
  const accepted = structAt(structAt(crd, 'status'), 'acceptedNames');
  return textAt(accepted, 'plural') === '' ? undefined : accepted;
}

export function readNames(names: JsonObject): DefinitionNames {
  const kind = textAt(names, 'kind');
  return {
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular'),
    kind,
    listKind: textAt(names, 'listKind'),
    shortNames: textsAt(names, 'shortNames'),
    categories: textsAt(names, 'categories'),
  };
}

interface VersionContext {
  readonly versions: readonly JsonObject[];
  readonly group: string;
  readonly kind: string;
}

function readVersion(version: JsonObject, siblings: VersionContext): DefinitionVersion {
  const schema = structAt(structAt(version, 'schema'), 'openAPIV3Schema');
  return {
    name: textAt(version, 'name'),
    served: version.served === true,
    schema,
    status: isObject(structAt(version, 'subresources').status),
    scale: readScale(structAt(version, 'subresources').scale),
    deprecation: version.deprecated === true ? deprecationOf(version, siblings) : undefined,
    columns: listAt(version, 'additionalPrinterColumns').map(readColumn),
    selectable: listAt(version, 'selectableFields').map((field) => textAt(field, 'jsonPath')),
  };
}

function readScale(scale: Json | undefined): ScalePaths | undefined {
  if (!isObject(scale)) return undefined;
  return {
    specReplicas: textAt(scale, 'specReplicasPath'),
    statusReplicas: textAt(scale, 'statusReplicasPath'),
    labelSelector: textAt(scale, 'labelSelectorPath'),
  };
}

function readColumn(column: JsonObject): PrinterColumn {
  const { format, description, priority } = column;
  return {
    name: textAt(column, 'name'),
    type: textAt(column, 'type'),
    jsonPath: textAt(column, 'jsonPath'),
    ...(typeof format === 'string' ? { format } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof priority === 'number' ? { priority } : {}),
  };
}

function deprecationOf(version: JsonObject, { versions, group, kind }: VersionContext): string {
  const { deprecationWarning } = version;
  if (typeof deprecationWarning === 'string') return deprecationWarning;
  const name = textAt(version, 'name');
  const replacements = versions
    .filter(
      (one) => one.served === true && one.deprecated !== true && compareKubeVersions(textAt(one, 'name'), name) < 0,
    )
    .map((one) => textAt(one, 'name'))
    .sort(compareKubeVersions);
  const instead = replacements[0] === undefined ? '' : `; use ${group}/${replacements[0]} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${instead}`;
}

/** Whether two states of a definition serve the same resources. */
export function definesSameResources(a: KubeObject, b: KubeObject): boolean {
  return equal(a.spec, b.spec) && equal(structAt(a, 'status').acceptedNames, structAt(b, 'status').acceptedNames);
}
