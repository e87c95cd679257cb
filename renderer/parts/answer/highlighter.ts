import { useEffect, useState } from 'react';

/** A piece of code in the colours of both themes. */
export interface CodeToken {
  readonly content: string;
  readonly style: Readonly<Record<string, string>>;
}

/** Grammars by the names that people write after a fence. Each is a chunk of its own. */
const GRAMMARS: Readonly<Record<string, () => Promise<{ readonly default: unknown }>>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  powershell: () => import('shiki/langs/powershell.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  r: () => import('shiki/langs/r.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};

const ALIASES: Readonly<Record<string, string>> = {
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  dockerfile: 'docker',
  golang: 'go',
  js: 'javascript',
  jsonc: 'json',
  jsx: 'tsx',
  kt: 'kotlin',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

/** The theme's comments have too little contrast on the ground of a code block. */
const DARKER = { 'github-light-default': { '#6e7781': '#5d6670' } };

/** Longer code keeps one colour: it would hold up the page. */
const LONGEST = 30_000;

type Highlighter = Awaited<ReturnType<typeof createHighlighter>>;
let opened: Promise<Highlighter> | null = null;

async function createHighlighter() {
  const [{ createHighlighterCore }, { createJavaScriptRegexEngine }, light, dark] = await Promise.all([
    import('shiki/core'),
    import('shiki/engine/javascript'),
    import('shiki/themes/github-light-default.mjs'),
    import('shiki/themes/github-dark-default.mjs'),
  ]);
  return createHighlighterCore({
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    themes: [light.default, dark.default],
    langs: [],
  });
}

async function highlight(code: string, language: string): Promise<readonly CodeToken[] | null> {
  const name = ALIASES[language] ?? language;
  const grammar = Object.hasOwn(GRAMMARS, name) ? GRAMMARS[name] : undefined;
  if (grammar === undefined || code.length > LONGEST) return null;
  opened ??= createHighlighter();
  const highlighter = await opened;
  if (!highlighter.getLoadedLanguages().includes(name))
    await highlighter.loadLanguage((await grammar()).default as never);
  const { tokens } = highlighter.codeToTokens(code, {
    lang: name,
    themes: { light: 'github-light-default', dark: 'github-dark-default' },
    colorReplacements: DARKER,
    defaultColor: false,
  });
  return tokens.flatMap((line, index) => [
    ...(index === 0 ? [] : [{ content: '\n', style: {} }]),
    ...line.map(({ content, htmlStyle }) => ({ content, style: htmlStyle ?? {} })),
  ]);
}

/** Safari has no idle callbacks. */
function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(act, { timeout: 1_000 });
  else act();
}

/** What was highlighted last, so that code that scrolls back into view has its colours at once. */
const remembered = new Map<string, readonly CodeToken[]>();
const MOST_REMEMBERED = 100;
const keyOf = (code: string, language: string) => `${language}\n${code}`;

function remember(key: string, tokens: readonly CodeToken[]): void {
  remembered.set(key, tokens);
  if (remembered.size > MOST_REMEMBERED) remembered.delete(remembered.keys().next().value!);
}

/** The code in colours: those of its beginning while the rest is still being written, none before they are known. */
export function useHighlight(code: string, language: string): readonly CodeToken[] {
  const key = keyOf(code, language);
  const [known, setKnown] = useState<{ code: string; tokens: readonly CodeToken[] } | null>(null);
  useEffect(() => {
    if (remembered.has(key)) return;
    let isGone = false;
    const paint = () => {
      void highlight(code, language).then(
        (tokens) => {
          if (tokens === null) return;
          remember(key, tokens);
          if (!isGone) setKnown({ code, tokens });
        },
        () => undefined,
      );
    };
    // Colours wait for a free moment: scrolling and typing come first.
    const timer = setTimeout(() => {
      whenIdle(() => !isGone && paint());
    }, 60);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [code, language, key]);
  const whole = remembered.get(key);
  if (whole !== undefined) return whole;
  if (known === null || !code.startsWith(known.code)) return [{ content: code, style: {} }];
  return [...known.tokens, { content: code.slice(known.code.length), style: {} }];
}
