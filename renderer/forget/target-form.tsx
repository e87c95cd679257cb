import { Search } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { ChoiceCards } from '../kit/choice.tsx';
import { Field, Options, Select, SwitchRow } from '../kit/field.tsx';
import { useSessionTitles } from '../parts/conversation/use-session-titles.ts';
import { sessionName, sourceName } from '../parts/turn/source-name.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './forget-screen.module.css';
import { FORGET_WAYS, type ForgetForm, type Wanted, wantedBy } from './forget-target.ts';

const words = text.forget;

/** The latest turns, of which the names of sessions, speakers and sources are offered. */
const TURNS_LOOKED_AT = 500;
const LIMITS = [1, 5, 10, 25, 50, 100];

interface FormProps {
  readonly scope: string;
  readonly form: ForgetForm;
  readonly isDisabled: boolean;
  readonly onChange: (part: Partial<ForgetForm>) => void;
  readonly onShow: (wanted: Wanted) => void;
}

/** What should be forgotten. */
export function TargetForm({ scope, form, isDisabled, onChange, onShow }: FormProps) {
  const wanted = wantedBy(form);
  const show = (event: FormEvent) => {
    event.preventDefault();
    if (wanted !== null) onShow(wanted);
  };
  return (
    <form className={styles.form} onSubmit={show}>
      <ChoiceCards
        label={words.by}
        value={form.way}
        isDisabled={isDisabled}
        options={FORGET_WAYS.map((way) => ({
          value: way,
          label: words.kinds[way].name,
          note: words.kinds[way].note,
        }))}
        onChange={(way) => onChange({ way })}
      />
      <fieldset className={styles.fields} disabled={isDisabled}>
        <legend className="visually-hidden">{words.kinds[form.way].name}</legend>
        <Fields scope={scope} form={form} onChange={onChange} />
      </fieldset>
      <div>
        <Button type="submit" kind="primary" icon={Search} disabled={wanted === null || isDisabled}>
          {words.show}
        </Button>
      </div>
    </form>
  );
}

type FieldsProps = Pick<FormProps, 'scope' | 'form' | 'onChange'>;

function Fields({ scope, form, onChange }: FieldsProps) {
  switch (form.way) {
    case 'words':
      return (
        <div className={styles.pair}>
          <Field
            label={words.query}
            hint={words.queryHint}
            value={form.query}
            maxLength={10_000}
            onChange={({ target }) => onChange({ query: target.value })}
          />
          <Select
            label={words.limit}
            value={String(form.limit)}
            options={LIMITS.map((limit) => ({ value: String(limit), label: words.limitOf(limit) }))}
            onChange={({ target }) => onChange({ limit: Number(target.value) })}
          />
        </div>
      );
    case 'session':
      return <SessionField scope={scope} form={form} onChange={onChange} />;
    case 'entity':
      return <EntityFields scope={scope} form={form} onChange={onChange} />;
    case 'period':
      return (
        <div className={styles.days}>
          <Field
            label={words.from}
            hint={words.periodHint}
            type="date"
            value={form.from}
            onChange={({ target }) => onChange({ from: target.value })}
          />
          <Field
            label={words.to}
            type="date"
            value={form.to}
            onChange={({ target }) => onChange({ to: target.value })}
          />
        </div>
      );
    case 'speaker':
      return <NameField scope={scope} way="speaker" form={form} onChange={onChange} />;
    case 'source':
      return <NameField scope={scope} way="source" form={form} onChange={onChange} />;
    case 'ids':
      return <IdsField form={form} onChange={onChange} />;
    case 'all':
      return null;
  }
}

const OTHER = '\u0000other';

function SessionField({ scope, form, onChange }: FieldsProps) {
  const [isOther, setOther] = useState(false);
  const titles = useSessionTitles(scope);
  const turns = useReply('turns', { scope, limit: TURNS_LOOKED_AT }).data?.items ?? [];
  const sessions = [...new Set([...turns.map(({ session }) => session), ...titles.keys()])];
  return (
    <div className={styles.pair}>
      <Select
        label={words.session}
        value={isOther ? OTHER : form.session}
        options={[
          { value: '', label: words.none },
          ...sessions.map((session) => ({
            value: session,
            label: titles.get(session) ?? sessionName(session),
          })),
          { value: OTHER, label: words.otherSession },
        ]}
        onChange={({ target }) => {
          setOther(target.value === OTHER);
          onChange({ session: target.value === OTHER ? '' : target.value });
        }}
      />
      {isOther && (
        <Field
          label={words.sessionName}
          value={form.session}
          maxLength={500}
          onChange={({ target }) => onChange({ session: target.value })}
        />
      )}
    </div>
  );
}

function EntityFields({ scope, form, onChange }: FieldsProps) {
  const list = useId();
  const people = useReply('portrait', { scope, limit: 1 }, { isFresh: true }).data?.people ?? [];
  return (
    <>
      <Field
        label={words.entity}
        value={form.entity}
        maxLength={1_000}
        list={list}
        onChange={({ target }) => onChange({ entity: target.value })}
      />
      <datalist id={list}>
        <Options of={[...new Set(people.map(({ name }) => name))].map((value) => ({ value }))} />
      </datalist>
      <SwitchRow
        label={words.withTurns}
        hint={words.withTurnsHint}
        isOn={form.withTurns}
        onChange={(withTurns) => onChange({ withTurns })}
      />
    </>
  );
}

function NameField({ scope, way, form, onChange }: FieldsProps & { readonly way: 'speaker' | 'source' }) {
  const turns = useReply('turns', { scope, limit: TURNS_LOOKED_AT }).data?.items ?? [];
  const names = [...new Set(turns.map((turn) => turn[way]))].sort();
  return (
    <Select
      label={words[way]}
      value={form[way]}
      options={[
        { value: '', label: words.none },
        ...names.map((name) => ({
          value: name,
          label: way === 'speaker' ? speakerName(name) : sourceName(name),
        })),
      ]}
      onChange={({ target }) => onChange({ [way]: target.value })}
    />
  );
}

function IdsField({ form, onChange }: Pick<FormProps, 'form' | 'onChange'>) {
  const id = useId();
  return (
    <div className="stack gap-6px">
      <label className="text-14 medium" htmlFor={id}>
        {words.ids}
      </label>
      <textarea
        id={id}
        className={styles.ids}
        rows={3}
        spellCheck={false}
        aria-describedby={`${id}-hint`}
        value={form.ids}
        onChange={({ target }) => onChange({ ids: target.value })}
      />
      <span id={`${id}-hint`} className="note">
        {words.idsHint}
      </span>
    </div>
  );
}
