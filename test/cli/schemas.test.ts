import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { isRecord } from '../../src/runtime/vocabulary/json.js';
import { explainPlacement } from '../../src/cli/commands/explain.js';
import { planChange } from '../../src/cli/commands/plan.js';
import { tree } from '../../src/cli/commands/tree.js';
import { whoSelects } from '../../src/cli/commands/whoselects.js';
import { clusterViewIn } from '../../src/answers/world/world.js';
import { readRecorded } from '../golden/recorded.js';
import { readingOf } from '../support/builders/hubinput.js';
import { root } from '../support/repository/root.js';
import { exampleWorld } from '../support/builders/examplefleet.js';
import { someWorld } from '../support/builders/world.js';

const FOLDER = path.join(root, 'docs', 'reference', 'cli');
const SCHEMAS = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.schema.json'))
  .map((file) => JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Schema);
const ajv = new Ajv({ allErrors: true });
const validators = new Map(SCHEMAS.map((one) => [one.properties.kind.const, ajv.compile(one)]));

interface Schema {
  readonly properties: { readonly kind: { readonly const: string } };
}

/** The errors of a document by the schema of its kind. */
function errorsOf(document: unknown): unknown {
  const kind = isRecord(document) ? String(document['kind']) : '';
  const validate = validators.get(kind);
  if (validate === undefined) return `no schema of kind ${kind}`;
  return validate(document) ? [] : validate.errors;
}

const recorded = (['cli-inspect', 'cli-explain', 'cli-plan'] as const)
  .flatMap((file) => Object.entries(readRecorded(file)))
  .filter(([sentence]) => sentence.startsWith('the JSON'));
const documents = recorded.flatMap(([sentence, document]): [string, unknown][] => {
  const items = isRecord(document) && document['kind'] === 'List' ? document['items'] : [document];
  return (items as unknown[]).map((one) => [sentence, one]);
});

const EXPLAIN = { namespace: 'shop', placement: 'web', cluster: undefined, nearest: 1 };
const PLAN = {
  namespace: 'shop',
  manifests: undefined,
  complete: false,
  labels: [],
  maxRemovals: undefined,
  maxAdditions: undefined,
};

describe('the JSON of the commands', () => {
  it.each(documents)('%s is valid by the schema of its kind', (_sentence, document) => {
    expect(errorsOf(document)).toEqual([]);
  });

  it('there is a recorded document of each kind', () => {
    const kinds = documents.map(([, document]) => isRecord(document) && document['kind']);
    expect(new Set(kinds)).toEqual(new Set(validators.keys()));
  });

  it('the JSON of tree, explain, plan and who-selects is valid by its schema for any world', () => {
    fc.assert(
      fc.property(someWorld, (world) => {
        const options = { output: 'json', colored: false } as const;
        const reading = readingOf(world);
        const hasKey = world.objects.managedclusters.some((one) => 'platform' in clusterViewIn(world, one).claims);
        const by = hasKey ? ({ source: 'claim', key: 'platform' } as const) : undefined;
        expect(errorsOf(JSON.parse(tree(reading, undefined, options, by)))).toEqual([]);
        expect(errorsOf(JSON.parse(explainPlacement(world, { ...EXPLAIN, ...options })))).toEqual([]);
        const deletions = world.objects.managedclustersets.map(({ metadata }) => `mclset/${metadata.name}`);
        expect(errorsOf(JSON.parse(planChange(reading, { ...PLAN, ...options, deletions }).text))).toEqual([]);
        const cluster = world.objects.managedclusters[0]?.metadata.name;
        if (cluster !== undefined) expect(errorsOf(JSON.parse(whoSelects(reading, cluster, options)))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it.each(documents)('%s is refused with a field that the schema does not know', (_sentence, document) => {
    expect(errorsOf({ ...(document as object), more: true })).not.toEqual([]);
  });

  it('a phase that the schema does not know is refused', () => {
    const document = JSON.parse(
      explainPlacement(exampleWorld(), { ...EXPLAIN, output: 'json', colored: false }),
    ) as object;

    expect(errorsOf({ ...document, phase: 'Fine' })).not.toEqual([]);
  });
});
