import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLocomoDataset } from '../../../eval/datasets/locomo.ts';
import { openConversation } from '../../../src/inference/language-model/calling/conversation.ts';
import { replyShape } from '../../../src/inference/language-model/reading/reply-shape.ts';
import { countPrompt } from '../../../src/inference/language-model/tokens/count-tokens.ts';
import { readSegments } from '../../../src/ingest/extract/llm/read-segments-prompt.ts';
import { toPromptTurn } from '../../../src/ingest/extract/llm/talk.ts';
import { segmentBoundaries } from '../../../src/ingest/segment/segment-boundaries-prompt.ts';
import type { Prompt } from '../../../src/model/prompt.ts';
import { groupBy, inBatches } from '../../../src/util/collections.ts';
import { parseTimestamp } from '../../../src/util/parse-timestamp.ts';
import { counter } from '../../fakes/openai-server/tokens.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data/locomo/locomo5-dev.json');
const WHY = '(skipped without the data, which is not part of the repository)';

/** Includes the schema, as providers charge it. */
async function tokensOf<Input>(prompt: Prompt<Input, unknown>, input: Input): Promise<number> {
  const form = { shape: replyShape(prompt), strategy: 'schema' } as const;
  return countPrompt(counter, { turns: openConversation(prompt.render(input), form), form });
}

describe.skipIf(!existsSync(DATA))(`prompt tokens of a LoCoMo conversation ${WHY}`, () => {
  it('reading a session of four segments takes at most 2,150, finding its segments 1,200', async () => {
    const [first] = (await readLocomoDataset(DATA)).cases;
    const sessions = [...groupBy(first!.turns, ({ session }) => session).values()].map((turns) =>
      turns.map(({ content, speaker = '', at, attachments = [] }) =>
        toPromptTurn({ content, speaker, role: 'user', validAt: parseTimestamp(at!)!, attachments }),
      ),
    );
    const [read, found] = [[] as number[], [] as number[]];
    for (const turns of sessions) {
      read.push(await tokensOf(readSegments, { segments: inBatches(turns, Math.ceil(turns.length / 4)) }));
      found.push(await tokensOf(segmentBoundaries, { turns }));
    }
    const mean = (tokens: readonly number[]) => tokens.reduce((sum, each) => sum + each, 0) / tokens.length;
    expect(sessions.length).toBeGreaterThan(10);
    expect(mean(read)).toBeLessThan(2_150);
    expect(mean(found)).toBeLessThan(1_200);
  });
});
