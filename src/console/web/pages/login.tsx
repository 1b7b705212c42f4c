import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { logIn } from '../session.js';
import { lastNamespace, reading, sessionFault, takesToken } from '../store.js';
import { Command } from '../parts/command.js';
import { sentence } from '../parts/states.js';

/** Above the page while there is no session: what is behind it stays, and so does a draft. */
export function Login(): JSX.Element {
  return (
    <div
      class={`login ${reading.value === undefined ? 'whole' : ''}`}
      role="dialog"
      aria-modal="true"
      aria-labelledby="login-title"
    >
      {takesToken.value ? <TokenLogin /> : <LinkLogin />}
    </div>
  );
}

/** On a hub. The token is kept for this tab alone, and sent with each request. */
function TokenLogin(): JSX.Element {
  const [token, setToken] = useState('');
  const [namespace, setNamespace] = useState(lastNamespace.value);
  const [fault, setFault] = useState('');
  const [isSending, setSending] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isSending) return;
    setSending(true);
    const why = await logIn({ token, namespace });
    setSending(false);
    if (why === undefined) return;
    setToken('');
    setFault(why);
  };
  return (
    <form class="card" onSubmit={(event) => void submit(event)}>
      <h1 id="login-title">Log in</h1>
      {fault === '' && <p>{sentence(sessionFault.value)}</p>}
      <label>
        Token
        <input
          type="password"
          autoComplete="off"
          autofocus
          required
          aria-invalid={fault !== ''}
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </label>
      <p class="fault" role="alert">
        {sentence(fault)}
      </p>
      <label>
        Namespace, where you may not read all of them
        <input value={namespace} onInput={({ currentTarget }) => setNamespace(currentTarget.value)} />
      </label>
      <button type="submit" class="button primary" disabled={isSending}>
        Log in
      </button>
      <p>A token of a ServiceAccount, for an hour:</p>
      <Command words={['kubectl', 'create', 'token', 'NAME', '-n', 'NAMESPACE']} />
      <p class="muted">The console shows what this token may read, and writes with it alone.</p>
    </form>
  );
}

function LinkLogin(): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div class="card">
      <h1 id="login-title" tabIndex={-1} ref={heading}>
        This page needs a link
      </h1>
      <p>{sentence(sessionFault.value)}</p>
      <p>
        Each link opens the console once. This command prints another one, and one more for each Enter in its terminal:
      </p>
      <Command words={['kubectl', 'mce', 'console']} />
      <p class="muted">A draft of What if stays in this tab, for a link with the same address.</p>
    </div>
  );
}
