import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { ANSWERERS } from '../../src/answer/given-answer.ts';
import type { CategoryTree } from '../../src/engine/hierarchy/browse-hierarchy.ts';
import { clip } from '../../src/prompts/as-data.ts';
import type { AgentTool, ToolContext, ToolMemory } from '../../src/tools/agent-tool.ts';
import { askMemory } from '../../src/tools/ask-memory.ts';
import { browseMemory } from '../../src/tools/browse-memory.ts';
import { forget, forgetPreview, MOST_NAMES } from '../../src/tools/forget.ts';
import { memoryStats } from '../../src/tools/memory-stats.ts';
import { remember } from '../../src/tools/remember.ts';
import { searchMemory } from '../../src/tools/search-memory.ts';
import {
  entityItem,
  entityItemSchema,
  episodeUri,
  factItem,
  factItemSchema,
  sourcesOf,
  turnItem,
  turnItemSchema,
} from './item-schemas.ts';
import { type McpTool, registerTool } from './register-tool.ts';
import type { ServerSettings } from './server-options.ts';

/** Registers the tools of a server: all of them, or only those that read. */
export function registerTools(
  server: McpServer,
  parts: { readonly context: ToolContext; readonly settings: ServerSettings },
): void {
  registerTool(server, parts, search);
  registerTool(server, parts, ask);
  registerTool(server, parts, browse);
  registerTool(server, parts, stats);
  if (parts.settings.readOnly) return;
  registerTool(server, parts, rememberWords);
  registerTool(server, parts, previewForgetting);
  registerTool(server, parts, forgetShown);
}

/** Keeps the types of a tool's two parts consistent. */
function inMcp<Input extends z.ZodObject, Data, Methods extends keyof ToolMemory, Output extends z.ZodObject>(
  tool: AgentTool<Input, Data, Methods>,
  form: McpTool<Output, Data>,
): AgentTool<Input, Data, Methods> & McpTool<Output, Data> {
  return { ...tool, ...form };
}

const search = inMcp(searchMemory, {
  annotations: { readOnlyHint: true, idempotentHint: true },
  output: z.object({
    recipe: z.string().describe('The search recipe that ran.'),
    turns: z.array(turnItemSchema),
    facts: z.array(factItemSchema),
    entities: z.array(entityItemSchema),
    leftOut: z.number().describe('Turns, facts and entities that do not fit into the text.'),
    milliseconds: z.number(),
  }),
  dataOf: ({ search, leftOut }, { scope }) => ({
    recipe: search.recipe,
    turns: search.episodes.map((item) => turnItem(item, scope)),
    facts: search.facts.map((item) => factItem(item, scope)),
    entities: search.entities.map((item) => entityItem(item, scope)),
    leftOut,
    milliseconds: search.milliseconds,
  }),
});

const ask = inMcp(askMemory, {
  annotations: { readOnlyHint: true, idempotentHint: true },
  output: z.object({
    answered: z.boolean().describe('False if memory does not hold enough.'),
    answer: z.string(),
    answerer: z.enum(ANSWERERS).describe('local: quotes from memory; llm: written by a language model.'),
    confidence: z.number().nullable().describe('From 0 to 1; null if a language model answered.'),
    citations: z.array(
      z.object({
        number: z.number().describe('The number in brackets in the answer.'),
        kind: z.enum(['episode', 'fact', 'entity']),
        id: z.string(),
        quote: z.string(),
        sources: z.array(z.string()).describe('Addresses of the turns, at most 5.'),
      }),
    ),
    found: z.string().nullable().describe('Of an abstention: the nearest in memory, which is no answer.'),
    notes: z.array(z.string()),
  }),
  dataOf: ({ text, citations, notes, ...answer }, { scope }) => ({
    answered: answer.answered,
    answer: text,
    answerer: answer.answerer,
    confidence: answer.confidence,
    found: answer.found?.quote ?? null,
    notes: [...notes],
    citations: citations.map(({ number, quote, item }) => ({
      number,
      quote,
      kind: item.kind,
      id: item.id,
      sources: sourcesOf(item, scope),
    })),
  }),
});

const LONGEST_SUMMARY = 500;
const nodeSchema = z.object({
  id: z.string(),
  kind: z.enum(['category', 'entity']),
  name: z.string(),
  layer: z.number().describe('0 for an entity; categories from 1, more general ones higher.'),
  entities: z.number().describe('Entities below it.'),
  summary: z.string().describe('Empty for an entity.'),
  tags: z.array(z.string()),
  alsoIn: z.array(z.string()).describe('Other categories that it belongs to.'),
});

const browse = inMcp(browseMemory, {
  annotations: { readOnlyHint: true, idempotentHint: true },
  output: z.object({
    category: nodeSchema.nullable().describe('Null at the top. For an entity, alsoIn lists its categories.'),
    namesakes: z.array(nodeSchema).describe('Others with that name: request them by id.'),
    members: z.array(nodeSchema),
    page: z.number(),
    pages: z.number(),
    total: z.number(),
    known: z.number().describe('Entities in all of memory.'),
    uncategorized: z.number().describe('Entities that have no category yet.'),
  }),
  dataOf: ({ tree, within, namesakes, members, page, pages, total }) => {
    const { summaries = {}, entities: known = 0, waiting: uncategorized = 0 } = tree;
    const told = (node: CategoryTree) => nodeItem(node, summaries[node.id]);
    return {
      category: within === undefined ? null : told(within),
      namesakes: namesakes.map(told),
      members: members.map(told),
      page,
      pages,
      total,
      known,
      uncategorized,
    };
  },
});

