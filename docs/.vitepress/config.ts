import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import manifest from '../../package.json' with { type: 'json' };
import { flowCharts } from './flow-chart.ts';
import { headingId } from './heading-id.ts';
import { DOCS, sidebar } from './pages.ts';
import { repositoryLinks } from './repository-links.ts';

const { repository } = manifest as { repository?: { url: string } };

/** `npm run docs`, `npm run docs:build`. A dead link fails the build. The pages ask no other host for anything. */
export default defineConfig({
  title: 'Mnemis',
  description: manifest.description,
  lang: 'en',
  outDir: join(DOCS, '.vitepress/dist'),
  cacheDir: join(DOCS, '.vitepress/cache'),
  cleanUrls: true,
  // Pictures stay files, so that pages are small; the index of the search is one large file.
  vite: { build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 3000 } },
  markdown: {
    // The ids that hosts of git repositories give to headings, so that a link works in both places.
    anchor: { slugify: headingId },
    config: (markdown) => {
      flowCharts(markdown);
      repositoryLinks(markdown, {
        root: join(DOCS, '..'),
        repository:
          repository === undefined ? null : `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main`,
      });
    },
  },
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Recipes', link: '/recipes' },
      { text: 'Papers', link: '/papers/mnemis', activeMatch: '^/papers' },
      { text: 'Results', link: '/results' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // Pages that have every word come last. The browser gets this function as text, so it uses nothing around it.
            boostDocument: (id: string) => (/^\/(?:api-report|decisions\/)/.test(id) ? 0.2 : 1),
          },
        },
      },
    },
    externalLinkIcon: true,
  },
});
