import { errorCode } from '../transport/credentials.js';

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'this process has too many open files',
  ENFILE: 'this machine has too many open files',
  EIO: 'the disk reports an error',
};

/** Why a file could not be read, in words; the code where there are none. */
export function fileFault(error: unknown): string {
  const code = errorCode(error);
  return FAULTS[code] ?? code;
}
