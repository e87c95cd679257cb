import { type FactInput, factInputSchema } from '../../model/fact-input.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { parseJson } from '../../util/parse-json.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import { type FactRecord, type ImportRecord, type RejectedRecord, rejected } from '../importer.ts';
import { DAMAGED, isIn, MISSING, readElements } from '../json/read-elements.ts';
import { boundedId, cleaned, messageRecords, timeOrReason as timeOf } from '../message-records.ts';
import { fileLines } from '../read-lines.ts';
import { unknownKind } from '../unknown-content.ts';
import {
  dumpSchema,
  edgeSchema,
  entitySchema,
  episodeSchema,
  type GraphitiEdge,
  type GraphitiEpisode,
  rowSchema,
} from './schema.ts';

/** The content of a file, not validated yet. */
interface GraphEntry {
  readonly kind: 'episode' | 'edge' | 'problem' | 'left-out';
  readonly where: string;
  /** The reason, of a problem or of what is left out. */
  readonly value: unknown;
}

interface Graph {
  readonly entries: readonly GraphEntry[];
  /** Of entities, by uuid. */
  readonly names: ReadonlyMap<string, string>;
}

/** Reads a whole file, because statements may refer to entities and turns anywhere in it. */
async function readGraph(file: ImportFile, context: ReadContext): Promise<Graph> {
  const graph = new GraphBuilder();
  const isLines = /\.(?:jsonl|ndjson)$/i.test(file.name) || (await beginsWithRow(file));
  if (isLines)
    for await (const line of fileLines(file, context)) {
      const where = `${context.in(file)}line ${line.number}`;
      if ('problem' in line) graph.problem(where, line.problem);
      else if (line.text.trim() !== '') {
        const json = parseJson(line.text);
        if (json.ok) graph.row(where, json.value);
        else graph.problem(where, json.reason);
      }
    }
  else
    for await (const element of readElements(file, context, { keepsParts: true })) {
      const where = `${context.in(file)}entry ${element.number}`;
      if ('problem' in element) graph.problem(where, element.problem);
      else if (element.alone) graph.dump(element.value, { before: context.in(file), broken: element.broken });
      else graph.row(where, element.value);
    }
  return graph;
}

/** Distinguishes JSON lines from one document by the first line, which is a complete row. */
async function beginsWithRow(file: ImportFile): Promise<boolean> {
  for await (const chunk of file.open()) {
    const text = new TextDecoder().decode(chunk.subarray(0, 200));
    return /^\s*\{\s*"type"\s*:\s*"(?:node|relationship)"/.test(text);
  }
  return false;
}

class GraphBuilder implements Graph {
  readonly entries: GraphEntry[] = [];
  readonly names = new Map<string, string>();

  problem(where: string, reason: string): void {
    this.entries.push({ kind: 'problem', where, value: reason });
  }

  row(where: string, value: unknown): void {
    const row = rowSchema.safeParse(value);
    if (!row.success) this.#bare(where, value);
    else if (row.data.type === 'node') this.#node(where, row.data);
    else if (row.data.label === 'RELATES_TO') {
      const { end, properties, start } = row.data;
      const ends = { source_node_uuid: this.#name(start), target_node_uuid: this.#name(end) };
      this.entries.push({ kind: 'edge', where, value: { ...ends, ...properties } });
    } else if (row.data.label !== 'MENTIONS')
      this.#leftOut(where, unknownKind('a relationship', row.data.label));
  }

  #leftOut(where: string, reason: string): void {
    this.entries.push({ kind: 'left-out', where, value: reason });
  }

  /** A row without a kind, as in a list of only episodes or edges. */
  #bare(where: string, value: unknown): void {
    const has = (key: string) => typeof value === 'object' && value !== null && key in value;
    if (has('fact')) this.entries.push({ kind: 'edge', where, value });
    else if (has('content')) this.entries.push({ kind: 'episode', where, value });
    else if (this.#entity(value) === null)
      this.problem(where, 'is not an episode, entity or edge of Graphiti');
  }

  #node(where: string, { labels, properties }: { labels: readonly string[]; properties: unknown }): void {
    if (labels.includes('Episodic')) this.entries.push({ kind: 'episode', where, value: properties });
    else if (labels.includes('Entity')) this.#entity(properties);
    else this.#leftOut(where, unknownKind('a node', labels[0]));
  }

  /** The end of a Neo4j relationship row may include the properties of its node. */
  #name(end: { readonly properties?: unknown } | undefined): string | null {
    return this.#entity(end?.properties);
  }

  #entity(value: unknown): string | null {
    const entity = entitySchema.safeParse(value);
    if (!entity.success) return null;
    this.names.set(entity.data.uuid, entity.data.name);
    return entity.data.uuid;
  }

  dump(value: unknown, { before, broken }: { before: string; broken: ReadonlySet<object> }): void {
    const dump = dumpSchema.safeParse(value);
    if (!dump.success) this.problem(`${before}entry 1`, 'is not an export of Graphiti');
    const data = dump.data ?? {};
    const add = (kind: string, list: readonly unknown[] | null | undefined) => {
      for (const [position, each] of (list ?? []).entries()) {
        const where = `${before}${kind} ${position + 1}`;
        if (isIn(broken, each)) this.problem(where, DAMAGED);
        else this.row(where, each);
      }
    };
    add('entity', data.entities ?? data.entity_nodes);
    add('node', data.nodes);
    add('episode', data.episodes ?? data.episodic_nodes);
    add('edge', data.edges ?? data.entity_edges ?? data.facts ?? data.rels);
    if (isIn(broken, value)) this.problem(`${before}the end`, MISSING);
  }
}

