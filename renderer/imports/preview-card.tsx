import { useEffect, useEffectEvent, useState } from 'react';
import type { ImportPreviewReply } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { Select } from '../kit/field.tsx';
import { useReply, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { ChoiceFields } from './choice-fields.tsx';
import { asksForSpeaker, type Choices, humansIn, settingsOf } from './import-choices.ts';
import styles from './imports.module.css';
import { PreviewFacts } from './preview-facts.tsx';
import { ReadingChoice } from './reading-choice.tsx';
import { useUploads } from './upload-store.ts';

interface PreviewCardProps {
  readonly file: string;
  readonly upload: string;
  /** Begins the import once the preview is there. */
  readonly isWanted: boolean;
}

/** What an import of a file would add and cost, and how to do it. */
export function PreviewCard({ file, upload, isWanted }: PreviewCardProps) {
  const [choices, setChoices] = useState<Choices>({});
  // Kept apart from the reply, so that a reply that fails does not change the request.
  const [known, setKnown] = useState<ImportPreviewReply>();
  const noteSpeakers = useUploads((state) => state.noteSpeakers);
  const settings = useReply('settings', {}).data;
  const ownScope = String(settings?.settings.scope?.value ?? 'default');
  const scope = choices.scope ?? ownScope;
  const reading = settingsOf(choices, {
    preview: known,
    name: settings?.preferences.name ?? '',
    timeZone: String(settings?.settings.timeZone?.value ?? 'UTC'),
    others: useOtherSpeakers(file),
  });
  const preview = useReply(
    'previewUpload',
    { upload, scope, settings: reading },
    { isOff: settings === undefined, keep: true },
  );
  useEffect(() => {
    if (preview.data === undefined || preview.isPlaceholderData) return;
    setKnown(preview.data);
    noteSpeakers(
      file,
      humansIn(preview.data).map(({ name }) => name),
    );
  }, [preview.data, preview.isPlaceholderData, noteSpeakers, file]);
  const start = useSend('startImport', ['jobs']);
  const started = useUploads((state) => state.started);
  const unwant = useUploads((state) => state.unwant);
  const change = (changes: Partial<Choices>) => setChoices((earlier) => ({ ...earlier, ...changes }));

  const begin = () => {
    if (preview.data === undefined) return;
    const { enrich = true } = choices;
    const settings = { ...reading, format: preview.data.format };
    const job = { job: crypto.randomUUID(), upload, scope, enrich, settings };
    start.mutate(job, { onSuccess: () => started(file) });
  };
  // The settings rest on the reply, which is asked for again with them.
  const isAsked = known !== undefined && asksForSpeaker(known, choices, reading);
  const isReady =
    preview.data !== undefined && !preview.isPlaceholderData && preview.data === known && !isAsked;
  const beginWanted = useEffectEvent(() => {
    // Taken back at once, so that a refused import is not begun again and again.
    unwant(file);
    if (preview.data?.turns !== 0) begin();
  });
  useEffect(() => {
    if (isWanted && isReady) beginWanted();
  }, [isWanted, isReady]);

  if (preview.error)
    return (
      <Unreadable
        message={preview.error.message}
        format={choices.format}
        onFormat={(format) => {
          setKnown(undefined);
          // A format that was chosen before is taken back by the first entry.
          setChoices(({ format: _, ...rest }) => (format === undefined ? rest : { ...rest, format }));
        }}
      />
    );
  if (preview.data === undefined) return <Reading />;
  const { data } = preview;
  const isEmpty = data.turns === 0;
  const fresh = Math.max(0, data.turns - data.known);
  return (
    <div className={styles.preview} aria-busy={preview.isPlaceholderData}>
      <PreviewFacts preview={data} />
      {isEmpty && <Notice kind="warning">{text.imports.preview.empty}</Notice>}
      {!isEmpty && fresh === 0 && <Notice>{text.imports.preview.allKnown}</Notice>}
      {!isEmpty && (
        <>
          <ChoiceFields
            preview={data}
            choices={choices}
            scope={scope}
            ownScope={ownScope}
            settings={reading}
            onChange={change}
          />
          <ReadingChoice
            cost={data.cost}
            model={String(settings?.settings.llmModel?.value ?? '')}
            tier={settings?.settings.tier?.value === 'llm' ? 'llm' : 'local'}
            enrich={choices.enrich ?? true}
            onChange={(enrich) => change({ enrich })}
          />
        </>
      )}
      {start.error && <Notice kind="problem">{start.error.message}</Notice>}
      <div className={styles.actions}>
        <Button
          kind="primary"
          disabled={isEmpty || start.isPending || preview.isPlaceholderData || isAsked}
          onClick={begin}
        >
          {isEmpty ? text.imports.start : text.imports.startTurns(fresh === 0 ? data.turns : fresh)}
        </Button>
      </div>
    </div>
  );
}

/** The speakers of the other files that were chosen. */
function useOtherSpeakers(file: string): readonly (readonly string[])[] {
  const files = useUploads((state) => state.files);
  return files.filter(({ id }) => id !== file).map(({ speakers }) => speakers);
}

function Reading() {
  return (
    <div className={styles.preview} role="status">
      <p className="soft text-14">
        {text.imports.upload.reading}{' '}
        <span className="note may-break">{text.imports.upload.readingNote}</span>
      </p>
      <div className={styles.figures}>
        {['conversations', 'turns', 'period'].map((each) => (
          <Skeleton key={each} height={44} />
        ))}
      </div>
    </div>
  );
}

interface UnreadableProps {
  readonly message: string;
  readonly format: string | undefined;
  readonly onFormat: (format: string | undefined) => void;
}

/** Why a file cannot be imported, with the choice of another format. */
function Unreadable({ message, format, onFormat }: UnreadableProps) {
  const formats = useReply('importFormats', {}).data?.items ?? [];
  const words = text.imports.preview;
  return (
    <div className={styles.preview}>
      <Notice kind="problem">
        <strong>{words.failed}.</strong> {message}
      </Notice>
      <Select
        label={words.otherFormat}
        value={format ?? ''}
        onChange={({ target }) => onFormat(target.value === '' ? undefined : target.value)}
        options={[
          { value: '', label: words.detectFormat },
          ...formats.map(({ name, description }) => ({ value: name, label: `${name}: ${description}` })),
        ]}
      />
    </div>
  );
}
