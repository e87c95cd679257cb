import { Notice, Skeleton } from '../kit/feedback.tsx';
import { Group } from '../kit/group.tsx';
import { useReply } from '../state/connection.tsx';
import { formatDateTime, text } from '../strings/text.ts';
import { PreferenceRow } from './rows.tsx';
import { SectionHead } from './section-head.tsx';
import styles from './settings.module.css';

/** Which version runs, and on what. */
export function AboutSection() {
  const words = text.settings.about;
  const { data, error } = useReply('health', {});
  const lines: readonly (readonly [string, string])[] = data
    ? [
        [words.version, data.version],
        [words.engine, words.engineValue(data.backend, data.schemaVersion)],
        [words.memory, data.path],
        [
          words.embedder,
          data.embedder === null
            ? words.noVectors
            : `${data.embedder.model}, ${text.settings.search.dimension(data.embedder.dimension)}`,
        ],
        [words.reading, data.ingestion.profile],
        [words.process, words.processValue(data.pid, formatDateTime(data.started))],
        [words.protocol, String(data.protocol)],
        [words.licence, words.licenceValue],
      ]
    : [];
  return (
    <>
      <SectionHead title={text.settings.sections.about} lead={words.lead} />
      {error && <Notice kind="problem">{error.message}</Notice>}
      <Group>
        {data === undefined && !error && <Skeleton height={200} />}
        <dl className={`${styles.about} divided`}>
          {lines.map(([name, value]) => (
            <div key={name}>
              <dt className="faint">{name}</dt>
              <dd className="may-break">{value}</dd>
            </div>
          ))}
        </dl>
      </Group>
      <Group>
        <PreferenceRow name="developer" />
      </Group>
    </>
  );
}
