import { ArrowRight, Cpu, FileUp, KeyRound, type LucideIcon, Server } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../kit/button.tsx';
import { useClient, useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { SampleMemory } from './sample-memory.tsx';
import styles from './welcome.module.css';

/** The first steps: works at once, everything else is offered. */
export function WelcomeScreen() {
  const words = text.welcome;
  const finish = useFinish();
  const known = useReply('settings', {}).data?.preferences.name ?? '';
  const [typed, setTyped] = useState<string | null>(null);
  const name = typed ?? known;
  const leave = (place: string) => finish(name, place);
  return (
    <div className={styles.screen}>
      <div className={styles.column}>
        <header className={styles.head}>
          <img src="./icon.svg" alt="" width={56} height={56} />
          <h1>{words.title}</h1>
          <p className={styles.lead}>{words.lead}</p>
        </header>
        <form
          className={styles.name}
          onSubmit={(event) => {
            event.preventDefault();
            leave('/');
          }}
        >
          <label className="text-14 medium" htmlFor="welcome-name">
            {words.name}
          </label>
          <input
            className={styles.nameField}
            id="welcome-name"
            value={name}
            maxLength={100}
            placeholder={words.namePlaceholder}
            aria-describedby="welcome-name-hint"
            autoComplete="name"
            onChange={({ target }) => setTyped(target.value)}
          />
          <span id="welcome-name-hint" className="note">
            {words.nameHint}
          </span>
        </form>
        <SampleMemory onLeave={leave} />
        <section className={styles.more} aria-labelledby="welcome-more">
          <h2 id="welcome-more" className="text-label">
            {words.more}
          </h2>
          <p className="note">{words.moreNote}</p>
          <div className={styles.offers}>
            <Offer icon={FileUp} label={words.import.label} onClick={() => leave('/import')}>
              {words.import.note}
            </Offer>
            <Offer icon={Cpu} label={words.ollama.label} onClick={() => leave('/settings/model')}>
              <OllamaState />
            </Offer>
            <Offer icon={Server} label={words.compatible.label} onClick={() => leave('/settings/model')}>
              {words.compatible.note}
            </Offer>
            <Offer icon={KeyRound} label={words.key.label} onClick={() => leave('/settings/model')}>
              {words.key.note}
            </Offer>
          </div>
        </section>
      </div>
      <footer className={styles.foot}>
        <Button kind="primary" onClick={() => leave('/')}>
          {words.start}
          <ArrowRight size={16} aria-hidden />
        </Button>
      </footer>
    </div>
  );
}

/** Keeps the name, notes that the first steps are done, and goes on; a choice is never held up by a fault. */
function useFinish() {
  const client = useClient();
  const [, navigate] = useLocation();
  return (name: string, place: string) => {
    client.saveSettings({ preferences: { name: name.trim(), isWelcomed: true } }).catch(() => {
      // The first steps are shown once more at the next start.
    });
    navigate(place);
  };
}

interface OfferProps {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function Offer({ icon: Icon, label, onClick, children }: OfferProps) {
  return (
    <button type="button" className={styles.offer} onClick={onClick}>
      <Icon size={18} className="soft" aria-hidden />
      <span className="stack may-narrow">
        <strong className="text-14 medium">{label}</strong>
        <span className="note">{children}</span>
      </span>
    </button>
  );
}

/** Whether Ollama answers on this machine. */
function OllamaState() {
  const words = text.welcome.ollama;
  const { data, isPending } = useReply('endpointModels', { provider: 'ollama' });
  if (isPending) return words.looking;
  if (data === undefined) return words.missing;
  return data.models.length === 0 ? words.empty : words.found(data.models.length);
}
