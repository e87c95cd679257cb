import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { z } from 'zod';
import type { Scope } from '../../../model/ids.ts';
import { parseJson } from '../../../util/parse-json.ts';
import type { CommitNotice } from '../../store-sharing.ts';
import type { PostgresDatabase } from './postgres-database.ts';

/** Notices of commits within this time are sent as one statement. */
const GATHER_MILLISECONDS = 2;
/** How often a listener is told that it may have missed something, which it cannot know. */
const DOUBT_MILLISECONDS = 5_000;
const LONGEST_PAUSE_MILLISECONDS = 5_000;

const noticeSchema = z.object({ process: z.string(), scope: z.string(), sequence: z.number().int() });

type Heard = (notice: CommitNotice | null) => void;

/**
 * Tells the other processes of commits, by NOTIFY and LISTEN. Sent after the commit, in a transaction of its own: those
 * that notify wait for each other in the whole database, and these hold nothing else.
 */
export class CommitChannel {
  readonly #database: PostgresDatabase;
  readonly #process: string;
  readonly #unsent = new Map<Scope, number>();
  readonly #listeners = new Set<Heard>();
  #sending: Promise<void> | null = null;
  #listening: Promise<void> | null = null;
  readonly #closing = new AbortController();

  constructor(database: PostgresDatabase, process: string) {
    this.#database = database;
    this.#process = process;
  }

  announce({ scope, sequence }: CommitNotice): void {
    this.#unsent.set(scope, sequence);
    this.#sending ??= wait(GATHER_MILLISECONDS).then(async () => {
      this.#sending = null;
      await this.#send();
    });
  }

  listen(heard: Heard): () => Promise<void> {
    this.#listeners.add(heard);
    this.#listening ??= this.#listen();
    return async () => {
      this.#listeners.delete(heard);
    };
  }

  /** Sends what is left. */
  async close(): Promise<void> {
    await this.#sending;
    this.#closing.abort();
    await this.#listening;
  }

  /** A notice that is lost is no loss: listeners look for themselves from time to time. */
  async #send(): Promise<void> {
    const notices = Array.from(this.#unsent, ([scope, sequence]) =>
      JSON.stringify({ process: this.#process, scope, sequence }),
    );
    this.#unsent.clear();
    await this.#database.notify(notices).catch(() => undefined);
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    for (let pause = 100; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLISECONDS)) {
      const client = await this.#database.listen((text) => this.#hear(text)).catch(() => null);
      if (client !== null) {
        pause = 50;
        this.#tell(null); // commits before this moment were not heard
        await this.#whileConnected(client);
      }
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  async #whileConnected(client: pg.Client): Promise<void> {
    const { signal } = this.#closing;
    const timer = setInterval(() => this.#tell(null), DOUBT_MILLISECONDS).unref();
    try {
      await new Promise<void>((resolve) => {
        client.once('end', () => resolve());
        signal.addEventListener('abort', () => resolve(), { once: true });
        if (signal.aborted) resolve();
      });
    } finally {
      clearInterval(timer);
      await client.end().catch(() => undefined);
    }
  }

  #hear(text: string): void {
    const read = parseJson(text);
    const { data } = noticeSchema.safeParse(read.ok ? read.value : null);
    if (data === undefined || data.process === this.#process) return;
    this.#tell({ scope: data.scope as Scope, sequence: data.sequence });
  }

  #tell(notice: CommitNotice | null): void {
    for (const heard of this.#listeners) heard(notice);
  }
}
