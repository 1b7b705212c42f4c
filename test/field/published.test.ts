import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { NO_IMAGE, PUBLISHED, releasedImage, type Published } from '../../src/api/published.js';
import { readConfig } from '../support/commandline.js';
import { describeWithPrograms, runProgram } from '../support/programs/programs.js';
import { root } from '../support/repository/root.js';

/**
 * Pages and examples ran `npx multicluster-engine`, and manifests named the image `multicluster-engine:0.1.0`, before either
 * was published: whoever registers such a name runs code on the machines of our readers. Right is: nothing names a package or
 * an image that is not published by us, or by somebody whom the list below names.
 */

/** What others publish, and we use: each that we run is pinned by a commit, a version of Go's checksum database, or a digest. */
const THIRD_PARTIES = [
  'actions/checkout',
  'actions/setup-node',
  'actions/setup-go',
  'actions/upload-artifact',
  'actions/download-artifact',
  'github.com/sigstore/cosign/v2/cmd/cosign',
  'node:24-bookworm-slim',
  // The application of examples/ten-minutes. Its tag is one of many of an image that Docker maintains.
  'nginx:1.29',
];
/** The files that are run or read by users and by our workflows; not the tests, nor what records the past. */
const PLACES = [
  '*.md',
  'Dockerfile',
  'Makefile',
  '.github',
  'bench/*.ts',
  'crds',
  'deploy',
  'docs',
  'examples',
  'package.json',
  'packages/*/*.md',
  'packages/*/package.json',
  'packages/*/src',
  'src',
  'tools',
  ':!CHANGELOG.md',
  ':!**/*.svg',
];

interface Reference {
  readonly kind: 'image' | 'package' | 'action' | 'module';
  readonly name: string;
}

/**
 * A name that nobody can register: reserved by RFC 2606, of this machine, a variable, or with capitals, as what a reader has to
 * set (REGISTRY/…) and the names of variables in our sources.
 */
