import { ArrowRight, Box, Cpu, FileUp, KeyRound, type LucideIcon, Quote } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { toast } from 'sonner';
import { navigate } from 'wouter/use-hash-location';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Notice } from '../kit/feedback.tsx';
import { LocalModels } from '../parts/model/local-models.tsx';
import { useClient, useReply, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { SampleMemory } from './sample-memory.tsx';
import styles from './welcome.module.css';

const STEPS = [NameStep, MemoryStep, ModelStep] as const;

/** The first three steps. Each can be passed over, and all of them at once. */
export function WelcomeScreen() {
  const words = text.welcome;
  const finish = useFinish();
  const [at, setAt] = useState(0);
  const known = useReply('settings', {}).data?.preferences.name ?? '';
  const [typed, setTyped] = useState<string | null>(null);
  const [isBringing, setBringing] = useState(false);
  const name = typed ?? known;
  const leave = (place = isBringing ? '/import' : '/') => {
    finish(name, place);
    if (isBringing && place !== '/import') toast(words.importLater, { action: importAction() });
  };
  const heading = useRef<HTMLHeadingElement>(null);
  const go = (step: number) => {
    setAt(step);
    requestAnimationFrame(() => heading.current?.focus());
  };
  const next = () => go(at + 1);
  const Step = STEPS[at] ?? NameStep;
  const isLast = at === STEPS.length - 1;
  return (
    <div className={styles.screen}>
      <div className={styles.column}>
        <header className={styles.head}>
          <img src="./icon.svg" alt="" width={56} height={56} />
          <p className="note">{words.step(at + 1, STEPS.length)}</p>
          <h1 ref={heading} tabIndex={-1}>
            {words.steps[at]?.title}
          </h1>
          <p className={styles.lead}>{words.steps[at]?.lead}</p>
        </header>
        <Step
          {...{ name, next, leave }}
          onName={setTyped}
          onBring={() => {
            setBringing(true);
            next();
          }}
        />
      </div>
      <footer className={styles.foot}>
        {at > 0 && (
          <Button kind="quiet" onClick={() => go(at - 1)}>
            {words.back}
          </Button>
        )}
        <Button kind={isLast ? 'primary' : 'quiet'} onClick={() => leave(isLast ? undefined : '/')}>
          {isLast && isBringing ? words.startImport : words.start}
        </Button>
        {!isLast && (
          <Button kind="primary" onClick={next}>
            {at === 0 && name.trim() !== '' ? words.next : words.skip}
            <ArrowRight size={16} aria-hidden />
          </Button>
        )}
      </footer>
    </div>
  );
}

const importAction = () => ({
  label: text.welcome.import.label,
  onClick: () => navigate('/import'),
});

interface StepProps {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly onBring: () => void;
  readonly next: () => void;
  readonly leave: (place?: string) => void;
}

function NameStep({ name, onName, next }: StepProps) {
  const words = text.welcome;
  return (
    <form
      className={styles.name}
      onSubmit={(event) => {
        event.preventDefault();
        next();
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
        onChange={({ target }) => onName(target.value)}
      />
      <span id="welcome-name-hint" className="note">
        {words.nameHint}
      </span>
    </form>
  );
}

function MemoryStep({ onBring, leave }: StepProps) {
  const words = text.welcome;
  return (
    <>
      <button type="button" className={styles.try} onClick={onBring}>
        <FileUp size={22} aria-hidden />
        <span className="stack">
          <strong>{words.import.label}</strong>
          <span className="text-14">{words.import.note}</span>
        </span>
      </button>
      <SampleMemory onLeave={leave} />
    </>
  );
}

function ModelStep({ leave }: StepProps) {
  const words = text.welcome;
  const [isChoosing, setChoosing] = useState(false);
  const toSettings = () => leave('/settings/model');
  return (
    <div className={styles.offers}>
      <Offer icon={Quote} label={words.none.label} onClick={() => leave()}>
        {words.none.note}
      </Offer>
      <Offer icon={Cpu} label={words.local.label} onClick={() => setChoosing(true)}>
        {words.local.note}
      </Offer>
      <Offer icon={Box} label={words.ollama.label} onClick={toSettings}>
        <OllamaState />
      </Offer>
      <Offer icon={KeyRound} label={words.key.label} onClick={toSettings}>
        {words.key.note}
      </Offer>
      {isChoosing && <ChooseModel onClose={() => setChoosing(false)} />}
    </div>
  );
}

/** Fetches and chooses a model of this computer; the settings have the rest. */
function ChooseModel({ onClose }: { readonly onClose: () => void }) {
  const words = text.settings.local;
  const save = useSend('saveSettings', ['settings', 'localModels']);
  const use = (llmModel: string) =>
    save.mutate(
      { settings: { llmProvider: 'local', llmBaseUrl: null, llmModel } },
      {
        onSuccess: () => {
          toast(text.settings.restarting);
          onClose();
        },
      },
    );
  return (
    <Dialog isOpen isWide onClose={onClose} title={words.title} description={words.lead}>
      {save.error && <Notice kind="problem">{save.error.message}</Notice>}
      <LocalModels onUse={use} />
    </Dialog>
  );
}

/** Keeps the name, notes that the first steps are done, and goes on; a choice is never held up by a fault. */
function useFinish() {
  const client = useClient();
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
