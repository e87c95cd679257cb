import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMarkdownRenderer, disposeMdItInstance } from 'vitepress';
import { describe, expect, it } from 'vitest';
import config from '../../docs/.vitepress/config.ts';
import { headingId } from '../../docs/.vitepress/heading-id.ts';
import {
  allPages,
  DOCS,
  PAGE_GROUPS,
  sidebar,
  titleOf,
  ungroupedPages,
} from '../../docs/.vitepress/pages.ts';
import { repositoryLinks } from '../../docs/.vitepress/repository-links.ts';
import { documents } from '../documented-blocks.ts';
import { ROOT } from '../main/cli/fake-terminal.ts';

describe('the groups of pages', () => {
  it('hold every page once: add a new one to docs/.vitepress/pages.ts', () => {
    const grouped = PAGE_GROUPS.flatMap(({ pages }) => pages);
    expect(ungroupedPages()).toEqual([]);
    expect(grouped.filter((page, at) => grouped.indexOf(page) !== at)).toEqual([]);
    expect(grouped.filter((page) => !existsSync(join(DOCS, `${page}.md`)))).toEqual([]);
    expect(allPages().length).toBe(grouped.length + 1);
  });

  it('show the titles of the pages', () => {
    const [first] = sidebar();
    expect(first?.items?.[0]).toEqual({ text: 'Tutorial', link: '/tutorial' });
    expect(titleOf('contributing')).toBe('Contributing');
    expect(titleOf('kuzu-defects')).toBe('Defects of Kùzu 0.11.3 that the store prevents');
  });
});

const REPOSITORY = 'https://example.org/mnemis/blob/main';

async function rendered(markdown: string, relativePath: string, repository: string | null = null) {
  // VitePress keeps one renderer, with the rules that were added to it.
  disposeMdItInstance();
  const renderer = await createMarkdownRenderer(DOCS);
  repositoryLinks(renderer, { root: ROOT, repository });
  return renderer.render(markdown, { path: join(DOCS, relativePath), relativePath, cleanUrls: true });
}

describe('links of pages', () => {
  it('to files that are no pages become paths where the repository has no address', async () => {
    const html = await rendered('See [the licence](../models/LICENSE-wink.txt).', 'dependencies.md');
    expect(html).toBe('<p>See the licence (<code>models/LICENSE-wink.txt</code>).</p>\n');
    const same = await rendered('[src/engine.ts](../src/engine.ts)', 'dependencies.md');
    expect(same).toBe('<p>src/engine.ts</p>\n');
  });

  it('to such files lead to the repository where it has one', async () => {
    const html = await rendered('[the engine](../src/engine.ts#L1)', 'library.md', REPOSITORY);
    expect(html).toContain(
      `<a href="${REPOSITORY}/src/engine.ts#L1" target="_blank" rel="noreferrer">the engine</a>`,
    );
  });

  it('to files that do not exist fail', async () => {
    await expect(rendered('[no](../src/no.ts)', 'library.md')).rejects.toThrow(
      'docs/library.md links to ../src/no.ts, which does not exist',
    );
  });

  it('to other pages stay, also from a folder and from an included document', async () => {
    const link = async (markdown: string, page: string) =>
      /href="([^"]*)"/.exec(await rendered(markdown, page, REPOSITORY))?.[1];
    expect(await link('[a](design.md#time)', 'library.md')).toBe('./design#time');
    expect(await link('[a](../results.md)', 'papers/gam.md')).toBe('./../results');
    expect(await link('[a](docs/design.md#time)', 'contributing.md')).toBe('./design#time');
    expect(await link('[a](../CONTRIBUTING.md)', 'library.md')).toBe('./contributing');
    expect(await link('[a](../README.md)', 'library.md')).toBe('./');
    expect(await link('[a](https://example.org/a.md)', 'library.md')).toBe('https://example.org/a.md');
    // Not changed, so that VitePress reports it as dead.
    expect(await link('[a](no-page.md)', 'library.md')).toBe('./no-page');
  });
});

it('names headings as hosts of repositories do', () => {
  expect(headingId('What is removed, and what stays')).toBe('what-is-removed-and-what-stays');
  expect(headingId('§1.2 System-1 (Mnemis §2.3)')).toBe('12-system-1-mnemis-23');
  expect(headingId('`verify` and Kùzu’s files')).toBe('verify-and-kùzus-files');
});

it('name files that exist', () => {
  const missing = documents()
    // Decisions say what was, with the files of their day.
    .filter((file) => !file.startsWith('docs/decisions/'))
    .flatMap((file) =>
      [
        ...readFileSync(join(ROOT, file), 'utf8').matchAll(
          /`((?:src|graphs|eval|main|renderer|test|scripts|bench|docs)\/[\w./-]+)`/g,
        ),
      ]
        .map(([, path]) => path!)
        .filter((path) => !existsSync(join(ROOT, path)))
        .map((path) => `${file}: ${path}`),
    );
  expect(missing).toEqual([]);
});

it('fail to build with a dead link', () => {
  expect(config).not.toHaveProperty('ignoreDeadLinks');
});
