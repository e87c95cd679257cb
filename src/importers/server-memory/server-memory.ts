import { z } from 'zod';
import { describeIssues } from '../../util/describe-issues.ts';
import { digestOf } from '../../util/digest-of.ts';
import { parseJson } from '../../util/parse-json.ts';
import {
  type FactRecord,
  type Importer,
  type ImportRecord,
  type ReadOptions,
  type RejectedRecord,
  rejected,
  turnRecord,
  withTolerance,
} from '../importer.ts';
import { MAX_LINE_BYTES } from '../jsonl.ts';
import { readLines } from '../read-lines.ts';
import { factOf, SERVER_MEMORY, type Statement, turnOf } from './statement.ts';

const text = z.string();
/** A line of the file. Other fields of a program's own are left out. */
const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('entity'), name: text, entityType: text, observations: z.array(text) }),
  z.object({ type: z.literal('relation'), from: text, to: text, relationType: text }),
]);

export interface StatementRecord {
  readonly kind: 'statement';
  readonly statement: Statement;
  /** The same for the same statement, so that a file is imported once. */
  readonly sourceId: string;
  readonly where: string;
}

/** The statements of a file; a line that cannot be read, such as a last one that was cut off, is a rejection. */
export async function* readStatements(
  path: string,
  options: ReadOptions = {},
): AsyncGenerator<StatementRecord | RejectedRecord> {
  const { signal, onProgress, tolerate } = options;
  const reading = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
  for await (const line of readLines(path, {
    ...reading,
    regularOnly: tolerate === false,
    maxBytes: MAX_LINE_BYTES,
  })) {
    const where = `line ${line.number}`;
    if ('problem' in line) yield rejected(where, line.problem);
    else if (line.text.trim() !== '') {
      const read = parseJson(line.text);
      const parsed = read.ok ? lineSchema.safeParse(read.value) : null;
      if (parsed?.success)
        for (const statement of statementsIn(parsed.data))
          yield { kind: 'statement', statement, sourceId: digestOf(statement), where };
      else yield rejected(where, read.ok ? describeIssues(parsed!.error!) : read.reason);
    }
  }
}

function statementsIn(line: z.output<typeof lineSchema>): readonly Statement[] {
  if (line.type === 'relation') {
    const { from, to, relationType: type } = line;
    return [{ statement: 'relation', from, to, type }];
  }
  const { name, entityType: type, observations } = line;
  return [
    { statement: 'entity', name, type },
    ...observations.map((each) => ({ statement: 'observation' as const, name, text: each })),
  ];
}

/** The file of `@modelcontextprotocol/server-memory`: each entity, observation and relation is a turn and a fact. */
export const serverMemoryImporter: Importer = {
  name: SERVER_MEMORY,
  description: 'MCP server-memory: its memory.jsonl of entities and relations',
  read: (path, options = {}) => withTolerance(path, options, (inner) => readTurns(path, inner)),
  facts: readFacts,
  recognize: ({ isWithin, keys }) =>
    !isWithin && keys.has('type') && (keys.has('entityType') || keys.has('relationType'))
      ? 'its lines are entities and relations'
      : null,
};

async function* readTurns(path: string, options: ReadOptions): AsyncGenerator<ImportRecord> {
  for await (const record of readStatements(path, options))
    if (record.kind === 'rejected') yield record;
    else yield turnRecord(turnOf(record.statement, record.sourceId), { where: record.where });
}

async function* readFacts(path: string, options: ReadOptions = {}): AsyncGenerator<FactRecord> {
  for await (const record of readStatements(path, options)) {
    if (record.kind === 'rejected') continue; // reported with the turns
    const fact = factOf(record.statement, record.sourceId);
    if (fact !== null) yield { kind: 'fact', fact, where: record.where };
  }
}