function nodeItem({ id, layer, name, entities, tags, alsoIn }: CategoryTree, summary = '') {
  const kind = layer > 0 ? ('category' as const) : ('entity' as const);
  const brief = clip(summary, LONGEST_SUMMARY);
  return {
    id: id as string,
    kind,
    name,
    layer,
    entities,
    summary: brief,
    tags: [...tags],
    alsoIn: [...alsoIn],
  };
}

const stats = inMcp(memoryStats, {
  annotations: { readOnlyHint: true, idempotentHint: true },
  output: z.object({
    scope: z.string().describe('Name of the scope.'),
    turns: z.number().describe('Superseded versions included.'),
    facts: z.number(),
    entities: z.number(),
    categories: z.number(),
    segments: z.number(),
    waiting: z.number().describe('Turns that wait to be read for facts.'),
    setAside: z.number().describe('Turns that could not be read; "mnemis stats" says why.'),
    readOnly: z.boolean().describe('Whether this server only reads.'),
  }),
  dataOf: (counts, { scope, readOnly }) => ({ scope, ...counts, readOnly }),
});

export const rememberWords = inMcp(remember, {
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  output: z.object({
    status: z.enum(['added', 'known', 'superseding', 'rejected']),
    id: z.string().nullable().describe('Id of the turn; null if it was rejected.'),
    uri: z.string().nullable(),
    reason: z.string().nullable().describe('Why it was rejected.'),
    notStored: z
      .array(z.object({ status: z.enum(['known', 'rejected']), reason: z.string() }))
      .describe('Why nothing was stored; empty if the turn was.'),
    redacted: z.array(z.string()).describe('Kinds of secrets that were redacted first.'),
    readUpTo: z
      .number()
      .nullable()
      .describe(
        'For a turn that is too long: how many characters are read for facts. All of it is stored and searchable. Null for others.',
      ),
    waiting: z.number().describe('Turns that wait to be read for facts.'),
    learned: z
      .object({ entities: z.number(), facts: z.number(), outdated: z.number() })
      .nullable()
      .describe('What was read; null if nothing was, or not yet.'),
  }),
  dataOf: ({ outcome, notStored, redacted, readUpTo, waiting, learned }, { scope }) => {
    const { status } = outcome;
    const isRejected = status === 'rejected';
    return {
      status,
      readUpTo,
      waiting,
      learned,
      redacted: [...redacted],
      id: isRejected ? null : outcome.id,
      uri: isRejected ? null : episodeUri(scope, outcome.id),
      reason: isRejected ? outcome.reason : null,
      notStored: notStored.map(({ status, reason }) => ({ status, reason })),
    };
  },
});

const previewForgetting = inMcp(forgetPreview, {
  annotations: { readOnlyHint: true, idempotentHint: true },
  output: z.object({
    confirmation: z
      .string()
      .nullable()
      .describe('For forget, with the same arguments; null if nothing would be deleted.'),
    minutes: z.number().describe('Minutes for which the confirmation is valid.'),
    counts: z.record(z.string(), z.number()).describe('Rows that would be deleted, by kind.'),
    turns: z.number(),
    examples: z
      .array(
        z.object({ id: z.string(), uri: z.string(), session: z.string(), at: z.string(), text: z.string() }),
      )
      .describe('At most 5 of the turns.'),
    facts: z.array(z.string()).describe('Statements of facts that would be deleted, at most 20.'),
    entities: z.array(z.string()).describe('Names of entities that would be deleted, at most 20.'),
    vanishing: z.array(z.string()).describe('Names of entities that no remaining turn mentions, at most 20.'),
    readAgain: z.number().describe('Remaining turns that would be read for facts again.'),
    alsoSaid: z
      .object({
        total: z.number(),
        turns: z
          .array(
            z.object({
              id: z.string(),
              uri: z.string(),
              session: z.string(),
              speaker: z.string(),
              at: z.string(),
              text: z.string(),
            }),
          )
          .describe('At most 20.'),
      })
      .describe(
        'Turns that would stay although they quote deleted ones; with quotations true they are deleted, too.',
      ),
  }),
  dataOf: ({ preview, confirmation }, { scope, confirmationMinutes: minutes }) => {
    const { counts, examples, facts, entities, vanishing, episodes, reread, alsoSaid } = preview;
    const linked = <T extends { readonly id: string }>(all: readonly T[]) =>
      all.map((each) => ({ ...each, uri: episodeUri(scope, each.id) }));
    return {
      confirmation,
      minutes,
      turns: episodes.length,
      readAgain: reread,
      counts: Object.fromEntries(Object.entries(counts)),
      examples: linked(examples),
      facts: [...facts],
      entities: [...entities],
      alsoSaid: { total: alsoSaid.total, turns: linked(alsoSaid.turns) },
      vanishing: vanishing.slice(0, MOST_NAMES).map(({ name }) => name),
    };
  },
});

const forgetShown = inMcp(forget, {
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  output: z.object({
    removed: z.record(z.string(), z.number()).describe('Deleted rows, by kind.'),
    readAgain: z.number().describe('Remaining turns that wait to be read for facts again.'),
    alsoSaid: z.number().describe('Remaining turns that quote deleted ones.'),
    clean: z.boolean().describe('Whether a search of all stored data found none of the deleted text.'),
    onDisk: z
      .enum(['needs compact', 'needs vacuum', 'nothing on disk'])
      .describe(
        'Where deleted text remains: in the file until "mnemis compact", on a database server’s disk until VACUUM FULL, or nowhere.',
      ),
    seconds: z.number(),
  }),
  dataOf: ({ removed, reread, proof, onDisk, seconds, alsoSaid }) => ({
    removed: { ...removed },
    readAgain: reread,
    alsoSaid,
    clean: proof.clean,
    onDisk,
    seconds,
  }),
});
