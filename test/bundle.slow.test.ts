import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Metafile } from 'esbuild';

import { bundle } from '../tools/bundle.js';
import { describeWithKubectl, pathWithKubectl } from './support/clients/kubectl.js';
import { root } from './support/repository/root.js';

const MINUTE = 60_000;
const BUNDLE = 'dist/bundle';
const PACKAGE = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const TRACING = 'src/runtime/tracing/otlp.ts';
const OPENTELEMETRY_SDK = /\/tracing\/otlp\.ts$|(^|\/)node_modules\/@opentelemetry\/(?!api\/)/;
const API_SERVER = /^packages\/kube-apiserver\/|\/node_modules\/@marcbachmann\//;
/** The schemas of the built-in kinds: a megabyte. */
const BUILT_IN = /^packages\/values\/src\/(data\/|schema\/builtin)/;

let folder: string;
let metafile: Metafile;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-bundle-'));
  metafile = await bundle(root, path.join(folder, 'built'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Source files in the chunks that are loaded when `entryPoint` is imported. */
function loadedBy(entryPoint: string): readonly string[] {
  const { outputs } = metafile;
  const first = Object.keys(outputs).find((chunk) => outputs[chunk]?.entryPoint === entryPoint);
  if (first === undefined) throw new Error(`${entryPoint} has no chunk of its own`);
  const chunks = new Set([first]);
  for (const chunk of chunks) {
    const imports = outputs[chunk]?.imports ?? [];
    for (const one of imports) if (one.kind === 'import-statement' && one.path in outputs) chunks.add(one.path);
  }
  return [...chunks].flatMap((chunk) => Object.keys(outputs[chunk]?.inputs ?? {}));
}

describe('the bundle', () => {
  it.each(['src/main.ts', 'src/operator/run.ts', 'src/gateway/run.ts', 'src/agent/run.ts'])(
    'the bundle loads neither the embedded API server nor the schemas of built-in kinds for %s',
    (entryPoint) => {
      const loaded = loadedBy(entryPoint);

      expect(loaded).toContain(entryPoint);
      expect(loaded.filter((file) => API_SERVER.test(file) || BUILT_IN.test(file))).toEqual([]);
    },
  );

  // prom-client loads the API of OpenTelemetry by itself.
  it.each(['src/operator/run.ts', 'src/gateway/run.ts', 'src/standalone/run.ts'])(
    'the bundle loads the SDK of OpenTelemetry for %s only when traces are on',
    (entryPoint) => {
      expect(loadedBy(entryPoint).filter((file) => OPENTELEMETRY_SDK.test(file))).toEqual([]);
      expect(loadedBy(TRACING).filter((file) => OPENTELEMETRY_SDK.test(file))).not.toEqual([]);
    },
  );

  it('the bundle loads for src/operator/placement.ts and the operator around it neither certificates nor the Kubernetes client', () => {
    const loaded = ['src/operator/run.ts', 'src/operator/placement.ts'].flatMap(loadedBy);

    expect(loaded.filter((file) => /\/node_modules\/@peculiar\/|\/client-node\//.test(`/${file}`))).toEqual([]);
    expect(loaded.filter((file) => file.includes('/undici/'))).not.toEqual([]);
  });

  it('the bundle loads the SDK of MCP for the command mcp alone', () => {
    const sdk = /\/(@modelcontextprotocol|zod|ajv)\//;
    const others = [
      'src/main.ts',
      'src/cli/commands/tree.ts',
      'src/cli/hub.ts',
      'src/operator/run.ts',
      'src/gateway/run.ts',
    ];

    expect(others.flatMap(loadedBy).filter((file) => sdk.test(file))).toEqual([]);
    expect(loadedBy('src/cli/commands/mcp/run.ts').filter((file) => sdk.test(file))).not.toEqual([]);
  });

  it('the bundle has the KubeConfig of client-node for who reads one, and none of its API classes', () => {
    const loaded = loadedBy('src/runtime/kubeconfig/clientnode.ts').filter((file) => file.includes('/client-node/'));

    expect(loaded.filter((file) => file.endsWith('/dist/config.js'))).toHaveLength(1);
    expect(loaded.filter((file) => /\/gen\/(apis|models|types)\//.test(file))).toEqual([]);
  });

  it('the bundle loads the embedded API server for src/standalone/run.ts', () => {
    expect(loadedBy('src/standalone/run.ts').filter((file) => API_SERVER.test(file))).not.toEqual([]);
  });

  it('the bundle has the licence of each package that it contains', () => {
    const licenses = readFileSync(path.join(folder, 'built', 'LICENSES.txt'), 'utf8');

    for (const name of ['undici', 'pino', '@peculiar/x509', '@kubernetes/client-node', 'zod'])
      expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(.+\\)$`, 'm'));
    expect(licenses).toContain('Copyright The Kubernetes Authors.');
    expect(licenses).not.toMatch(/^(?:esbuild|jest|typescript) /m);
  });

  it('the npm package runs the bundle, and its users install no other package', () => {
    expect(PACKAGE.bin).toEqual({
      'multicluster-engine': `${BUNDLE}/main.js`,
      'kubectl-mce': `${BUNDLE}/kubectl-mce.js`,
      'kubectl_complete-mce': `${BUNDLE}/kubectl_complete-mce.js`,
    });
    expect(PACKAGE.files).toContain(BUNDLE);
    expect(PACKAGE.dependencies).toBeUndefined();
  });
});

describeWithKubectl('kubectl with the programs of the package in its PATH', () => {
  let env: NodeJS.ProcessEnv;
  beforeAll(() => {
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    for (const [name, file] of Object.entries<string>(PACKAGE.bin))
      symlinkSync(path.join(folder, 'built', path.basename(file)), path.join(bin, name));
    // The version is that of the package around the bundle, and so are the definitions that files are checked against.
    symlinkSync(path.join(root, 'crds'), path.join(folder, 'crds'));
    writeFileSync(path.join(folder, 'package.json'), readFileSync(path.join(root, 'package.json')));
    env = { ...process.env, PATH: pathWithKubectl(bin), KUBECONFIG: path.join(folder, 'none') };
  });

  function kubectl(...args: readonly string[]): readonly [string, string, number | null] {
    const { stdout, stderr, status } = spawnSync('kubectl', args, { env, encoding: 'utf8', timeout: MINUTE });
    return [stdout, stderr, status];
  }

  it('kubectl finds the plugin', () => {
    expect(kubectl('plugin', 'list', '--name-only')[0].split('\n')).toContain('kubectl-mce');
  });

  it('kubectl mce mcp serves its tools, and says why one fails', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? '']));
    await client.connect(new StdioClientTransport({ command: 'kubectl', args: ['mce', 'mcp'], env: given }));
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('explain');
      const { isError, content } = await client.callTool({ name: 'tree', arguments: {} });
      expect([isError, JSON.stringify(content)]).toEqual([
        true,
        expect.stringContaining('tree: no kubeconfig was found'),
      ]);
    } finally {
      await client.close();
    }
  });

  it('kubectl mce mcp answers lines that are no message, and goes on', () => {
    const input = ['{bad', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', '{"jsonrpc":"2.0","id":2,"method":"ping"}'];
    const { stdout, stderr, status } = spawnSync('kubectl', ['mce', 'mcp'], {
      env,
      encoding: 'utf8',
      timeout: MINUTE,
      input: `${input.join('\n')}\n`,
    });
    const answers = stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));

    expect([answers, stderr, status]).toEqual([
      [
        { jsonrpc: '2.0', error: { code: -32700, message: expect.stringContaining('the line is not JSON: ') } },
        { jsonrpc: '2.0', error: { code: -32600, message: expect.stringContaining('a batch is not taken') } },
        { jsonrpc: '2.0', id: 2, result: {} },
      ],
      '',
      0,
    ]);
  });

  it('kubectl mce mcp ends as by SIGPIPE when nobody reads it', async () => {
    const child = spawn('kubectl', ['mce', 'mcp'], { env });
    const errors = text(child.stderr);
    child.stdout.destroy();
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');

    expect([await once(child, 'exit'), await errors]).toEqual([[141, null], '']);
  });

  it('kubectl mce runs a command, and prints errors and help under that name', () => {
    const files = ['placement.yaml', 'fleet.yaml'].map((name) => path.join(root, 'examples', name));

    const [stdout, stderr, code] = kubectl('mce', 'tree', '-A', '--offline', ...files.flatMap((file) => ['-f', file]));
    expect([stdout.split('\n', 1).join(), stderr, code]).toEqual([expect.stringMatching(/^shop\/web {2}/), '', 0]);
    expect(kubectl('mce', 'tree', 'web')).toEqual([
      '',
      'kubectl mce: wrong arguments "web"; want [placement NAME]\n',
      1,
    ]);
    expect(kubectl('mce', 'explain', '--help')[0]).toMatch(/^Usage: kubectl mce explain placement NAME \[flags\]\n/);
  });

  it('kubectl completes the commands of the plugin', () => {
    const [stdout] = kubectl('__complete', 'mce', 'who');

    expect(stdout).toMatch(/^who-selects\t[^\n]+\n:4\n/);
  });
});
