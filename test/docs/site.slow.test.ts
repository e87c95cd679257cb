import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { allPages } from '../../docs/.vitepress/pages.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';
import { buildSite } from './built-site.ts';

const folder = freshFolder();
let files: readonly string[] = [];
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
const ofType = (ending: string) => files.filter((file) => file.endsWith(ending));
beforeAll(async () => {
  await buildSite(folder);
  files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
});

/** Attributes of tags, such as the `src` of each `img`. */
function valuesOf(html: string, tag: string, attribute: string): string[] {
  return [...html.matchAll(new RegExp(`<${tag}\\b[^>]*?\\s${attribute}="([^"]*)"`, 'g'))].map(
    ([, value]) => value!,
  );
}

describe('the built site', () => {
  it('has every page', () => {
    expect(new Set(ofType('.html'))).toEqual(
      new Set(['404.html', ...allPages().map((page) => `${page}.html`)]),
    );
  });

  it('links to pages and headings that exist', () => {
    const headings = new Map(ofType('.html').map((file) => [file, new Set(idsOf(textOf(file)))]));
    const dead: string[] = [];
    for (const file of ofType('.html').filter((each) => each !== '404.html'))
      for (const href of valuesOf(mainOf(textOf(file)), 'a', 'href')) {
        if (/^[a-z]+:/.test(href)) continue;
        const [path = '', anchor] = href.split('#');
        const target = path === '' ? file : pageAt(path, dirname(file));
        const ids = headings.get(target);
        if (ids === undefined || (anchor !== undefined && !ids.has(decodeURIComponent(anchor))))
          dead.push(`${file}: ${href}`);
      }
    expect(dead).toEqual([]);
  });

  it('loads nothing from other hosts', () => {
    const loaded = ofType('.html').flatMap((file) => {
      const html = textOf(file);
      return ['script', 'img', 'source', 'iframe', 'video']
        .flatMap((tag) => valuesOf(html, tag, 'src'))
        .concat(valuesOf(html, 'link', 'href'));
    });
    expect(loaded.length).toBeGreaterThan(100);
    expect(loaded.filter((address) => !address.startsWith('/') || address.startsWith('//'))).toEqual([]);
    for (const file of ofType('.css'))
      expect(textOf(file), file).not.toMatch(/url\(["']?(?:https?:)?\/\/|@import/);
  });

  it('describes its pictures', () => {
    const pictures = ofType('.html').flatMap((file) => mainOf(textOf(file)).match(/<img\b[^>]*>/g) ?? []);
    expect(pictures.length).toBeGreaterThanOrEqual(6);
    expect(pictures.filter((picture) => !/\salt="[^"]{20,}"/.test(picture))).toEqual([]);
  });

  it('has an index to search in', () => {
    const [index] = files.filter((file) => file.includes('localSearchIndex'));
    expect(textOf(index!)).toContain('/tutorial#forget');
  });
});

function idsOf(html: string): string[] {
  return [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!);
}

/** The text of a page, without what all pages have around it. */
function mainOf(html: string): string {
  return html.slice(html.indexOf('<main'), html.lastIndexOf('</main>'));
}

/** The file of a page's address. */
function pageAt(path: string, from: string): string {
  const absolute = path.startsWith('/') ? path.slice(1) : join(from, path);
  return absolute === '' || absolute === '.' || absolute.endsWith('/')
    ? join(absolute, 'index.html')
    : `${absolute}.html`;
}
