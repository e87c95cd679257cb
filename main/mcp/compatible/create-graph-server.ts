import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { mnemisVersion } from '../../version.ts';
import { reportFailure } from '../register-tool.ts';
import { graphPage } from './graph-page.ts';
import { KnowledgeGraph, type KnowledgeGraphOptions } from './knowledge-graph.ts';

const entity = z.object({
  name: z.string().describe('The name of the entity'),
  entityType: z.string().describe('The type of the entity'),
  observations: z.array(z.string()).describe('What is known of it, a text each'),
});
const relation = z.object({
  from: z.string().describe('The name of the entity where the relation starts'),
  to: z.string().describe('The name of the entity where the relation ends'),
  relationType: z.string().describe('The type of the relation, in active voice'),
});
const page = {
  entities: z.array(entity),
  relations: z.array(relation),
  notice: z.string().optional().describe('What is left out, and how to get it'),
  next: z.string().optional().describe('For read_graph: the "after" of the next page'),
};
const done = { success: z.boolean(), message: z.string() };
const names = z.array(z.string());

export interface GraphServerOptions extends KnowledgeGraphOptions {
  readonly readOnly: boolean;
}

/**
 * An MCP server with the tools, inputs and replies of `@modelcontextprotocol/server-memory` 2026.8.31 over a scope of a
 * memory. Its replies are bounded: a longer one says how to go on.
 */
export function createGraphServer({ readOnly, ...options }: GraphServerOptions): McpServer {
  const server = new McpServer({ name: 'memory-server', title: 'Mnemis memory', version: mnemisVersion() });
  const graph = new KnowledgeGraph(options);

  function tool<Input extends z.ZodRawShape>(
    name: string,
    form: {
      readonly title: string;
      readonly description: string;
      readonly input: Input;
      readonly output: z.ZodRawShape;
      readonly effect: 'reads' | 'adds' | 'deletes';
    },
    run: (input: z.output<z.ZodObject<Input>>, signal: AbortSignal) => Promise<CallToolResult>,
  ): void {
    const { title, description, input, output, effect } = form;
    if (readOnly && effect !== 'reads') return;
    const annotations = {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'deletes',
      idempotentHint: effect !== 'adds',
      openWorldHint: false,
    };
    const call = async (
      given: unknown,
      { signal }: { readonly signal: AbortSignal },
    ): Promise<CallToolResult> => {
      try {
        return await run(given as z.output<z.ZodObject<Input>>, signal);
      } catch (error) {
        const { message } = reportFailure(error, { what: `tool ${name}`, logger: options.logger });
        return { isError: true, content: [{ type: 'text', text: message }] };
      }
    };
    server.registerTool(
      name,
      { title, description, inputSchema: z.object(input), outputSchema: z.object(output), annotations },
      call as never,
    );
  }

  tool(
    'create_entities',
    {
      ...{ title: 'Create Entities', effect: 'adds' },
      description: 'Create multiple new entities in the knowledge graph; those that exist stay as they are',
      input: { entities: z.array(entity) },
      output: { entities: z.array(entity) },
    },
    async ({ entities }, signal) => {
      const created = await graph.createEntities(entities, signal);
      return reply(created, { entities: created });
    },
  );
  tool(
    'create_relations',
    {
      ...{ title: 'Create Relations', effect: 'adds' },
      description: 'Create multiple new relations between entities in the knowledge graph, in active voice',
      input: { relations: z.array(relation) },
      output: { relations: z.array(relation) },
    },
    async ({ relations }, signal) => {
      const created = await graph.createRelations(relations, signal);
      return reply(created, { relations: created });
    },
  );
  tool(
    'add_observations',
    {
      ...{ title: 'Add Observations', effect: 'adds' },
      description: 'Add new observations to existing entities in the knowledge graph',
      input: { observations: z.array(z.object({ entityName: z.string(), contents: names })) },
      output: { results: z.array(z.object({ entityName: z.string(), addedObservations: names })) },
    },
    async ({ observations }, signal) => {
      const results = await graph.addObservations(observations, signal);
      return reply(results, { results });
    },
  );
  tool(
    'delete_entities',
    {
      ...{ title: 'Delete Entities', effect: 'deletes' },
      description: 'Delete multiple entities and their relations from the knowledge graph, for good',
      input: { entityNames: names },
      output: done,
    },
    async ({ entityNames }, signal) => {
      await graph.deleteEntities(entityNames, signal);
      return deleted('Entities deleted successfully');
    },
  );
  tool(
    'delete_observations',
    {
      ...{ title: 'Delete Observations', effect: 'deletes' },
      description: 'Delete specific observations from entities in the knowledge graph, for good',
      input: { deletions: z.array(z.object({ entityName: z.string(), observations: names })) },
      output: done,
    },
    async ({ deletions }, signal) => {
      await graph.deleteObservations(deletions, signal);
      return deleted('Observations deleted successfully');
    },
  );
  tool(
    'delete_relations',
    {
      ...{ title: 'Delete Relations', effect: 'deletes' },
      description: 'Delete multiple relations from the knowledge graph, for good',
      input: { relations: z.array(relation) },
      output: done,
    },
    async ({ relations }, signal) => {
      await graph.deleteRelations(relations, signal);
      return deleted('Relations deleted successfully');
    },
  );
  tool(
    'read_graph',
    {
      ...{ title: 'Read Graph', effect: 'reads' },
      description: 'Read the knowledge graph, page by page; search_nodes and open_nodes read parts of it',
      input: { after: z.string().optional().describe('The "next" of the page before') },
      output: page,
    },
    async ({ after }, signal) => shown(graphPage(await graph.read(signal), { after, isPaged: true })),
  );
  tool(
    'search_nodes',
    {
      ...{ title: 'Search Nodes', effect: 'reads' },
      description: 'Search for nodes in the knowledge graph by words, or by a question',
      input: { query: z.string().describe('Words in names, types and observations, or a question') },
      output: page,
    },
    async ({ query }, signal) => shown(graphPage(await graph.search(query, signal), { isPaged: false })),
  );
  tool(
    'open_nodes',
    {
      ...{ title: 'Open Nodes', effect: 'reads' },
      description: 'Open specific nodes in the knowledge graph by their names',
      input: { names: z.array(z.string()).describe('Names of entities') },
      output: page,
    },
    async ({ names }, signal) => shown(graphPage(await graph.open(names, signal), { isPaged: false })),
  );
  return server;
}

function reply(told: unknown, structuredContent: object): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(told, null, 2) }],
    structuredContent: { ...structuredContent },
  };
}

const deleted = (message: string): CallToolResult => ({
  content: [{ type: 'text', text: message }],
  structuredContent: { success: true, message },
});

/** What is left out is told in a text of its own, so that the first one is the graph alone. */
function shown({ notice, ...graph }: ReturnType<typeof graphPage>): CallToolResult {
  const { content } = reply({ entities: graph.entities, relations: graph.relations }, {});
  return {
    content: [...content, ...(notice === undefined ? [] : [{ type: 'text' as const, text: notice }])],
    structuredContent: { ...graph, ...(notice !== undefined && { notice }) },
  };
}
