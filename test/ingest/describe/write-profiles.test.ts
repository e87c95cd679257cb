import { describe, expect, it } from 'vitest';
import { paperProfileNamed } from '../../../eval/papers/profiles.ts';
import type { ConsolidationContext } from '../../../src/ingest/consolidation-context.ts';
import type { EntityNote } from '../../../src/ingest/describe/describe-entities-prompt.ts';
import { LlmDescriber } from '../../../src/ingest/describe/llm-describer.ts';
import { writeProfiles } from '../../../src/ingest/describe/write-profiles.ts';
import { LocalFallback } from '../../../src/ingest/local-fallback.ts';
import { type IngestProfile, profileNamed } from '../../../src/ingest/profile.ts';
import type { EntityId } from '../../../src/model/ids.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { description, entity, profile, scopeOf } from '../../contract/graph-rows.ts';
import { FakeLanguageModel } from '../../fakes/language-model/fake-language-model.ts';

const MARA = 'mara' as EntityId;
const MAY = Date.UTC(2024, 4, 1);
const MOVED = { text: 'Mara moved to Lisbon.', at: MAY };

interface Case {
  readonly before?: string;
  readonly notes?: readonly EntityNote[];
  readonly outdated?: boolean;
  readonly using?: IngestProfile;
  readonly model?: FakeLanguageModel;
}

/** Mara's summary after an update, for which rules would write "Mara works as a nurse." */
async function written({
  before = 'Mara is a nurse in Oslo.',
  notes = [MOVED],
  outdated = false,
  using = profileNamed('default'),
  model = neverAsked,
}: Case): Promise<string> {
  const [store, index, scope] = [new InMemoryStore(), ScopeIndex.empty(4), scopeOf('a')];
  const row = { owner: MARA, name: 'Mara', aliases: [], tags: ['person'] };
  const changes = {
    nodes: {
      entity: [entity(MARA)],
      profile: [profile('old', { ...row, summary: before })],
      description: [description('d', { entity: MARA })],
    },
  };
  await store.commit(scope, changes);
  index.apply(changes);
  const context = {
    ...{ store, index, scope },
    profile: using,
    stages: { describer: using.describes ? new LlmDescriber(model) : null },
    calls: {},
  } as unknown as ConsolidationContext;
  const created = profile('new', { ...row, summary: 'Mara works as a nurse.' });
  const descriptions = new Map(notes.length === 0 ? [] : [[MARA, { notes, tags: [] }]]);
  const [first] = await writeProfiles(context, [created], {
    descriptions,
    outdated: new Set(outdated ? [MARA] : []),
    fallback: new LocalFallback(),
  });
  return first!.summary;
}

const neverAsked = new FakeLanguageModel(() => {
  throw new Error('asked');
});

describe('writeProfiles', () => {
  it('adds new descriptions with their day to the stored summary, without a call while they fit', async () => {
    expect(await written({})).toBe('Mara is a nurse in Oslo. Mara moved to Lisbon. (said 2024-05-01)');
  });

  it('drops a stored summary that counts mentions only', async () => {
    const before = 'Mara (person), mentioned 4 times.';
    expect(await written({ before })).toBe('Mara moved to Lisbon. (said 2024-05-01)');
  });

  it('keeps what was described where a profile is renewed without a new description', async () => {
    expect(await written({ notes: [] })).toBe('Mara is a nurse in Oslo.');
  });

  it('begins with live facts if the stored summary may contain deleted or ended ones', async () => {
    expect(await written({ outdated: true })).toBe(
      'Mara works as a nurse. Mara moved to Lisbon. (said 2024-05-01)',
    );
  });

  it('has a model use every description and the summary so far, in order of time and in bounded calls', async () => {
    const notes = Array.from({ length: 20 }, (_, at) => ({
      text: `Event ${at} happened, ${'and so on '.repeat(15)}`.trim(),
      at: MAY + at * 86_400_000,
    }));
    const shown: string[] = [];
    const model = new FakeLanguageModel(({ user }) => {
      shown.push(user);
      return { profiles: [{ entity: 1, summary: `Profile ${shown.length}.`, tags: [] }] };
    });
    expect(await written({ notes, model })).toBe(`Profile ${shown.length}.`);
    expect(shown.length).toBeGreaterThan(1);
    expect(shown[0]).toContain('= Mara is a nurse in Oslo.\n2024-05-01 Event 0 happened');
    expect(shown[1]).toContain('= Profile 1.');
    expect(shown.join('').match(/Event \d+/g)).toEqual(notes.map((_, at) => `Event ${at}`));
    for (const each of shown) expect(each.length).toBeLessThan(2_500);
  });

  it('joins descriptions without days, the newest first, where a profile has no model describe', async () => {
    expect(await written({ using: paperProfileNamed('mnemis-paper') })).toBe(
      'Mara moved to Lisbon. Mara is a nurse in Oslo.',
    );
  });
});
