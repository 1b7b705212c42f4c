import { standardError } from '../../runtime/log/standardoutput.js';

/** Says this when the process is interrupted (Ctrl-C), and lets it end as without. Returns what ends that. */
export function sayAtInterrupt(text: string): () => void {
  const say = (): void => {
    // The terminal shows `^C` in a line that is not ended.
    standardError().write(`\n${text}`);
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', say);
  return () => void process.off('SIGINT', say);
}
