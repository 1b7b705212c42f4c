import { readFile } from 'node:fs/promises';
import { KubeconfigError } from './kubeconfigerror.js';
import { fileFault } from '../errors.js';

/** The token in a file. @throws KubeconfigError with the file, when it cannot be read or is empty. */
export async function tokenIn(file: string): Promise<string> {
  let text;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new KubeconfigError(`token file ${file} cannot be read: ${fileFault(error)}`);
  }
  const token = text.trim();
  if (token === '') throw new KubeconfigError(`token file ${file} is empty`);
  return token;
}
