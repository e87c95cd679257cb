import { z } from 'zod';
import type { Prompt } from '../../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { replyConfidence, replyList, replyNumber, replyText, replyWord } from '../../prompts/reply-parts.ts';

export interface NamedEntity {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind?: string | undefined;
  /** A description of the new entity or a summary of the remembered one. */
  readonly context: string;
}

export interface ResolveInput {
  readonly entities: readonly (NamedEntity & { readonly candidates: readonly NamedEntity[] })[];
}

export const VERDICTS = ['same', 'different', 'uncertain'] as const;
export type Verdict = (typeof VERDICTS)[number];

const LONGEST_NAME = 100;
const LONGEST_CONTEXT = 140;
const MOST_ALIASES = 4;

const schema = z.object({
  /** Nearly all pairs differ, and each entry costs as much as a match: a pair that is not listed differs. */
  matches: replyList(
    z.object({
      entity: replyNumber,
      candidate: replyNumber,
      reason: replyText,
      verdict: replyWord(VERDICTS, 'uncertain'),
      confidence: replyConfidence,
    }),
  ),
});

/** Decides whether entities of new turns are known ones (Mnemis §2.1, de-duplication). */
export const resolveEntities: Prompt<ResolveInput, z.output<typeof schema>> = {
  name: 'resolve-entities',
  version: 2,
  schema,
  expectedTokens: 100,
  shown: ({ entities }) => ({
    entity: entities.length,
    candidate: Math.max(...entities.map(({ candidates }) => candidates.length)),
  }),
  render: ({ entities }) => ({
    system: `You decide whether entities of a new talk are ones that memory knows. ${DATA_RULE} Lines "E1 …" are new entities, the lines "C1 …" under each its candidates in memory: name (kind; other names): what is said of it.
matches: only the pairs that are or may be one thing in the world; leave out every other pair. Often the list is empty. entity, candidate: their numbers. verdict: "same" when what is said of both agrees in something that few share: a full name, the name of a town, firm or work, a family tie, an event. "uncertain" when nothing tells them apart and nothing of the kind joins them; people who share no more than a first name or a role are never "same", and neither are two possessions of one kind ("car", "dog", "phone") that share no more than that. What has another owner, family or origin, part and whole, general and particular are no match.
Of several candidates for one entity, list as "same" the one that fits best.
reason: what they share, at most 10 words; empty if nothing. confidence: 0 to 1.`,
    user: fence(DATA, entities.map(shownEntity).join('\n')),
  }),
};

function shownEntity(entity: ResolveInput['entities'][number], at: number): string {
  const candidates = entity.candidates.map((candidate, place) => `C${place + 1} ${shown(candidate)}`);
  return [`E${at + 1} ${shown(entity)}`, ...candidates].join('\n');
}

function shown({ name, aliases, kind = '', context }: NamedEntity): string {
  const others = aliases.slice(0, MOST_ALIASES).map((alias) => asLabel(alias, LONGEST_NAME));
  const details = [asLabel(kind, LONGEST_NAME), others.join(', ')].filter((part) => part !== '').join('; ');
  return `${asLabel(name, LONGEST_NAME)}${details === '' ? '' : ` (${details})`}: ${asLabel(context, LONGEST_CONTEXT) || '?'}`;
}