const UNREGISTERED =
  /^(?:([\w.-]+\.)?(?:invalid|example|example\.(?:com|org|net))(?::\d+)?\/|localhost(?::\d+)?\/|[a-z]*[A-Z]\w*(?:$|[/:)])|[$"'{<%…])/;
const IMAGE_FIELD = /^\s*(?:- )?"?(?:containerImage|image|newName|repository)"?: ["']?([^\s"',()]+)["']?,?$/;
const BASE_IMAGE = /^(?:FROM (?:--platform=\S+ )?|ARG BASE=)(\S+)/;
const IMAGE_ARGUMENT = /(?:\bmake \w+(?: \w+=\S+)* IMAGE=|--image[ =](?!is required))["']?([^\s"'`]+)/g;
const DOCKER_RUN = /\bdocker (?:run|pull) ([^`|;&]*)/g;
/** Flags of `docker run` whose value is the next word. */
const DOCKER_FLAGS = ['--name', '--publish', '-p', '--volume', '-v', '--env', '-e', '--user'];
/** Our image by name and tag, wherever it stands. */
const OUR_IMAGE =
  /((?:[\w.${}-]+(?::\d+)?\/)*multicluster-engine(?:-agent)?(?::(?=[\d$<]|\$\{|VERSION)|@sha256:)[^\s"'`,)]+)/g;
const NPX = /\b(?:npx|npm exec)((?: +[^\s`"|&;]*(?:"[^"]*")?)*)/g;
const INSTALL = /\bnpm (?:install|i|add)((?: +[^\s`"|&;#]*(?:"[^"]*")?)*)/g;
const USES = /\buses: (\S+)/g;
const GO_INSTALL = /\bgo install (\S+)/g;

/** The packages in the words of a command of npm; a file, an address and a variable are none. */
function packages(words: string): string[] {
  const given = words.trim().split(/ +/).filter(Boolean);
  const named = given.flatMap((word) => /^(?:--package|-p)=(.+)$/.exec(word)?.[1] ?? []);
  const first = given.find((word) => !word.startsWith('-'));
  const all = named.length > 0 ? named : [first ?? ''];
  return all.filter((name) => /^@?[a-z0-9]/.test(name) && !/\.tgz$|^https:/.test(name));
}

/** The image in the words after `docker run`. */
function dockerImage(words: string): string[] {
  const given = words.trim().split(/ +/);
  const isValue = (at: number): boolean => DOCKER_FLAGS.includes(given[at - 1] ?? '');
  return given.filter((word, at) => !word.startsWith('-') && !isValue(at)).slice(0, 1);
}

function referencesIn(line: string): Reference[] {
  const named = (kind: Reference['kind'], names: readonly string[]): Reference[] =>
    names.map((name) => ({ kind, name }));
  const all = (pattern: RegExp): string[] => [...line.matchAll(pattern)].map(([, name = '']) => name);
  const fields = [IMAGE_FIELD, BASE_IMAGE].flatMap((pattern) => pattern.exec(line)?.[1] ?? []);
  return [
    ...named('image', [...fields, ...all(IMAGE_ARGUMENT), ...all(OUR_IMAGE), ...all(DOCKER_RUN).flatMap(dockerImage)]),
    ...named('package', [...all(NPX), ...all(INSTALL)].flatMap(packages)),
    ...named('action', all(USES)),
    ...named('module', all(GO_INSTALL)),
  ];
}

function isAllowed({ kind, name }: Reference, published: Published): boolean {
  if (kind === 'package') return name.replace(/(?<=.)@.*$/, '') === published.npmPackage;
  const bare = name.replace(/(?::[^/:@]+)?(?:@.*)?$/, '');
  if (kind === 'image' && (name === 'scratch' || UNREGISTERED.test(name) || bare === published.image)) return true;
  return THIRD_PARTIES.includes(kind === 'image' ? name : name.replace(/@.*$/, ''));
}

/** What a line names that nobody whom we know has published. */
function unpublishedIn(line: string, published: Published = PUBLISHED): string[] {
  return referencesIn(line)
    .filter((one) => !isAllowed(one, published))
    .map(({ kind, name }) => `${kind} ${name}`);
}

const files = execFileSync('git', ['ls-files', '-z', '--', ...PLACES], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter(Boolean);

describe('packages and images', () => {
  it('no page, example, default or manifest names a package or an image that is not published by us or a known third party', () => {
    const found = files.flatMap((file) => {
      const lines = readFileSync(path.join(root, file), 'utf8').split('\n');
      return lines.flatMap((line, index) => unpublishedIn(line).map((name) => `${file}:${index + 1}: ${name}`));
    });

    expect(files.length).toBeGreaterThan(400);
    expect(found).toEqual([]);
  });

  it.each([
    ['npx --yes multicluster-engine@0.1 plan --offline', 'package multicluster-engine@0.1'],
    ['`npx multicluster-engine plan …` runs it', 'package multicluster-engine'],
    ['npx --package=multicluster-engine mce', 'package multicluster-engine'],
    ['npm install --global multicluster-engine', 'package multicluster-engine'],
    ['          image: multicluster-engine', 'image multicluster-engine'],
    ['  "image":"multicluster-engine:0.1.0"', 'image multicluster-engine:0.1.0'],
    ['image = `multicluster-engine:${version}`', 'image multicluster-engine:${version}'],
    ['docker run -p 1:1 --volume hub:/data multicluster-engine:0.1.0 standalone', 'image multicluster-engine:0.1.0'],
    ['  repository: quay.io/somebody/engine', 'image quay.io/somebody/engine'],
    ['FROM node:latest AS program', 'image node:latest'],
    ['      - uses: somebody/action@0123 # v1.2.3', 'action somebody/action@0123'],
    ['go install example.net/tool@latest', 'module example.net/tool@latest'],
  ])('%s is found', (line, name) => {
    expect(unpublishedIn(line)).toContain(name);
  });

  it.each([
    'npx --package=./multicluster-engine-0.1.0.tgz multicluster-engine standalone',
    'npx --yes --package="$PACKAGE" multicluster-engine plan',
    'npm install --global ./multicluster-engine-0.1.0.tgz',
    'npm install',
    'image: registry.example.com/team/multicluster-engine:0.1.0',
    'image: image-not-set.invalid/multicluster-engine',
    'make deploy IMAGE=REGISTRY/multicluster-engine:TAG',
    'image: {{ include "multicluster-engine.image" . | quote }}',
  ])('%s names nothing that somebody could register', (line) => {
    expect(unpublishedIn(line)).toEqual([]);
  });

  it('the first release makes its package and its image known, and no others', () => {
    const published = { npmPackage: 'multicluster-engine', image: 'registry.example/team/multicluster-engine' };
    const line = 'npx multicluster-engine@0.2 plan; docker run registry.example/team/multicluster-engine:0.2.0';

    expect(unpublishedIn(line, published)).toEqual([]);
    expect(unpublishedIn('npx multicluster-engin', published)).toEqual(['package multicluster-engin']);
    expect(unpublishedIn('image: quay.io/team/multicluster-engine:0.2.0', published)).not.toEqual([]);
  });
});

describe('an image that nobody has set', () => {
  it('cluster add asks for the image of the agent, and the operator gives components one that cannot be pulled', () => {
    expect(readConfig(['cluster', 'add', 'edge-1'], {})).toMatchObject({
      exitCode: 1,
      text: expect.stringMatching(
        /^multicluster-engine: --image is required, since no image of version \S+ is published: /,
      ),
    });
    expect(readConfig(['cluster', 'add', 'edge-1', '--image', 'a b'], {})).toMatchObject({
      text: expect.stringContaining('--image must be an image name: [host[:port]/]path[:tag][@digest], got "a b"'),
    });
    expect(readConfig(['operator'], {})).toMatchObject({ componentImage: NO_IMAGE });
  });

  it('a release uses its own image, and a version between releases has none', () => {
    const published = { image: 'registry.example/team/multicluster-engine' };

    expect(releasedImage('0.2.0', published)).toBe('registry.example/team/multicluster-engine:0.2.0');
    expect(releasedImage('0.2.0+dev.0123456789ab', published)).toBeUndefined();
    expect(releasedImage('0.2.0', {})).toBeUndefined();
  });
});

describeWithPrograms('a chart without an image', ['helm'], () => {
  it.each(['multicluster-engine', 'multicluster-engine-agent'])('the chart %s asks for it', async (chart) => {
    await expect(runProgram('helm', ['template', path.join(root, 'deploy/helm', chart)])).rejects.toThrow(
      'image.repository is not set: no image of this version is published',
    );
  });
});
