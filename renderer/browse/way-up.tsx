import type { CategoryPage } from '../../main/contract.ts';
import { categoryPlace } from '../parts/place/places.ts';
import { text } from '../strings/text.ts';
import { KindDot } from './kind-dot.tsx';
import styles from './page.module.css';

interface WayProps {
  readonly scope: string;
  /** From the nearest category upwards. */
  readonly path: CategoryPage['paths'][number];
}

/** The way from the top of the tree down to where something is. */
export function WayUp({ scope, path }: WayProps) {
  return (
    <nav className={styles.way} aria-label={`${text.browse.category.path}: ${path[0]?.name ?? ''}`}>
      <ol>
        {path.toReversed().map(({ id, name, layer }) => (
          <li key={id}>
            <KindDot kind="category" layer={layer} />
            <a href={categoryPlace(scope, id)}>{name}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
