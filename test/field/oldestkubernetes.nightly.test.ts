/**
 * The proof of the number in oldestkubernetes.test.ts: what the packages of that release say of every object that is installed.
 * A rule may use a function of CEL that is newer, a manifest a field that is newer; the API server then refuses the first and
 * drops the second.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { isRecord, textField } from '../../src/runtime/vocabulary/json.js';
import { doubled } from '../support/definitions/doubled.js';
import { describeWithBuiltProgram, type Run } from '../support/programs/built.js';
import { root } from '../support/repository/root.js';

interface Answer {
  readonly known: boolean;
  readonly problems: readonly string[];
}

/** Charts and the bundle are made from the other folders; what is left out here has kinds of others, or is for standalone. */
const LEFT_OUT = ['helm', 'image', 'monitoring', 'olm', 'standalone'];
const FOLDERS = [
  'crds',
  ...readdirSync(path.join(root, 'deploy'))
    .filter((name) => !LEFT_OUT.includes(name))
    .map((name) => path.join('deploy', name)),
];
/** Kinds that only a kustomization has. */
const OF_KUSTOMIZE = /^kustomize\.config\.k8s\.io\//;

/** The objects in the files of the folders, with their files. */
const objects = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => path.join(folder, file)),
).flatMap((file) =>
  loadAll(readFileSync(path.join(root, file), 'utf8'))
    .filter(isRecord)
    .filter((one) => one['$patch'] === undefined && !OF_KUSTOMIZE.test(textField(one, 'apiVersion')))
    .map((object) => ({ file, object })),
);

function ask(run: Run, asked: readonly unknown[]): readonly Answer[] {
  const { code, stdout, output } = run([], JSON.stringify(asked));
  if (code !== 0) throw new Error(output);
  return JSON.parse(stdout) as readonly Answer[];
}

describeWithBuiltProgram('the oldest supported API server', 'oldestserver', (run) => {
  const answers = ask(
    run,
    objects.map(({ object }) => doubled(object)),
  );
  const found = objects.map(({ file, object }, index) => ({
    file,
    kind: textField(object, 'kind'),
    ...answers[index],
  }));

  it('knows every object and every field of it, compiles every expression, and accepts twice the cost of each rule', () => {
    const problems = found.flatMap(({ file, kind, known, problems: all = [] }) =>
      known === true ? all.map((one) => `${file}: ${one}`) : [`${file}: ${kind} is not known`],
    );

    expect(problems).toEqual([]);
  });

  it('refuses what is newer than it', () => {
    const rule = '!format.labelValue().validate(self).hasValue()';
    const schema = {
      type: 'object',
      properties: { spec: { type: 'string', maxLength: 9, 'x-kubernetes-validations': [{ rule }] } },
    };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    };
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { newer: true } };
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'a' },
      spec: { validations: [{ expression: rule.replace('self', 'object.metadata.name') }] },
    };
    const [first, second, third] = ask(run, [definition, service, policy]);

    expect(first?.problems.join()).toContain("undeclared reference to 'format'");
    expect(second?.problems.join()).toContain('unknown field "spec.newer"');
    expect(third?.problems.join()).toContain("undeclared reference to 'format'");
  });
});
