import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lookThrough, measureSeconds, NOTHING_KNOWN } from '../main/import-runs/import-price.ts';
import { findProfile } from '../main/papers.ts';
import { detectFormat } from '../src/importers/detect-format.ts';
import { PreviewTally, previewImport } from '../src/importers/preview-import.ts';
import { DEFAULT_LOCAL_PROFILE } from '../src/ingest/profile.ts';
import { syntheticTurns } from './synthetic-turns.ts';
import { round } from './temporary-memory.ts';

const START = Date.UTC(2022, 0, 1);

interface Line {
  readonly at: Date;
  readonly speaker: string;
  readonly text: string;
}

/** One long chat in each format. */
const CHATS: Readonly<Record<string, (lines: readonly Line[]) => string>> = {
  'WhatsApp Chat with Ada.txt': (lines) =>
    lines
      .map(({ at, speaker, text }) => {
        const [date, time] = at.toISOString().slice(0, 19).split('T');
        return `[${date}, ${time}] ${speaker}: ${text}`;
      })
      .join('\n'),
  'chat.jsonl': (lines) =>
    lines
      .map(({ at, speaker, text }) => JSON.stringify({ content: text, speaker, session: 'chat', at }))
      .join('\n'),
  'result.json': (lines) => {
    const messages = lines.map(({ at, speaker, text }, id) => {
      const [date, from_id] = [at.toISOString().slice(0, 19), `user${speaker}`];
      const date_unixtime = String(at.getTime() / 1000);
      return { id, type: 'message', date, date_unixtime, from: speaker, from_id, text, text_entities: [] };
    });
    return JSON.stringify({ name: 'Ada', type: 'personal_chat', id: 7, messages });
  },
};

/** What somebody waits for before an import: the preview of a long chat, with the processor time of its parts. */
export async function benchWaiting({ lines: count }: { readonly lines: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'mnemis-waiting-'));
  const lines = Array.from(syntheticTurns(count), ({ content, speaker }, at) => ({
    ...{ at: new Date(START + at * 600_000), speaker: speaker!, text: content },
  }));
  try {
    const previews: Record<string, object> = {};
    for (const [name, write] of Object.entries(CHATS)) {
      const path = join(folder, name);
      await writeFile(path, write(lines));
      previews[name] = await preview(path);
    }
    return { lines: count, previews };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function preview(path: string): Promise<object> {
  const profile = await findProfile(DEFAULT_LOCAL_PROFILE);
  const { importer } = await detectFormat(path);
  const read = await spent(() => previewImport(importer, path));
  const found = await lookThrough(importer.read(path), { memory: NOTHING_KNOWN, tally: new PreviewTally() });
  const priced = await spent(() => measureSeconds(found, { profile, signal: undefined }));
  return { turns: read.result.turns, readSeconds: read.seconds, priceSeconds: priced.seconds };
}

/** Seconds of processor time. */
async function spent<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly seconds: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, seconds: round((user + system) / 1e6) };
}
