import { type ComponentProps, useState } from 'react';
import type { ImportPreviewReply } from '../../main/contract.ts';
import { ChoiceCards } from '../kit/choice.tsx';
import { Field, Select, SwitchRow } from '../kit/field.tsx';
import { useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { type Choices, humansIn, relevantFor } from './import-choices.ts';
import styles from './imports.module.css';
import type { ImportSettings } from './upload-store.ts';

interface ChoiceFieldsProps {
  readonly preview: ImportPreviewReply;
  readonly choices: Choices;
  readonly scope: string;
  readonly ownScope: string;
  /** With which the preview was made. */
  readonly settings: ImportSettings;
  readonly onChange: (changes: Partial<Choices>) => void;
}

const ORDERS = ['auto', 'day-first', 'month-first', 'year-first'] as const;

/** Where a file goes and how it is read: only what its format leaves open. */
export function ChoiceFields({ preview, choices, scope, ownScope, settings, onChange }: ChoiceFieldsProps) {
  const folders = useReply('folders', {}).data?.items ?? [];
  const words = text.imports.choices;
  const relevant = relevantFor(preview, settings.me);
  const select = (
    name: 'scope' | 'timeZone' | 'dateOrder' | 'branches',
    value: string,
    options: ComponentProps<typeof Select>['options'],
  ) => (
    <Select
      label={words[name]}
      hint={words[`${name}Hint`]}
      value={value}
      options={options}
      onChange={({ target }) => onChange({ [name]: target.value })}
    />
  );
  return (
    <>
      {relevant.me === 'speaker' && (
        <WhichSpeaker
          preview={preview}
          value={choices.me ?? settings.speaker}
          isGuess={choices.me === undefined}
          onChange={(me) => onChange({ me })}
        />
      )}
      <fieldset className={styles.choices}>
        <legend className="visually-hidden">{words.title}</legend>
        {folders.length > 0 &&
          select('scope', scope, [
            { value: ownScope, label: words.ownMemory },
            ...folders
              .filter((folder) => folder.scope !== ownScope)
              .map((folder) => ({ value: folder.scope, label: words.project(folder.name) })),
          ])}
        {relevant.me === 'name' && (
          <LateField
            label={words.name}
            hint={words.nameHint}
            value={settings.me ?? ''}
            onDone={(me) => onChange({ me })}
          />
        )}
        {relevant.timeZone &&
          select(
            'timeZone',
            settings.timeZone ?? 'UTC',
            zones(settings.timeZone).map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
          )}
        {relevant.dateOrder &&
          select(
            'dateOrder',
            choices.dateOrder ?? 'auto',
            ORDERS.map((order) => ({ value: order, label: words.dateOrders[order] })),
          )}
        {relevant.branches &&
          select('branches', choices.branches ?? 'active', [
            { value: 'active', label: words.activeBranch },
            { value: 'all', label: words.allBranches },
          ])}
        {relevant.temporary && (
          <SwitchRow
            label={words.temporary}
            hint={words.temporaryHint}
            isOn={choices.includeTemporary ?? false}
            onChange={(includeTemporary) => onChange({ includeTemporary })}
          />
        )}
      </fieldset>
    </>
  );
}

/** More are a list to choose from. */
const MOST_CARDS = 8;
const NOBODY = '';

interface WhichSpeakerProps {
  readonly preview: ImportPreviewReply;
  /** A name, or empty for nobody; undefined where nothing can be guessed. */
  readonly value: string | undefined;
  readonly isGuess: boolean;
  readonly onChange: (name: string) => void;
}

/** Asks which speaker is the user, whose "I" is the user's then. */
function WhichSpeaker({ preview, value, isGuess, onChange }: WhichSpeakerProps) {
  const words = text.imports.choices;
  const humans = humansIn(preview);
  if (humans.length === 0) return null;
  const hint = value === undefined ? words.meAsk : isGuess ? words.meGuess : words.meHint;
  if (humans.length > MOST_CARDS)
    return (
      <Select
        label={words.me}
        hint={hint}
        value={value ?? UNSAID}
        onChange={({ target }) => onChange(target.value)}
        options={[
          ...(value === undefined ? [{ value: UNSAID, label: words.meUnsaid }] : []),
          ...humans.map(({ name }) => ({ value: name, label: name })),
          { value: NOBODY, label: words.nobody },
        ]}
      />
    );
  return (
    <div className="stack gap-2">
      <h3 className="text-14 medium">{words.me}</h3>
      <ChoiceCards
        label={words.me}
        value={value}
        onChange={onChange}
        options={[
          ...humans.map(({ name, turns }) => ({
            value: name,
            label: name,
            note: text.imports.preview.speakerTurns(turns),
          })),
          { value: NOBODY, label: words.nobody, note: words.nobodyNote },
        ]}
      />
      <p className="note" role="status">
        {hint}
      </p>
    </div>
  );
}

/** No name of a speaker. */
const UNSAID = '\0';

interface LateFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onDone: (value: string) => void;
}

/** A line of text that takes effect when it is left or with Enter: each change reads the file again. */
function LateField({ value, onDone, ...rest }: LateFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const finish = () => {
    if (typed !== null && typed.trim() !== value) onDone(typed.trim());
    setTyped(null);
  };
  return (
    <Field
      {...rest}
      value={typed ?? value}
      maxLength={200}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={finish}
      onKeyDown={({ key }) => key === 'Enter' && finish()}
    />
  );
}

function zones(own: string | undefined): string[] {
  const all = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  return own === undefined || all.includes(own) ? all : [own, ...all];
}
