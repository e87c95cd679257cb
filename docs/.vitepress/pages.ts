import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';

/** Where the pages are. */
export const DOCS = join(import.meta.dirname, '..');
/** `papers/` and `decisions/` hold pages, too; pictures and the site's own folder do not. */
const FOLDERS = ['.', 'papers', 'decisions'];

export interface PageGroup {
  readonly title: string;
  /** Paths below `docs/`, without the ending. */
  readonly pages: readonly string[];
  /** Whether the sidebar shows the title alone until it is opened. */
  readonly isClosed?: boolean;
}

/** The sidebar, in the order of reading. A page that is in no group fails `test/docs/pages.test.ts`. */
export const PAGE_GROUPS: readonly PageGroup[] = [
  { title: 'Begin', pages: ['tutorial', 'concepts', 'recipes', 'glossary'] },
  {
    title: 'In programs',
    pages: [
      'library',
      'langchain',
      'langgraph',
      'ai-sdk',
      'anthropic',
      'agents',
      'mcp',
      'coding-agents',
      'server',
    ],
  },
  {
    title: 'For people',
    pages: ['app', 'tools', 'browse', 'timeline', 'review', 'backup', 'cli', 'importers'],
  },
  {
    title: 'What memory does',
    pages: ['ingestion', 'hierarchy', 'retrieval', 'changes', 'corrections', 'forgetting'],
  },
  { title: 'Models', pages: ['language-models', 'local-models', 'models'] },
  { title: 'Run it', pages: ['deploy', 'operations', 'security', 'storage', 'reliability', 'export-format'] },
  {
    title: 'Papers and figures',
    pages: [
      'papers/mnemis',
      'papers/memorai',
      'papers/gam',
      'papers/personalai',
      'papers',
      'data-sets',
      'evaluation',
      'leaderboard',
      'results',
    ],
  },
  {
    title: 'Develop',
    pages: [
      'contributing',
      'shipping',
      'architecture',
      'design',
      'graphs',
      'studio',
      'dependencies',
      'kuzu-defects',
      'api-report',
    ],
    isClosed: true,
  },
  { title: 'Decisions', pages: pagesIn('decisions').toReversed(), isClosed: true },
];

/** Every page, as a path below `docs/` without the ending; the home page is `index`. */
export function allPages(): readonly string[] {
  return FOLDERS.flatMap(pagesIn);
}

/** Pages that are in no group. */
export function ungroupedPages(): readonly string[] {
  const grouped = new Set(['index', ...PAGE_GROUPS.flatMap(({ pages }) => pages)]);
  return allPages().filter((page) => !grouped.has(page));
}

/** Each group with the titles of its pages; pages without a group come last, so that none is lost. */
export function sidebar(): DefaultTheme.SidebarItem[] {
  const rest = ungroupedPages();
  const groups = rest.length === 0 ? PAGE_GROUPS : [...PAGE_GROUPS, { title: 'More', pages: rest }];
  return groups.map(({ title, pages, isClosed }) => ({
    text: title,
    items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
    ...(isClosed === true ? { collapsed: true } : {}),
  }));
}

/** The first heading of a page. */
export function titleOf(page: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(join(DOCS, `${page}.md`), 'utf8'));
  return heading?.[1]?.replaceAll('`', '') ?? `${page.charAt(0).toUpperCase()}${page.slice(1)}`;
}

function pagesIn(folder: string): string[] {
  return readdirSync(join(DOCS, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name.slice(0, -'.md'.length)))
    .toSorted();
}
