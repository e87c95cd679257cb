import { type ComponentProps, type ReactNode, useState } from 'react';
import type { EntityPage, KnownName } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { ChoiceCards } from '../kit/choice.tsx';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { Field } from '../kit/field.tsx';
import type { Corrections } from '../parts/fact/use-corrections.ts';
import { useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './entity-dialogs.module.css';
import { NameBox } from './name-box.tsx';

interface DialogProps {
  readonly scope: string;
  readonly page: EntityPage;
  readonly actions: Corrections;
  /** @param shown The entity to show then; this one by default. */
  readonly onClose: (shown?: string) => void;
}

/** Name, other names and summary, as a person sets them. */
export function EditDialog({ page: shown, actions, onClose }: DialogProps) {
  const words = text.browse.editing;
  // As it was when the dialog opened: what memory learns meanwhile is no edit of the person.
  const [page] = useState(shown);
  const [name, setName] = useState(page.name);
  const [aliases, setAliases] = useState(page.aliases.join(', '));
  const [summary, setSummary] = useState(page.summary);
  const [isSaving, setSaving] = useState(false);
  const listed = aliases
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  // Memory keeps the fields that are left as they were up to date.
  const patch = {
    ...(name.trim() !== page.name && { name: name.trim() }),
    ...(listed.join('\n') !== page.aliases.join('\n') && { aliases: listed.slice(0, 20) }),
    ...(summary.trim() !== page.summary && { summary: summary.trim() }),
  };
  const canSave = name.trim() !== '' && Object.keys(patch).length > 0 && !isSaving;
  const save = async () => {
    if (!canSave) return;
    setSaving(true);
    const made = await actions.correct(
      { kind: 'edit-profile', entity: page.id, patch },
      text.browse.entity.done.edit,
    );
    setSaving(false);
    if (made !== null) onClose();
  };
  return (
    <FormDialog
      title={words.title}
      description={words.description}
      confirm={text.app.save}
      isDisabled={!canSave}
      onConfirm={save}
      onClose={() => onClose()}
    >
      <form
        className="stack gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field
          label={words.name}
          value={name}
          maxLength={300}
          onChange={({ target }) => setName(target.value)}
        />
        <Field
          label={words.aliases}
          hint={words.aliasesHint}
          value={aliases}
          maxLength={3_000}
          onChange={({ target }) => setAliases(target.value)}
        />
        <label className="stack gap-6px text-14 medium">
          <span>{words.summary}</span>
          <textarea
            className="text-box"
            rows={4}
            value={summary}
            maxLength={2_000}
            onChange={({ target }) => setSummary(target.value)}
          />
        </label>
      </form>
    </FormDialog>
  );
}

interface MergeProps extends DialogProps {
  /** The other one, where it is known already. */
  readonly other?: string;
}

/** Shows both sides, then makes them one. */
export function MergeDialog({ scope, page, actions, onClose, other: given }: MergeProps) {
  const words = text.browse.merging;
  const [other, setOther] = useState<string | null>(given ?? null);
  const [kept, setKept] = useState<string>(page.id);
  const { data, error } = useReply(
    'entityPage',
    { scope, entity: other ?? page.id },
    { isOff: other === null },
  );
  const both = other === null || data === undefined ? null : ([page, data] as const);
  const merge = async () => {
    if (both === null) return;
    const [keep, merged] = both[0].id === kept ? both : ([both[1], both[0]] as const);
    const made = await actions.correct(
      { kind: 'merge-entities', keep: keep.id, merged: merged.id },
      text.browse.entity.done.merge(keep.name),
    );
    if (made !== null) onClose(keep.id);
  };
  return (
    <FormDialog
      isWide
      title={words.title(page.name)}
      description={words.description}
      confirm={words.confirm}
      isDisabled={both === null}
      onConfirm={merge}
      onClose={() => onClose()}
    >
      {other === null && (
        <div className={styles.choose}>
          <NameBox
            scope={scope}
            label={words.other}
            kinds={['entity']}
            except={page.id}
            onChoose={({ id }: KnownName) => setOther(id)}
          />
        </div>
      )}
      {error && <Notice kind="problem">{error.message}</Notice>}
      {other !== null && both === null && !error && <Skeleton height={120} />}
      {both !== null && (
        <>
          <p>{words.choose}</p>
          <ChoiceCards
            label={words.choose}
            value={kept}
            options={both.map((side) => ({
              value: side.id as string,
              label: words.keep(side.name),
              note: <Side page={side} />,
            }))}
            onChange={setKept}
          />
          {given === undefined && (
            <Button kind="quiet" size="small" onClick={() => setOther(null)}>
              {words.another}
            </Button>
          )}
        </>
      )}
    </FormDialog>
  );
}

function Side({ page }: { readonly page: EntityPage }) {
  const words = text.browse;
  return (
    <span className="stack gap-1">
      {page.aliases.length > 0 && (
        <span>
          {words.entity.also}: {page.aliases.join(', ')}
        </span>
      )}
      <span>{page.summary === '' ? words.merging.noSummary : page.summary}</span>
      <span>
        {words.counts.facts(page.facts.holds + page.facts.ended)} · {words.counts.turns(page.turns)}
      </span>
    </span>
  );
}

/** The most facts, and turns, that are listed to choose from. */
const MOST = 200;

/** Gives a part of the facts and turns to a new entity. */
export function SplitDialog({ scope, page, actions, onClose }: DialogProps) {
  const words = text.browse.splitting;
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const facts = useReply('facts', { scope, entity: page.id, limit: MOST });
  const turns = useReply('turns', { scope, entity: page.id, limit: MOST });
  const [factItems, turnItems] = [facts.data?.items ?? [], turns.data?.items ?? []];
  const factIds = factItems.filter(({ id }) => chosen.has(id)).map(({ id }) => id as string);
  const turnIds = turnItems.filter(({ id }) => chosen.has(id)).map(({ id }) => id as string);
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const split = async () => {
    const made = await actions.correct(
      { kind: 'split-entity', entity: page.id, name: name.trim(), facts: factIds, episodes: turnIds },
      text.browse.entity.done.split(name.trim()),
    );
    if (made !== null) onClose(made.entity);
  };
  const problem = facts.error ?? turns.error;
  return (
    <FormDialog
      isWide
      title={words.title(page.name)}
      description={words.description}
      confirm={words.confirm}
      isDisabled={name.trim() === '' || chosen.size === 0}
      onConfirm={split}
      onClose={() => onClose()}
    >
      <Field
        label={words.name}
        value={name}
        maxLength={300}
        onChange={({ target }) => setName(target.value)}
      />
      {problem && <Notice kind="problem">{problem.message}</Notice>}
      <Choices title={words.facts} total={facts.data?.total ?? 0}>
        {factItems.map(({ id, statement }) => (
          <Choice key={id} isOn={chosen.has(id)} onToggle={() => toggle(id)}>
            {statement}
          </Choice>
        ))}
      </Choices>
      <Choices title={words.turns} total={turns.data?.total ?? 0}>
        {turnItems.map(({ id, content }) => (
          <Choice key={id} isOn={chosen.has(id)} onToggle={() => toggle(id)}>
            {content}
          </Choice>
        ))}
      </Choices>
      <p className="soft text-13" role="status">
        {words.chosen(factIds.length, turnIds.length)}
      </p>
    </FormDialog>
  );
}

function Choices({
  title,
  total,
  children,
}: {
  readonly title: string;
  readonly total: number;
  readonly children: ReactNode;
}) {
  if (total === 0) return null;
  return (
    <fieldset className={styles.choices}>
      <legend className="text-14 medium">{title}</legend>
      <div className="frame divided">{children}</div>
      {total > MOST && <p className="soft text-13">{text.browse.splitting.most(MOST)}</p>}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly isOn: boolean;
  readonly onToggle: () => void;
  readonly children: string;
}

function Choice({ isOn, onToggle, children }: ChoiceProps) {
  return (
    <label className={styles.choice}>
      <input type="checkbox" checked={isOn} onChange={onToggle} />
      <span className="clamp may-break">{children}</span>
    </label>
  );
}

interface FormProps extends Omit<ComponentProps<typeof ConfirmDialog>, 'onConfirm'> {
  readonly onConfirm: () => Promise<void>;
}

/** A dialog that asks before it changes the entity. */
function FormDialog({ isDisabled = false, onConfirm, ...rest }: FormProps) {
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    await onConfirm();
    setBusy(false);
  };
  return <ConfirmDialog isDisabled={isDisabled || isBusy} onConfirm={() => void run()} {...rest} />;
}
