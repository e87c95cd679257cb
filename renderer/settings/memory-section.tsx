import { X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button, IconButton } from '../kit/button.tsx';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { Notice } from '../kit/feedback.tsx';
import { FormRow } from '../kit/form.tsx';
import { Block, Group, inputClass, Row, Saved } from '../kit/group.tsx';
import { useReply, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { PreferenceRow, SettingRows } from './rows.tsx';
import { SectionHead } from './section-head.tsx';
import styles from './settings.module.css';
import { useSetting } from './use-settings.ts';

const words = text.settings.memory;

/** What memory may keep, for how long, and how it is searched. */
export function MemorySection() {
  return (
    <>
      <SectionHead title={text.settings.sections.memory} lead={words.lead} restarts />
      <Group title={words.keep}>
        <PreferenceRow name="confirm" />
        <SettingRows names={['redactSecrets']} />
      </Group>
      <NeverRemember />
      <Retention />
      <Group title={words.recall}>
        <SettingRows names={['recipe', 'k']} />
      </Group>
    </>
  );
}

/** Phrases whose turns are not stored. */
function NeverRemember() {
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
        <ul className="flow gap-6px">
          {phrases.map((phrase) => (
            <li key={phrase} className="tag">
              <span className="ellipsis">{phrase}</span>
              {saved.lock === undefined && (
                <IconButton
                  icon={X}
                  iconSize={13}
                  className="small-icon"
                  label={words.neverRemove(phrase)}
                  onClick={() => keep(phrases.filter((each) => each !== phrase))}
                />
              )}
            </li>
          ))}
        </ul>
        {saved.lock === undefined ? (
          <form className={`line wrap gap-2 ${styles.addPhrase}`} onSubmit={add}>
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
          <p className="danger text-13 may-break" role="alert">
            {saved.problem}
          </p>
        )}
      </Block>
    </Group>
  );
}

const FOREVER = '';
const AGES = {
  [FOREVER]: words.forever,
  ...Object.fromEntries([10, 5, 2].map((count) => [`${count}y`, words.years(count)])),
  '365d': words.years(1),
  ...Object.fromEntries([180, 90, 30].map((count) => [`${count}d`, words.days(count)])),
};

type Rule = { readonly olderThan: string; readonly keepFacts?: boolean };

/** How long turns are kept. */
function Retention() {
  const saved = useSetting<{ turns: Rule }>('retention');
  const rule = saved.value?.turns;
  const save = (changes: Partial<Rule>) =>
    saved.save({ turns: { olderThan: FOREVER, keepFacts: false, ...rule, ...changes } });
  const age = {
    ...saved,
    value: saved.value === undefined ? undefined : (rule?.olderThan ?? FOREVER),
    save: (olderThan: string | null) =>
      olderThan === null || olderThan === FOREVER ? saved.save(null) : save({ olderThan }),
  };
  const keepFacts = {
    ...saved,
    value: rule?.keepFacts ?? false,
    save: (value: boolean | null) => save({ keepFacts: value === true }),
  };
  return (
    <Group>
      <FormRow
        label={words.retention}
        hint={words.retentionHint}
        field={{ type: 'string' }}
        options={AGES}
        saved={age}
      />
      {rule !== undefined && (
        <>
          <FormRow
            label={words.keepFacts}
            hint={words.keepFactsHint}
            field={{ type: 'boolean' }}
            saved={keepFacts}
          />
          <ApplyRetention />
        </>
      )}
    </Group>
  );
}

/** Removes turns that are too old, after it has said how many. */
function ApplyRetention() {
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
            <ConfirmDialog
              onClose={() => look.reset()}
              title={words.applyTitle(found)}
              description={words.applyText}
              confirm={words.applyConfirm}
              isDanger
              isDisabled={apply.isPending}
              onConfirm={() => apply.mutate({ scope }, { onSettled: () => look.reset() })}
            >
              {apply.error && <Notice kind="problem">{apply.error.message}</Notice>}
            </ConfirmDialog>
          )}
        </>
      )}
    </Row>
  );
}
