/** Whether a process has this id, and may be signalled by this one; a zombie counts until its parent has read its end. */
export function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
