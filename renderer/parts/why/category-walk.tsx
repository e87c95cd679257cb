import { ChevronsDown, Flag } from 'lucide-react';
import { useState } from 'react';
import type { WalkTrace } from '../../../main/contract.ts';
import { text } from '../../strings/text.ts';
import styles from './category-walk.module.css';
import { layersOf, type WalkLayer } from './why-summary.ts';

/** The way down the categories, layer by layer: what was offered, what was picked, what was passed by. */
export function CategoryWalk({ walk }: { readonly walk: WalkTrace }) {
  const words = text.memory.why;
  const layers = layersOf(walk);
  const end = words.walkEnds[walk.end];
  if (layers.length === 0 && end === undefined) return null;
  return (
    <section className="stack gap-2" aria-label={words.walk}>
      <h3 className="caption">{words.walk}</h3>
      <ol>
        {layers.map((layer) => (
          <Layer key={layer.layer} layer={layer} top={layers[0]!.layer} />
        ))}
        <li className={`${styles.layer} ${styles.end}`}>
          <span className={styles.knot}>
            <Flag size={12} aria-hidden />
          </span>
          <p className="note">
            {end !== undefined && `${end} `}
            {(walk.end === 'complete' || walk.end === 'no-picks') &&
              words.reached(walk.entities, walk.categories)}
          </p>
        </li>
      </ol>
    </section>
  );
}

/** Picks of a layer that are shown at first. */
const FEW = 9;

function Layer({ layer, top }: { readonly layer: WalkLayer; readonly top: number }) {
  const words = text.memory.why;
  const [isWhole, setWhole] = useState(false);
  const picks = isWhole || layer.picks.length <= FEW + 1 ? layer.picks : layer.picks.slice(0, FEW);
  // Only the first picks of a long list are kept.
  const lost = layer.picked - layer.picks.length;
  return (
    <li className={styles.layer}>
      <span className={styles.knot} data-picked={layer.picks.length > 0 || undefined} />
      <p className="flex apart at-baseline gap-2 text-14">
        <strong className="medium">{words.layer(layer.layer, top)}</strong>
        <span className="note">{words.offered(layer.offered, layer.picked)}</span>
      </p>
      {layer.picks.length > 0 && (
        <ul className={`flow gap-5px ${styles.picks}`}>
          {picks.map(({ name, all }) => (
            <li key={name} className={styles.pick} title={all ? `${name}, ${words.all}` : name}>
              <span className="ellipsis">{name}</span>
              {all && <ChevronsDown size={13} aria-label={words.all} />}
            </li>
          ))}
          {picks.length < layer.picks.length ? (
            <li>
              <button type="button" className="note" onClick={() => setWhole(true)}>
                {words.morePicks(layer.picked - picks.length)}
              </button>
            </li>
          ) : (
            lost > 0 && <li className="note">{words.morePicks(lost)}</li>
          )}
        </ul>
      )}
      {layer.passed.length > 0 && (
        <details className={`note ${styles.passed}`}>
          <summary>{words.others(layer.offered - layer.picked)}</summary>
          <p className="may-break">{layer.passed.join(' · ')}</p>
        </details>
      )}
    </li>
  );
}
