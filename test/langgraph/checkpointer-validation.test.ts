import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SqliteCheckpointer } from '../../src/langgraph/checkpoints/sqlite-checkpointer.ts';

const folder = mkdtempSync(join(tmpdir(), 'mnemis-validation-'));
/** LangGraph's suite takes the functions of the test runner from the global scope. */
const functions = { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it };
Object.assign(globalThis, functions);
afterAll(() => {
  for (const name of Object.keys(functions)) Reflect.deleteProperty(globalThis, name);
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
const initializer = {
  /**
   * The name of LangGraph's own SQLite checkpointer, which exempts from one case: that a first checkpoint lacks the
   * values of channels that are not among its new versions. Both store what they are given.
   */
  checkpointerName: '@langchain/langgraph-checkpoint-sqlite',
  createCheckpointer: () => SqliteCheckpointer.open(join(folder, `${++files}.sqlite`)),
  destroyCheckpointer: (saver: SqliteCheckpointer) => saver.close(),
};
validate(initializer);
deltaChannelHistoryTests(initializer);
