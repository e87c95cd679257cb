import { X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Notice } from '../kit/feedback.tsx';
import { Block, Group, inputClass, Row, Saved } from '../kit/group.tsx';
import { useReply, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { NumberRow, SelectRow, ToggleRow } from './rows.tsx';
import { SectionHead } from './section-head.tsx';
import { retentionIn, retentionValue } from './setting-text.ts';
import styles from './settings.module.css';
import { type SettingValue, usePreference, useSetting } from './use-settings.ts';

/** What memory may keep, for how long, and how it is searched. */
export function MemorySection() {
  const words = text.settings.memory;
  const confirm = usePreference('confirm');
  const redact = useSetting<boolean>('redactSecrets');
  const recipe = useSetting<string>('recipe');
  return (
    <>
      <SectionHead title={text.settings.sections.memory} lead={words.lead} restarts />
      <Group title={words.keep}>
        <ToggleRow
          label={words.confirm}
          hint={words.confirmHint}
          saved={{ ...confirm, save: (value) => confirm.save(value === true) }}
        />
        <ToggleRow label={words.redact} hint={words.redactHint} saved={redact} />
      </Group>
      <NeverRemember />
      <Retention />
      <Group title={words.recall}>
        <SelectRow
          label={words.recipe}
          hint={words.recipeHint}
          saved={recipe}
          options={Object.entries(words.recipes).map(([value, label]) => ({ value, label }))}
        />
        <NumberRow name="k" label={words.turns} hint={words.turnsHint} />
      </Group>
    </>
  );
}

/** Phrases whose turns are not stored. */
function NeverRemember() {
  const words = text.settings.memory;
  const saved = useSetting<unknown[]>('neverRemember');
  const [typed, setTyped] = useState('');
  const phrases = (saved.value ?? []).filter((phrase) => typeof phrase === 'string');
  const keep = (next: readonly string[]) => saved.save(next.length === 0 ? null : [...next]);
  const add = (event: FormEvent) => {
    event.preventDefault();
    const phrase = typed.trim();
    if (phrase !== '' && !phrases.includes(phrase)) keep([...phrases, phrase]);
    setTyped('');
  };
  return (
    <Group title={words.never} lead={words.neverLead}>
      <Block>
        {phrases.length === 0 && <p className="note may-break">{words.neverEmpty}</p>}
        <ul className={styles.chips}>
          {phrases.map((phrase) => (
            <li key={phrase}>
              <span>{phrase}</span>
              {saved.lock === undefined && (
                <button
                  type="button"
                  aria-label={words.neverRemove(phrase)}
                  onClick={() => keep(phrases.filter((each) => each !== phrase))}
                >
                  <X size={13} aria-hidden />
                </button>
              )}
            </li>
          ))}
        </ul>
        {saved.lock === undefined ? (
          <form className={styles.addPhrase} onSubmit={add}>
            <input
              className={inputClass}
              aria-label={words.neverField}
              placeholder={words.neverField}
              value={typed}
              maxLength={500}
              autoComplete="off"
              onChange={({ target }) => setTyped(target.value)}
            />
            <Button type="submit" disabled={typed.trim() === ''}>
              {words.neverAdd}
            </Button>
            <Saved isShown={saved.isSaved} />
          </form>
        ) : (
          <p className="note may-break">{saved.lock}</p>
        )}
        {saved.problem !== undefined && (
          <p className={styles.problem} role="alert">
            {saved.problem}
          </p>
        )}
      </Block>
    </Group>
  );
}

const FOREVER = '';

/** How long turns are kept. */
function Retention() {
  const words = text.settings.memory;
  const saved = useSetting<Record<string, SettingValue>>('retention');
  const rule = retentionIn(saved.value);
  const save = (next: Partial<typeof rule>) => saved.save(retentionValue({ ...rule, ...next }) as never);
  return (
    <Group>
      <SelectRow
        label={words.retention}
        hint={words.retentionHint}
        saved={{
          ...saved,
          value: saved.value === undefined ? undefined : (rule.olderThan ?? FOREVER),
          save: (value) => save({ olderThan: value === FOREVER ? null : value! }),
        }}
        options={[
          { value: FOREVER, label: words.forever },
          ...[10, 5, 2].map((count) => ({ value: `${count}y`, label: words.years(count) })),
          { value: '365d', label: words.years(1) },
          ...[180, 90, 30].map((count) => ({ value: `${count}d`, label: words.days(count) })),
        ]}
      />
      {rule.olderThan !== null && (
        <>
          <ToggleRow
            label={words.keepFacts}
            hint={words.keepFactsHint}
            saved={{
              ...saved,
              value: rule.keepFacts,
              save: (keepFacts) => save({ keepFacts: keepFacts === true }),
            }}
          />
          <ApplyRetention />
        </>
      )}
    </Group>
  );
}

/** Removes turns that are too old, after it has said how many. */
function ApplyRetention() {
  const words = text.settings.memory;
  const scope = String(useReply('settings', {}).data?.settings.scope?.value ?? 'default');
  const look = useSend('maintain');
  const apply = useSend('maintain', ['stats', 'portrait', 'settings']);
  const found = look.data?.retention?.turns ?? 0;
  const removed = apply.data?.retention?.turns;
  const problem = look.error?.message ?? apply.error?.message;
  return (
    <Row
      label={words.apply}
      hint={
        removed !== undefined
          ? words.applied(removed)
          : look.data && found === 0
            ? words.applyCount(0)
            : words.applyHint
      }
      problem={problem}
    >
      {(props) => (
        <>
          <Button
            {...props}
            kind="danger"
            disabled={look.isPending || apply.isPending}
            onClick={() => {
              apply.reset();
              look.mutate({ scope, dryRun: true });
            }}
          >
            {words.apply}
          </Button>
          {look.data && found > 0 && removed === undefined && (
            <Dialog
              isOpen
              onClose={() => look.reset()}
              title={words.applyTitle(found)}
              description={words.applyText}
              actions={
                <>
                  <Button onClick={() => look.reset()}>{text.app.cancel}</Button>
                  <Button
                    kind="danger"
                    disabled={apply.isPending}
                    onClick={() => apply.mutate({ scope }, { onSettled: () => look.reset() })}
                  >
                    {words.applyConfirm}
                  </Button>
                </>
              }
            >
              {apply.error && <Notice kind="problem">{apply.error.message}</Notice>}
            </Dialog>
          )}
        </>
      )}
    </Row>
  );
}
