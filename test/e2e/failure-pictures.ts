import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { openLabs } from './app-lab.ts';

/** Keeps what the windows show when a spec fails, in the folder that E2E_PICTURES names. */
const folder = process.env.E2E_PICTURES;

if (folder !== undefined)
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    mkdirSync(folder, { recursive: true });
    const pages = [...openLabs].flatMap(({ pages }) => pages).filter((page) => !page.isClosed());
    const name = `${task.file.name.replace(/^.*\/|\.e2e\.ts$/g, '')} ${task.name}`.replace(/[^\w-]+/g, '-');
    for (const [number, page] of pages.entries())
      await page.screenshot({ path: join(folder, `${name}-${number}.png`) }).catch(() => undefined);
  });
