import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CategoryPage } from '../../main/contract.ts';
import { Pill } from '../kit/choice.tsx';
import { Empty, Loading, Notice } from '../kit/feedback.tsx';
import { MemoryScreen } from '../parts/place/memory-screen.tsx';
import { categoryPlace, memoryPlace, nodePlace } from '../parts/place/places.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { text } from '../strings/text.ts';
import { KindDot } from './kind-dot.tsx';
import styles from './page.module.css';

interface ScreenProps<Page> {
  readonly scope: string;
  readonly data: Page | undefined;
  readonly error: Error | null;
  /** What is shown where memory does not know the node. */
  readonly gone: { readonly icon: LucideIcon; readonly title: string; readonly about: string };
  readonly children: (page: Page) => ReactNode;
}

/** The screen of an entity or of a category. */
export function NodeScreen<Page>({ scope, data, error, gone, children }: ScreenProps<Page>) {
  const isGone = (error as { code?: unknown } | null)?.code === 'invalid-input';
  return (
    <MemoryScreen width={960}>
      {isGone ? (
        <Empty icon={gone.icon} title={gone.title}>
          <p>{gone.about}</p>
          <a href={memoryPlace(scope, 'browse')}>{text.browse.entity.toBrowse}</a>
        </Empty>
      ) : error !== null ? (
        <Notice kind="problem">{error.message}</Notice>
      ) : data === undefined ? (
        <Loading bars={[[34, '40%'], [18, '70%'], [200]]} />
      ) : (
        children(data)
      )}
    </MemoryScreen>
  );
}

interface TitleProps {
  readonly name: string;
  readonly tags: readonly string[];
  /** The layer of a category. */
  readonly layer?: number;
  readonly children?: ReactNode;
}

/** The name of a node, with its tags. */
export function Title({ name, tags, layer, children }: TitleProps) {
  return (
    <div className="line wrap gap-2-3">
      {layer !== undefined && <KindDot kind="category" layer={layer} />}
      <h1 className="text-28 may-narrow may-break">{name}</h1>
      <div className="flow grows gap-5px">
        {tags.map((tag) => (
          <Pill key={tag}>{tag}</Pill>
        ))}
      </div>
      {children}
    </div>
  );
}

export function Aliases({ aliases }: { readonly aliases: readonly string[] }) {
  if (aliases.length === 0) return null;
  return (
    <p className="faint text-14 may-break">
      {text.browse.entity.also}: {aliases.join(', ')}
    </p>
  );
}

interface WayProps {
  readonly scope: string;
  /** Each from the nearest category upwards. */
  readonly paths: CategoryPage['paths'];
}

/** The ways from the top of the tree down to where something is. */
export function WaysUp({ scope, paths }: WayProps) {
  return paths.map((path) => (
    <nav key={path[0]!.id} aria-label={`${text.browse.category.path}: ${path[0]!.name}`}>
      <ol className={styles.way}>
        {path.toReversed().map(({ id, name, layer }) => (
          <li key={id} className="line gap-6px text-14 may-break">
            <KindDot kind="category" layer={layer} />
            <a href={categoryPlace(scope, id)}>{name}</a>
          </li>
        ))}
      </ol>
    </nav>
  ));
}

/** A part of a page, under its heading. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={styles.part} aria-label={title}>
      <h2 className="text-16">{title}</h2>
      {children}
    </section>
  );
}

interface NodesProps {
  readonly scope: string;
  /** An entity is of layer 0. */
  readonly nodes: readonly { id: string; name: string; layer: number; note: string }[];
}

/** Links to the pages of nodes. */
export function NodeLinks({ scope, nodes }: NodesProps) {
  return (
    <ul className={styles.members}>
      {nodes.map(({ id, name, layer, note }) => (
        <li key={id}>
          <a href={nodePlace(scope, { id, layer })} className={styles.member}>
            <KindDot kind={layer > 0 ? 'category' : 'entity'} layer={layer} />
            <span className="ellipsis fills">{speakerName(name)}</span>
            <small className="soft keeps-size">{note}</small>
          </a>
        </li>
      ))}
    </ul>
  );
}

interface ListProps {
  readonly list: { readonly problem: string | null; readonly isLoading: boolean };
  /** Heights of the bars while it loads. */
  readonly bars: readonly number[];
  /** What is said where it is empty; null where it is not. */
  readonly none: string | null;
  readonly children: ReactNode;
}

/** A list that is loaded page by page, or what stands in its place. */
export function ListBody({ list, bars, none, children }: ListProps) {
  if (list.problem !== null) return <Notice kind="problem">{list.problem}</Notice>;
  if (list.isLoading) return <Loading bars={bars.map((height) => [height])} />;
  return none === null ? children : <p className="soft text-14">{none}</p>;
}
