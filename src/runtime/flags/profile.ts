import type { FlagRows, Flags } from './flags.js';

/** What every command has. */
export interface ProfileConfig {
  /** Folder for profiles of the process; undefined: none. */
  readonly profileDir?: string;
}

export const PROFILE_FLAGS: FlagRows = {
  'profile-dir': {
    value: 'DIR',
    help: 'folder for profiles of the first minute, and of the minute after each SIGUSR2',
    defaultText: 'no profiles',
  },
};

/** @throws FlagError for an empty folder. */
export function profileConfig(flags: Flags): ProfileConfig {
  const folder = flags.find('profile-dir')?.matching(/^[^\0]+$/s, 'a folder');
  return folder === undefined ? {} : { profileDir: folder };
}
