import { invalidValue } from '@multicluster-engine/values/schema/field';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';

/** A path within a volume must be relative and have no `..`. */
export function relativePath(text: string, path: string): readonly FieldError[] {
  const absolute = text.startsWith('/') ? [invalidValue(path, text, 'must be a relative path')] : [];
  return [...absolute, ...noBacksteps(text, path)];
}

export function noBacksteps(text: string, path: string): readonly FieldError[] {
  return text.split('/').includes('..') ? [invalidValue(path, text, "must not contain '..'")] : [];
}

/** The path of a file in a projected volume. Names that begin with `..` are reserved for the kubelet. */
export function localPath(text: string, path: string): readonly FieldError[] {
  const reserved =
    text.startsWith('..') && !text.startsWith('../') ? [invalidValue(path, text, "must not start with '..'")] : [];
  return [...relativePath(text, path), ...reserved];
}
