import { ImageOff } from 'lucide-react';
import {
  type ComponentProps,
  isValidElement,
  memo,
  type PropsWithChildren,
  type ReactNode,
  useMemo,
} from 'react';
import { type Components, defaultRemarkPlugins, Streamdown } from 'streamdown';
import { text } from '../../strings/text.ts';
import styles from './answer-text.module.css';
import { CitationMark } from './citation-mark.tsx';
import { CodeBlock } from './code-block.tsx';
import { useMath } from './math.ts';
import { hasMath, mathText } from './math-text.ts';
import { rehypeCitations } from './split-citations.ts';

interface AnswerTextProps {
  readonly children: string;
  readonly isStreaming: boolean;
}

/**
 * Markdown of an answer. It is untrusted: HTML in it is shown as text, links open outside and only by harmless
 * protocols, and no picture is fetched.
 */
export const AnswerText = memo(function AnswerText({ children, isStreaming }: AnswerTextProps) {
  const source = useMemo(() => mathText(children), [children]);
  const math = useMath(useMemo(() => hasMath(source), [source]));
  const plugins = useMemo(() => (math === null ? NO_PLUGINS : { math }), [math]);
  return (
    <div className={styles.text} dir="auto">
      <Streamdown
        components={COMPONENTS}
        remarkPlugins={REMARK}
        rehypePlugins={REHYPE}
        plugins={plugins}
        remend={INCOMPLETE}
        parseIncompleteMarkdown={isStreaming}
        isAnimating={isStreaming}
        controls={false}
      >
        {source}
      </Streamdown>
    </div>
  );
});

const NO_PLUGINS = {};
const REMARK = Object.values(defaultRemarkPlugins);
const REHYPE = [rehypeCitations];
// An unfinished `[1` is a citation more often than a link.
const INCOMPLETE = { links: false, images: false, htmlTags: false };

type Of<Tag extends keyof React.JSX.IntrinsicElements> = ComponentProps<Tag> & { readonly node?: unknown };

const PLAIN = ['blockquote', 'code', 'p', 'strong', 'sub', 'sup', 'tbody', 'thead', 'tr', 'ul'] as const;

/** Elements without the library's class names. */
const COMPONENTS: Components = {
  ...Object.fromEntries(
    PLAIN.map((Tag) => [Tag, ({ children }: PropsWithChildren) => <Tag>{children}</Tag>]),
  ),
  a: Link,
  img: Image,
  pre: Pre,
  table: ({ children }: Of<'table'>) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    // biome-ignore lint/a11y/useSemanticElements: a table is no set of fields
    <div className={styles.table} role="group" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  'cite-mark': CitationMark as NonNullable<Components[string]>,
  // Headings of an answer are below those of the page.
  h1: ({ children }: Of<'h1'>) => <h3 className={styles.h1}>{children}</h3>,
  h2: ({ children }: Of<'h2'>) => <h3 className={styles.h2}>{children}</h3>,
  h3: ({ children }: Of<'h3'>) => <h4 className={styles.h3}>{children}</h4>,
  h4: ({ children }: Of<'h4'>) => <h5 className={styles.h3}>{children}</h5>,
  h5: ({ children }: Of<'h5'>) => <h6 className={styles.h3}>{children}</h6>,
  h6: ({ children }: Of<'h6'>) => <h6 className={styles.h3}>{children}</h6>,
  hr: () => <hr />,
  li: ({ children, className }: Of<'li'>) => <li className={taskClass(className)}>{children}</li>,
  ol: ({ children, start }: Of<'ol'>) => <ol start={start}>{children}</ol>,
  section: ({ children }: Of<'section'>) => <section className={styles.notes}>{children}</section>,
  td: ({ children, style }: Of<'td'>) => <td style={style}>{children}</td>,
  th: ({ children, style }: Of<'th'>) => <th style={style}>{children}</th>,
  input: ({ checked }: Of<'input'>) => (
    <input
      type="checkbox"
      aria-label={checked === true ? text.chat.code.taskDone : text.chat.code.taskOpen}
      checked={checked === true}
      disabled
      readOnly
    />
  ),
};

function taskClass(className: string | undefined): string | undefined {
  return className?.includes('task-list-item') ? styles.task : undefined;
}

const OUTSIDE = /^(https?|mailto):/i;

function Link({ href = '', children }: Of<'a'>) {
  if (!OUTSIDE.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
      {children}
    </a>
  );
}

/** Says what a picture shows and where it is. To fetch it would tell its server that the answer is read. */
function Image({ alt = '', src }: Of<'img'>) {
  const address = typeof src === 'string' && !src.startsWith('data:') ? src : '';
  return (
    <span className={styles.image}>
      <ImageOff size={15} aria-hidden />
      <span>
        {text.chat.code.image(alt)} ({text.chat.code.imageNote}
        {address !== '' && <>: {OUTSIDE.test(address) ? <Link href={address}>{address}</Link> : address}</>})
      </span>
    </span>
  );
}

function Pre({ children }: Of<'pre'>) {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) return <pre>{children}</pre>;
  const language = /language-(\S+)/.exec(children.props.className ?? '')?.[1] ?? '';
  return <CodeBlock code={String(children.props.children ?? '').replace(/\n$/, '')} language={language} />;
}
