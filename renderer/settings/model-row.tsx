import { Check, Download } from 'lucide-react';
import { useState } from 'react';
import type { EmbedderEntry } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Pill } from '../kit/choice.tsx';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { Progress } from '../kit/feedback.tsx';
import { Options } from '../kit/field.tsx';
import { isOpen } from '../parts/job/job-row.tsx';
import { countsText, joined, progressText } from '../parts/job/job-text.ts';
import { ModelActions } from '../parts/model/model-actions.tsx';
import { useReply, useSend } from '../state/connection.tsx';
import { formatBytes, text } from '../strings/text.ts';
import type { ModelGroup } from './setting-text.ts';
import styles from './settings.module.css';
import { useSetting } from './use-settings.ts';

const words = text.settings.search;

interface ModelRowProps {
  readonly kind: EmbedderEntry['kind'];
  /** Null: no reranker. */
  readonly group: ModelGroup<EmbedderEntry> | null;
}

/** A model for search: whether it is here and used, and what can be done with it. */
export function ModelRow({ kind, group }: ModelRowProps) {
  const variants = group?.variants ?? [];
  const [chosen, choose] = useState<string | null>(null);
  const entry =
    variants.find(({ name }) => name === chosen) ??
    variants.find(({ isUsed }) => isUsed) ??
    variants.find(({ isInstalled }) => isInstalled) ??
    variants[0];
  const reranker = useSetting<string>('reranker');
  const isUsed = entry === undefined ? reranker.value === 'none' : entry.isUsed;
  const job = useReply('jobs', {}).data?.items.find(
    (each) => each.kind === 'pull' && each.name === entry?.name && isOpen(each),
  );
  const name = group?.name ?? words.noReranker;
  const about =
    entry === undefined
      ? words.noRerankerNote
      : joined([
          entry.dimension === null ? '' : words.dimension(entry.dimension),
          entry.megabytes > 0 ? formatBytes(entry.megabytes * 1e6) : '',
          entry.licence,
        ]);
  return (
    <div className={styles.item}>
      <div className={styles.words}>
        <span className="line wrap gap-6px">
          <strong className="text-label medium may-break">{name}</strong>
          {isUsed && (
            <Pill kind="good" icon={Check}>
              {words.used}
            </Pill>
          )}
          {entry?.isBundled === true && <Pill>{words.bundled}</Pill>}
          {entry?.isBundled === false && entry.isInstalled && <Pill>{words.installed}</Pill>}
        </span>
        <span className="note may-break">{about}</span>
        {job && (
          <span className="grid gap-5px">
            <Progress share={job.share} label={text.imports.jobs.label(job.name)} />
            <span className="note may-break">
              {joined([progressText(job), countsText(job)])} <a href="#/import">{words.jobsLink}</a>
            </span>
          </span>
        )}
      </div>
      <div className="line wrap at-end gap-2">
        {variants.length > 1 && entry && (
          <select
            className={styles.variant}
            aria-label={words.variant(name)}
            value={entry.name}
            onChange={({ target }) => choose(target.value)}
          >
            <Options
              of={variants.map((each) => ({ value: each.name, label: each.precision ?? words.standard }))}
            />
          </select>
        )}
        {!isUsed && job === undefined && <MainAction kind={kind} entry={entry} />}
        {entry && !entry.isBundled && entry.isInstalled && <ModelActions {...entry} />}
      </div>
    </div>
  );
}

/** Fetches a model, or uses it. */
function MainAction({
  kind,
  entry,
}: {
  readonly kind: EmbedderEntry['kind'];
  readonly entry?: EmbedderEntry | undefined;
}) {
  const [isMoving, setMoving] = useState(false);
  const pull = useSend('startPull', ['jobs']);
  const move = useSend('startMove', ['jobs']);
  const reranker = useSetting<string>('reranker');
  const isFreeToUse = entry === undefined || entry.isInstalled;
  const name = entry?.name ?? words.noReranker;
  const problem = pull.error?.message ?? move.error?.message ?? reranker.problem;
  const use = () =>
    kind === 'embedder' ? setMoving(true) : reranker.save(entry === undefined ? 'none' : entry.name);
  return (
    <>
      {isFreeToUse ? (
        <Button
          size="small"
          aria-label={words.namedUse(name)}
          disabled={kind === 'reranker' && reranker.lock !== undefined}
          title={kind === 'reranker' ? reranker.lock : undefined}
          onClick={use}
        >
          {words.use}
        </Button>
      ) : (
        <Button
          size="small"
          icon={Download}
          aria-label={words.downloadOf(name, formatBytes(entry.megabytes * 1e6))}
          disabled={pull.isPending}
          onClick={() => pull.mutate({ job: crypto.randomUUID(), name: entry.name })}
        >
          {words.download}
        </Button>
      )}
      {problem !== undefined && (
        <span className="danger text-13 may-break" role="alert">
          {problem}
        </span>
      )}
      {isMoving && entry && (
        <ConfirmDialog
          onClose={() => setMoving(false)}
          title={words.move.title(entry.name)}
          description={words.move.text}
          confirm={words.move.confirm}
          onConfirm={() => {
            move.mutate({ job: crypto.randomUUID(), embedder: entry.name });
            setMoving(false);
          }}
        />
      )}
    </>
  );
}
