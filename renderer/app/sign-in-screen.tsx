import { type FormEvent, useState } from 'react';
import type { Remote } from '../client/open-client.ts';
import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/feedback.tsx';
import { Field, SwitchRow } from '../kit/field.tsx';
import { messageOf, text } from '../strings/text.ts';
import styles from './app.module.css';

const words = text.device;

/** Takes the token by which this device may use a memory. */
export function SignInScreen({ remote }: { readonly remote: Remote }) {
  const [token, setToken] = useState(remote.offered);
  const [isKept, setKept] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const given = token.trim();
  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    if (given === '' || isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await remote.signIn(given, isKept);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className={styles.alone}>
      <form className={`stack gap-4 ${styles.signIn}`} onSubmit={(event) => void signIn(event)}>
        <img src="./icon.svg" alt="" width={40} height={40} />
        <h1>{words.title}</h1>
        <p className="soft">{words.lead(remote.host)}</p>
        <Field
          label={words.token}
          hint={words.tokenHint}
          type="password"
          autoComplete="current-password"
          autoCapitalize="none"
          maxLength={8_192}
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
        <SwitchRow label={words.keep} hint={words.keepHint} isOn={isKept} onChange={setKept} />
        {problem !== null && <Notice kind="problem">{problem}</Notice>}
        <Button kind="primary" type="submit" disabled={given === '' || isBusy}>
          {words.signIn}
        </Button>
      </form>
    </main>
  );
}
