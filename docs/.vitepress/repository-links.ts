import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

export interface RepositoryLinks {
  /** The folder of the checkout. */
  readonly root: string;
  /** Where the repository can be read, such as `https://example.org/mnemis/blob/main`; null: nowhere. */
  readonly repository: string | null;
}

/** Documents outside `docs/` that are pages of the site. */
const PAGES_OF: Readonly<Record<string, string>> = {
  'README.md': 'docs/index.md',
  'CONTRIBUTING.md': 'docs/contributing.md',
};

/**
 * Pages are read in the repository, too, so they link to files that are not part of the site. Such a link becomes one to
 * the repository, or, where the repository has no address, its text with the file's path. A page that includes a document
 * of the repository's root has that document's links: they start at the root.
 */
export function repositoryLinks(markdown: MarkdownRenderer, links: RepositoryLinks): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const page = join('docs', String(env.relativePath ?? ''));
    const from = Object.values(PAGES_OF).includes(page) && page !== 'docs/index.md' ? '.' : dirname(page);
    for (const token of tokens)
      if (token.children !== null) token.children = withPlaces(token.children, { page, from, ...links });
  });
}

interface Place extends RepositoryLinks {
  readonly page: string;
  /** The folder at which relative links start. */
  readonly from: string;
}

function withPlaces(tokens: readonly Token[], place: Place): Token[] {
  const result: Token[] = [];
  /** The path to write after the text of a link that cannot be followed. */
  let unlinked: string | null = null;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const target = targetOf(token.attrGet('href') ?? '', place);
      if (target?.href !== undefined) token.attrSet('href', target.href);
      unlinked = target?.path ?? null;
      if (unlinked === null) result.push(token);
    } else if (token.type === 'link_close' && unlinked !== null) {
      result.push(...pathAfter(token, result.at(-1)?.content, unlinked));
      unlinked = null;
    } else result.push(token);
  }
  return result;
}

/** A link is changed to `href`, or replaced by `path`; null: it stays. */
function targetOf(link: string, { page, from, root, repository }: Place) {
  if (/^(?:[a-z]+:|\/|#)/i.test(link)) return null;
  const [path = '', ...anchors] = link.split('#');
  const named = join(from, decodeURIComponent(path));
  const file = PAGES_OF[named] ?? named;
  const isMissing = !existsSync(join(root, file));
  // VitePress reports missing pages itself, but no other files.
  if (isMissing && !file.endsWith('.md'))
    throw new ReferenceError(`${page} links to ${link}, which does not exist`);
  const isPage = isMissing || (file.startsWith('docs/') && statSync(join(root, file)).isFile());
  const anchor = anchors.map((each) => `#${each}`).join('');
  if (isPage) return { href: `${relativeTo(dirname(page), file)}${anchor}` };
  return repository === null ? { path: file } : { href: `${repository}/${file}${anchor}` };
}

function relativeTo(folder: string, file: string): string {
  const path = relative(folder, file);
  return path.startsWith('.') ? path : `./${path}`;
}

/** ` (<code>path</code>)`, or nothing if the text of the link is the path. */
function pathAfter(token: Token, text: string | undefined, path: string): Token[] {
  if (text === path) return [];
  const made = (type: string, content: string): Token => {
    const each: Token = Object.assign(Object.create(Object.getPrototypeOf(token)), token);
    return Object.assign(each, {
      type,
      content,
      nesting: 0,
      tag: type === 'code_inline' ? 'code' : '',
      markup: '`',
    });
  };
  return [made('text', ' ('), made('code_inline', path), made('text', ')')];
}
