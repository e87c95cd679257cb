import { Disclosure } from '../kit/choice.tsx';
import { useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './imports.module.css';

/** Where to find the exports of other apps. */
export function ExportGuide() {
  const formats = useReply('importFormats', {}).data?.items ?? [];
  const { guide } = text.imports;
  return (
    <Disclosure title={guide.title}>
      <div className={styles.guide}>
        {Object.entries(guide.formats).map(([format, { name, steps }]) => (
          <section key={format} className="stack gap-1">
            <h3>{name}</h3>
            <ol className={styles.steps}>
              {steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </section>
        ))}
      </div>
      {formats.length > 0 && (
        <Disclosure title={guide.also}>
          <dl className={styles.formats}>
            {formats.map(({ name, description }) => (
              <div key={name}>
                <dt className="medium">{name}</dt>
                <dd className="soft">{description}</dd>
              </div>
            ))}
          </dl>
        </Disclosure>
      )}
    </Disclosure>
  );
}