const GRAPHITI_SOURCE = 'graphiti';

const graphitiFormat: ChatFormat = {
  name: GRAPHITI_SOURCE,
  description:
    'Graphiti: episodes, entities and facts as JSON, or the output of apoc.export.json for its graph',
  wanted: (path) => /\.(?:json|jsonl|ndjson)$/i.test(path),
  recognize: ({ keys, text }) => {
    if (['edges', 'entity_edges', 'facts', ''].some((list) => keys.has(`${list}[].fact`)))
      return 'it holds facts between nodes';
    if (keys.has('episodes[].content') || keys.has('episodic_nodes[].content')) return 'it holds episodes';
    return /"labels"\s*:\s*\[[^\]]{0,200}"(?:Episodic|Entity)"/.test(text)
      ? 'its nodes have Graphiti’s labels'
      : null;
  },
  records: readTurns,
  facts: readFacts,
};
export const graphitiImporter = chatImporter(graphitiFormat);

async function* readTurns(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  const { entries } = await readGraph(file, context);
  for (const { kind, value, where } of entries)
    if (kind === 'problem') yield rejected(where, String(value));
    else if (kind === 'left-out') context.leftOut(where, String(value));
    else if (kind === 'episode') yield* episodeRecords(value, { where, context });
  for (const { kind, value, where } of entries)
    if (kind === 'edge') yield* edgeRecords(value, { where, context });
  if (context.groups.size > 1)
    context.note(`It holds ${context.groups.size} groups, which all go into this one scope`);
}

interface Place {
  readonly where: string;
  readonly context: ReadContext;
}

function* episodeRecords(value: unknown, { where, context }: Place): Generator<ImportRecord> {
  const parsed = episodeSchema.safeParse(value);
  if (!parsed.success) yield rejected(where, describeIssues(parsed.error));
  else if (context.known.has(parsed.data.uuid)) yield rejected(where, 'an earlier episode has the same uuid');
  else {
    const episode = parsed.data;
    const at = timeOf(episode.valid_at) ?? timeOf(episode.created_at);
    if (typeof at !== 'number') {
      yield rejected(where, `valid_at: ${at ?? 'is missing, and created_at too'}`);
      return;
    }
    context.known.add(episode.uuid);
    const said = {
      ...speechOf(episode, context),
      at,
      conversation: conversationOf(episode.group_id, context),
    };
    yield* messageRecords({ ...said, source: GRAPHITI_SOURCE, sourceId: episode.uuid }, where);
  }
}

