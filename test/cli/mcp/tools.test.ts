import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';

import { toolsOf } from '../../../src/cli/command.js';
import { commandLine, inputSchema, textInput } from '../../../src/cli/commands/mcp/tools.js';
import { ASKING, STATE } from '../../../src/cli/rows/reading.js';
import type { JsonRecord } from '../../../src/runtime/vocabulary/json.js';
import { readConfig } from '../../support/commandline.js';

/** For each tool, inputs with all fields that can be given together. */
const WHOLE: Readonly<Record<string, JsonRecord>> = {
  explain: { placement: 'web', namespace: 'shop', nearest: 3 },
  plan: {
    manifests: 'kind: x',
    delete: ['mcl/a', 'ns/b'],
    set: ['mcl/a:k=v'],
    namespace: 'shop',
    maxRemovals: '10%',
    maxAdditions: '1',
  },
  'who-selects': { cluster: 'eu-1', namespace: 'shop' },
  tree: { placement: 'web', allNamespaces: true },
  history: { placement: 'web', namespace: 'shop' },
  check: { pre: true },
};
const TOOLS = toolsOf([...ASKING, ...STATE]);
const ajv = new Ajv();

function toolOf(name: string): (typeof TOOLS)[number] {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(name);
  return tool;
}

describe('a tool of the MCP server', () => {
  it.each(TOOLS.map((tool) => [tool.name, tool] as const))(
    '%s is the command of that name, with JSON and without writes',
    (name, tool) => {
      const given = WHOLE[name] ?? {};
      expect(ajv.validate(inputSchema(tool), given)).toBe(true);

      expect(readConfig([...commandLine(tool, given, '/tmp/x.yaml')], {})).toMatchObject({
        command: name,
        output: 'json',
        source: { kind: 'api' },
      });
      expect(['explain', 'plan', 'who-selects', 'tree', 'history', 'check']).toContain(name);
    },
  );

  it.each(TOOLS.map((tool) => [tool.name, tool] as const))(
    '%s stays the command that reads, whatever inputs its schema accepts',
    (name, tool) => {
      const valid = ajv.compile(inputSchema(tool));
      const word = fc.constantFrom(
        'web',
        'mcl/a',
        'mcl/a:k=v',
        '--offline',
        '-f',
        '--yes',
        '--output=name',
        'a b',
        'a,b',
        '',
      );
      const input = fc.oneof(word, fc.array(word, { maxLength: 3 }), fc.boolean(), fc.nat(), fc.string());
      const changes = fc.array(fc.tuple(fc.constantFrom(...Object.keys(tool.inputs)), input), { maxLength: 2 });
      const given = changes.map((some): JsonRecord => ({ ...WHOLE[name], ...Object.fromEntries(some) }));
      let accepted = 0;
      fc.assert(
        fc.property(given, (inputs) => {
          if (!valid(inputs)) return;
          accepted += 1;
          const config = readConfig([...commandLine(tool, inputs, '/tmp/x.yaml')], {});
          // What the command line itself refuses.
          if (config.command === 'usage') expect(config).toMatchObject({ exitCode: 1 });
          else expect(config).toMatchObject({ command: name, output: 'json', source: { kind: 'api' } });
        }),
        { numRuns: 1_000 },
      );
      expect(accepted).toBeGreaterThan(50);
    },
  );

  it('gives lists with commas, and a text as a file', () => {
    const { plan: given = {} } = WHOLE;
    expect(commandLine(toolOf('plan'), given, '/tmp/x.yaml')).toEqual([
      'plan',
      '--filename=/tmp/x.yaml',
      '--delete=mcl/a,ns/b',
      '--set=mcl/a:k=v',
      '--namespace=shop',
      '--max-removals=10%',
      '--max-additions=1',
      '--output=json',
    ]);
    expect(textInput(toolOf('plan'), given)).toBe('kind: x');
    expect(textInput(toolOf('tree'), {})).toBeUndefined();
  });

  it.each<[string, JsonRecord]>([
    ['explain', {}],
    ['explain', { placement: '--offline' }],
    ['explain', { placement: 'web', filename: '/etc/passwd' }],
    ['explain', { placement: 'web', namespace: 'a b' }],
    ['explain', { placement: 'web', nearest: 1.5 }],
    ['plan', { delete: ['mcl/a,mcl/b'] }],
    ['plan', { delete: 'mcl/a' }],
    ['plan', { maxRemovals: '-1' }],
    ['who-selects', { cluster: '' }],
    ['who-selects', { cluster: '-A' }],
    ['tree', { allNamespaces: 'yes' }],
    ['check', { kubeconfig: 'x' }],
  ])('%s refuses %j', (name, given) => {
    expect(ajv.validate(inputSchema(toolOf(name)), given)).toBe(false);
  });
});
