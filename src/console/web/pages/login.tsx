import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { sessionFault } from '../store.js';
import { Command } from '../parts/command.js';

/** Above the page while there is no session: what is behind it stays, and so does a draft. */
export function Login(): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div class="login" role="dialog" aria-modal="true" aria-labelledby="login-title">
      <div class="card">
        <h1 id="login-title" tabIndex={-1} ref={heading}>
          This page needs a link
        </h1>
        <p>{capital(sessionFault.value)}.</p>
        <p>
          Each link opens the console once. For another one, press Enter in the terminal of the command, or start it
          again:
        </p>
        <Command words={['kubectl', 'mce', 'console']} />
        <p class="muted">Open the link in this tab: a draft of What if stays.</p>
      </div>
    </div>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
