import { readFileSync } from 'node:fs';
import path from 'node:path';

import { dump, load, loadAll } from 'js-yaml';

import { asRecord, recordsIn, textField, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import { readCrds } from '../crd.js';

/** The manifests of the README, each the smallest that does something. */
const EXAMPLES = ['examples/engine.yaml', 'examples/placement.yaml'];

/** The annotations of Chart.yaml by which Artifact Hub shows the kinds and an example of each: YAML in a text. */
export function artifactHubKinds(root: string): string {
  const kinds = readCrds(root).map(({ file }) =>
    kindOf(load(readFileSync(path.join(root, 'crds', `${file}.yaml`), 'utf8'))),
  );
  const examples = EXAMPLES.flatMap((file) => loadAll(readFileSync(path.join(root, file), 'utf8')));
  const shown = examples.filter((one) => kinds.some(({ kind }) => kind === textField(one, 'kind')));
  return annotation('crds', kinds) + annotation('crdsExamples', shown);
}

function kindOf(definition: unknown): JsonRecord {
  const { metadata, spec } = asRecord(definition);
  const [version] = recordsIn(asRecord(spec)['versions']);
  const schema = asRecord(asRecord(version?.['schema'])['openAPIV3Schema']);
  const kind = textField(asRecord(spec)['names'], 'kind');
  const description = textField(schema, 'description').replaceAll(/\s+/g, ' ').split(/[.;] /, 1).join('');
  return {
    kind,
    version: textField(version, 'name'),
    name: textField(metadata, 'name'),
    displayName: kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' '),
    description: description.replace(/\.$/, ''),
  };
}

function annotation(name: string, value: object): string {
  const text = dump(value, { lineWidth: -1, noRefs: true });
  return `  artifacthub.io/${name}: |\n${text.replaceAll(/^(?=.)/gm, '    ')}`;
}
