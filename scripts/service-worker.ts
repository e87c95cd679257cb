import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

/** What the page cannot begin without. Parts that are loaded on demand are cached when they are used. */
const isOfShell = (name: string): boolean =>
  /^index\.html$|\.css$|-latin-wght-normal-[^/]*\.woff2$/.test(name);

/** Adds a worker that keeps the page's code, so that it opens without its server. It is of one build. */
export function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const files = Object.values(bundle);
        const entries = files.filter((file) => file.type === 'chunk' && file.isEntry);
        const first = entries.flatMap((file) =>
          file.type === 'chunk' ? [file.fileName, ...file.imports] : [],
        );
        const shell = [...new Set([...first, ...files.map(({ fileName }) => fileName).filter(isOfShell)])];
        const version = createHash('sha256');
        for (const { fileName } of files) version.update(`${fileName}\n`); // names have hashes of the content
        this.emitFile({
          type: 'asset',
          fileName: 'service-worker.js',
          source: workerSource(shell, version.digest('hex').slice(0, 16)),
        });
      },
    },
  };
}

function workerSource(shell: readonly string[], version: string): string {
  return `'use strict';
// Keeps the code of one build, and never a reply of the server: those are POST requests to /v1/.
const CACHE = 'mnemis-${version}';
const SHELL = ${JSON.stringify(['./', ...shell.filter((name) => name !== 'index.html').map((name) => `./${name}`)])};
self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)).then(() => self.skipWaiting()));
});
self.addEventListener('activate', (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clean());
});
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') {
    // The server's page first: a new version replaces this one at once. What another app shared stays on this device.
    event.respondWith(fetch('./').catch(() => caches.match('./', { ignoreSearch: true })));
  } else if (pathname.includes('/assets/')) event.respondWith(kept(request));
});
async function kept(request) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request);
  if (known !== undefined) return known;
  const reply = await fetch(request);
  if (reply.ok) await cache.put(request, reply.clone());
  return reply;
}
`;
}
