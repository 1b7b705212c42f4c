import { printNote } from '../terminal/print.js';

/** Says this when the process is interrupted (Ctrl-C), and lets it end as without. Returns what ends that. */
export function sayAtInterrupt(text: string): () => void {
  const say = (): void => {
    try {
      // The terminal shows `^C` in a line that is not ended.
      printNote(`\n${text}`);
    } finally {
      process.kill(process.pid, 'SIGINT');
    }
  };
  process.once('SIGINT', say);
  return () => void process.off('SIGINT', say);
}
