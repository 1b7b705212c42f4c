/*
 * What people did: they gave a command a path with a typing error, a URL, a pattern in quotes, an empty folder, or a place where
 * nothing can be made. They got `ENOENT: no such file or directory, stat '/nope'`, and with `--profile-dir /proc/x` nothing, for ever.
 * What is right: one sentence with the path, what is wrong with it, and what to do, as kubectl has it; patterns as kubectl
 * reads them; and an end.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readFiles } from '../../src/answers/files/files.js';
import { ManifestRules } from '../../src/answers/files/manifestfaults.js';
import { checkFolders } from '../../src/standalone/preflight.js';
import { readText } from '../../src/runtime/tls/filereloader.js';
import { errorText } from '../../src/runtime/errors.js';
import { root } from '../support/repository/root.js';

const PROGRAM = path.join(root, 'dist', 'src', 'main.js');
/** A code of Node, or the name of a system call. */
const RAW = /\bE[A-Z]{3,}\b|\b(?:stat|scandir|open|mkdir)\b '/;
const LONG = 'a'.repeat(300);

let folder: string;
const at = (name: string): string => path.join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'field-paths-'));
  for (const name of ['none', 'some', 'some/below', 'some/b.yaml']) mkdirSync(at(name));
  for (const name of ['a.yaml', 'some/a.yaml', 'some/a.txt', 'some/c.json', 'some/below/d.yml'])
    writeFileSync(
      at(name),
      `apiVersion: cluster.fleetmgmt.io/v1alpha1\nkind: ManagedCluster\nmetadata: {name: ${path.basename(name)[0]}}\n`,
    );
  symlinkSync('loop', at('loop'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('manifests', () => {
  it.each([
    ['nope', 'the path "FOLDER/nope" does not exist'],
    ['*.json', 'the path "FOLDER/*.json" does not exist'],
    ['[', 'the path "FOLDER/[" does not exist'],
    ['[b-a].yaml', 'the path "FOLDER/[b-a].yaml" does not exist'],
    ['none', '"FOLDER/none" has no file that ends with .json, .yaml or .yml'],
    ['a.yaml/b', '"FOLDER/a.yaml/b" cannot be read: a part of its path is not a folder'],
    ['loop', '"FOLDER/loop" cannot be read: its symbolic links form a loop'],
    [LONG, `"FOLDER/${LONG}" cannot be read: its name is too long`],
  ])('-f %s is refused with the path and what is wrong', async (name, message) => {
    const error = await readFiles([at(name)]).catch(errorText);

    expect(error).toBe(message.replace('FOLDER', folder));
    expect(error).not.toMatch(RAW);
  });

  it('a fault of the program is not told as one of the file', async () => {
    const fault = new TypeError('rules are not there');
    const judge = jest.spyOn(ManifestRules.prototype, 'ofObject').mockImplementation(() => {
      throw fault;
    });
    const error: unknown = await readFiles([at('a.yaml')]).catch((thrown: unknown) => thrown);
    judge.mockRestore();

    expect(error).toBe(fault);
  });

  it('a URL is refused with the command that reads it', async () => {
    await expect(readFiles(['https://example.com/a.yaml'])).rejects.toThrow(
      '"https://example.com/a.yaml": URLs are not read: pipe it in (curl -fsSL URL | … -f -), or give a file',
    );
  });

  it.each([
    ['some', {}, 'a c'],
    ['some', { recursive: true }, 'a d c'],
    ['*.yaml', {}, 'a'],
    ['s[n-p]me/[ac].*n*', {}, 'c'],
    ['*/*/*.yml', {}, 'd'],
    ['[&a].yaml', {}, 'a'],
    ['[\\a].yaml', {}, 'a'],
    ['[^b\\-].yaml', {}, 'a'],
    ['none/../some', {}, 'a c'],
  ])('-f %s %j reads %s', async (name, options, names) => {
    const objects = await readFiles([at(name)], options);

    expect(objects.map(({ metadata }) => metadata.name).join(' ')).toBe(names);
  });
});

describe('files and folders of the flags', () => {
  it.each([
    [{ dataDir: 'a.yaml/d' }, '--data-dir=FOLDER/a.yaml/d cannot be used: a part of its path is not a folder'],
    [{ dataDir: 'loop/d' }, '--data-dir=FOLDER/loop/d cannot be used: its symbolic links form a loop'],
    [{ dataDir: '/proc/x' }, '--data-dir=/proc/x cannot be used: no folder can be made there'],
    [
      { dataDir: 'd', auditLog: 'nope/a' },
      '--audit-log=FOLDER/nope/a cannot be written: its folder does not exist: correct it, or take another place',
    ],
    [
      { dataDir: 'd', auditLog: 'some' },
      '--audit-log=FOLDER/some cannot be written: it is a folder: correct it, or take another place',
    ],
  ])('standalone with %j says what is wrong', async ({ dataDir, ...more }, message) => {
    const auditLog = 'auditLog' in more ? at(more.auditLog) : undefined;
    const error = await checkFolders({ dataDir: path.resolve(folder, dataDir), auditLog }).catch(errorText);

    expect(error).toContain(message.replace('FOLDER', folder));
    expect(error).not.toMatch(RAW);
  });

  it('a certificate of the gateway that is missing is named in words', () => {
    expect(() => readText(at('nope'))).toThrow(`${at('nope')}: cannot be read: no such file`);
  });

  it.each(['/proc/x', 'a.yaml/x'])('--profile-dir=%s ends the command, with what is wrong', (name) => {
    const args = [PROGRAM, 'status', '--offline', '-f', at('a.yaml'), '--profile-dir', path.resolve(folder, name)];

    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 });

    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^multicluster-engine status: --profile-dir=\S+ cannot be used: [a-z ]+\n$/);
  });
});
