import { Check, Copy } from 'lucide-react';
import { text } from '../../strings/text.ts';
import styles from './answer-text.module.css';
import { useCopy } from './copy-text.ts';
import { useHighlight } from './highlighter.ts';

interface CodeBlockProps {
  readonly code: string;
  readonly language: string;
}

/** Code with the name of its language and a button that copies it. */
export function CodeBlock({ code, language }: CodeBlockProps) {
  const [isCopied, copy] = useCopy();
  const tokens = useHighlight(code, language.toLowerCase());
  const Icon = isCopied ? Check : Copy;
  return (
    <div className={styles.codeBlock}>
      <div className={styles.codeHead}>
        <span>{language === '' ? text.chat.code.plain : language}</span>
        <button
          type="button"
          className="line soft rounded-6 gap-5px hovers lightens"
          aria-label={text.chat.code.copy}
          onClick={() => copy(code)}
        >
          <Icon size={14} aria-hidden />
          {isCopied ? text.chat.message.copied : text.chat.message.copy}
        </button>
      </div>
      {/* A reader without a pointer scrolls long lines by the keys. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre className={styles.code} tabIndex={0}>
        <code>
          {tokens.map(({ content, style }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
            <span key={index} style={style}>
              {content}
            </span>
          ))}
        </code>
      </pre>
    </div>
  );
}