/** For a statement whose turns are not in the file, creates a turn with its text as its evidence. */
function* edgeRecords(value: unknown, { where, context }: Place): Generator<ImportRecord> {
  const parsed = edgeSchema.safeParse(value);
  if (!parsed.success) {
    yield rejected(where, describeIssues(parsed.error));
    return;
  }
  const edge = parsed.data;
  if (turnsOf(edge, context.known).length > 0) return;
  const at = timeOf(edge.valid_at) ?? timeOf(edge.created_at);
  if (typeof at !== 'number') yield rejected(where, `valid_at: ${at ?? 'is missing, and created_at too'}`);
  else {
    const said = { content: edge.fact, at, speaker: 'Graphiti', role: 'other' as const };
    const conversation = conversationOf(edge.group_id, context);
    yield* messageRecords(
      { ...said, conversation, source: GRAPHITI_SOURCE, sourceId: factTurn(edge) },
      where,
    );
  }
}

const factTurn = ({ uuid }: GraphitiEdge) => `fact/${uuid}`;

function turnsOf(edge: GraphitiEdge, known: ReadonlySet<string>): string[] {
  return [...new Set(edge.episodes ?? [])].filter((uuid) => known.has(uuid)).slice(0, 100);
}

function conversationOf(group: string | null | undefined, context: ReadContext) {
  context.groups.add(group ?? '');
  return { id: `${GRAPHITI_SOURCE}/${group || 'default'}` };
}

/** A message is stored as "Ana: Hello"; other episodes are texts or JSON. */
function speechOf({ content, role, role_type, source }: GraphitiEpisode, { settings }: ReadContext) {
  const own = source === 'message' ? /^([^:\n]{1,60}):\s/.exec(content) : null;
  const speaker = role ?? own?.[1]?.trim() ?? settings.me ?? 'user';
  const known = (['user', 'assistant', 'system', 'tool'] as const).find(
    (each) => each === (role_type ?? speaker).toLowerCase(),
  );
  return {
    content: own === null ? content : content.slice(own[0].length),
    speaker: known === 'user' && speaker === 'user' ? (settings.me ?? speaker) : speaker,
    role: known ?? (source === 'json' ? ('other' as const) : ('user' as const)),
  };
}

async function* readFacts(
  file: ImportFile,
  context: ReadContext,
): AsyncGenerator<FactRecord | RejectedRecord> {
  const graph = await readGraph(file, context);
  for (const { kind, value } of graph.entries) {
    const episode = kind === 'episode' ? episodeSchema.safeParse(value) : null;
    const isTurn =
      episode?.success &&
      typeof (timeOf(episode.data.valid_at) ?? timeOf(episode.data.created_at)) === 'number';
    if (isTurn) context.known.add(episode.data.uuid);
  }
  for (const { kind, value, where } of graph.entries) {
    const parsed = kind === 'edge' ? edgeSchema.safeParse(value) : null;
    if (!parsed?.success) continue; // already reported with the turns
    const fact = factInputSchema.safeParse(factOf(parsed.data, { graph, context }));
    if (fact.success) yield { kind: 'fact', where, fact: fact.data };
    else yield rejected(where, describeIssues(fact.error));
  }
}

function factOf(edge: GraphitiEdge, { graph, context }: { graph: Graph; context: ReadContext }): FactInput {
  const turns = turnsOf(edge, context.known);
  const named = (uuid?: string | null, name?: string | null) =>
    cleaned(name ?? graph.names.get(uuid ?? '') ?? '').trim();
  const subject = named(edge.source_node_uuid, edge.source_node_name);
  const object = named(edge.target_node_uuid, edge.target_node_name);
  const [start, end] = [timeOf(edge.valid_at), timeOf(edge.invalid_at)];
  return {
    statement: cleaned(edge.fact),
    ...(subject === '' ? {} : { subject }),
    ...(object === '' ? {} : { object }),
    relation: (edge.name ?? '').replaceAll('_', ' ').toLowerCase().slice(0, 300),
    ...(typeof start === 'number' ? { validAt: start } : {}),
    ...(typeof end === 'number' ? { invalidAt: end } : {}),
    evidence: (turns.length > 0 ? turns : [factTurn(edge)]).map((id) => ({
      source: GRAPHITI_SOURCE,
      sourceId: boundedId(id),
    })),
  };
}
