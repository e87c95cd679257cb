import { useState } from 'react';
import type { EmbedderEntry } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { Group } from '../kit/group.tsx';
import { isOpen, JobRow } from '../parts/job/job-row.tsx';
import { useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { ModelRow } from './model-row.tsx';
import { SettingRows } from './rows.tsx';
import { SectionHead } from './section-head.tsx';
import { groupModels } from './setting-text.ts';
import styles from './settings.module.css';

const words = text.settings.search;

/** Embedder, reranker and the devices that run them. */
export function SearchSection() {
  const entries = useReply('embedders', {});
  const { items, unused } = entries.data ?? {};
  return (
    <>
      <SectionHead title={text.settings.sections.search} lead={words.lead} restarts />
      <Moving />
      {unused && (
        <Notice>
          {unused.problem === null ? words.unused(unused.name) : words.unusable(unused.problem)}
        </Notice>
      )}
      {entries.error && <Notice kind="problem">{entries.error.message}</Notice>}
      <ModelList
        kind="embedder"
        title={words.embedder}
        lead={words.embedderLead}
        entries={items?.filter(({ kind }) => kind === 'embedder')}
      />
      <ModelList
        kind="reranker"
        title={words.reranker}
        lead={words.rerankerLead}
        entries={items?.filter(({ kind }) => kind === 'reranker')}
      />
      <Group title={words.hardware}>
        <SettingRows names={['device', 'offline', 'modelsMirror']} />
      </Group>
    </>
  );
}

/** The job that moves memory to another embedder, while there is one. */
function Moving() {
  const job = useReply('jobs', {}).data?.items.find(
    (each) => each.kind === 'move' && (isOpen(each) || each.state === 'failed'),
  );
  if (job === undefined) return null;
  return (
    <Group title={words.move.running}>
      <JobRow job={job} />
    </Group>
  );
}

const FEW = 4;

interface ModelListProps {
  readonly kind: EmbedderEntry['kind'];
  readonly title: string;
  readonly lead: string;
  readonly entries: readonly EmbedderEntry[] | undefined;
}

function ModelList({ kind, title, lead, entries }: ModelListProps) {
  const [isWhole, setWhole] = useState(false);
  if (entries === undefined)
    return (
      <Group title={title} lead={lead} isBare>
        <Skeleton height={180} />
      </Group>
    );
  const groups = groupModels(entries);
  const first = [...groups].sort((a, b) => rankOf(b.variants) - rankOf(a.variants));
  const shown = isWhole ? first : first.slice(0, FEW);
  return (
    <Group title={title} lead={lead}>
      {kind === 'reranker' && <ModelRow kind="reranker" group={null} />}
      {shown.map((group) => (
        <ModelRow key={group.name} kind={kind} group={group} />
      ))}
      {shown.length < first.length && (
        <div className={styles.showMore}>
          <Button size="small" kind="quiet" onClick={() => setWhole(true)}>
            {words.show(first.length - shown.length)}
          </Button>
        </div>
      )}
    </Group>
  );
}

/** The used one first, then those that are there. */
function rankOf(variants: readonly EmbedderEntry[]): number {
  if (variants.some(({ isUsed }) => isUsed)) return 3;
  if (variants.some(({ isBundled }) => isBundled)) return 2;
  return variants.some(({ isInstalled }) => isInstalled) ? 1 : 0;
}
