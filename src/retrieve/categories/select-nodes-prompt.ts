import { z } from 'zod';
import type { Prompt } from '../../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { replyTexts } from '../../prompts/reply-parts.ts';

export interface ShownNode {
  readonly name: string;
  /** Empty if tags are not shown. */
  readonly tags: readonly string[];
  /** Empty if summaries are not shown. */
  readonly summary: string;
  /** Shown under it, indented. */
  readonly children: readonly ShownNode[];
}

export interface SelectInput {
  readonly nodes: readonly ShownNode[];
  readonly question: string;
}

const LONGEST_NAME = 80;
const LONGEST_TAG = 30;
const LONGEST_SUMMARY = 160;
const LONGEST_QUESTION = 2_000;

/** Usually numbers; some models write names. */
const schema = z.object({ open: replyTexts, all: replyTexts });

/**
 * Asks which nodes of one list of the hierarchy may help with a question (Mnemis §2.3). The list comes before the
 * question, so that prefix caches of providers cover the rules and the list.
 */
export const selectNodes: Prompt<SelectInput, z.output<typeof schema>> = {
  name: 'select-nodes',
  version: 1,
  schema,
  expectedTokens: 40,
  brief:
    () => `A person's memory is sorted into categories. You say where in a numbered list of them to look for what a question needs. ${DATA_RULE} First comes the list, then the question.
open: numbers of the entries that may hold part of an answer. all: numbers of the entries that are wanted whole, because the question asks for everything of that kind. Write numbers only; no entry in both.`,
  shown: ({ nodes }) => {
    const entries = nodes.reduce((sum, { children }) => sum + 1 + children.length, 0);
    return { open: entries, all: entries };
  },
  render: ({ nodes, question }) => ({
    system: `A person's memory is sorted into categories of categories. You say where in one list of them to look for what a question needs. ${DATA_RULE} First comes the list, one entry a line: number, name (tags): summary; an entry that stands further in belongs to the one above it. Then comes the question.
open: numbers of the entries that may hold part of an answer, its reasons or what it depends on about the person, or something of the kind asked for. A needless one costs little, a missing one loses the answer.
all: numbers of the entries whose whole content is wanted, because the question asks for everything of that kind. Put no entry in both.
Both are empty when nothing in the list has to do with the question. Write numbers only.`,
    user: `${fence(DATA, listed(nodes))}\n${fence(DATA, asLabel(question, LONGEST_QUESTION))}`,
  }),
};

/** The lines of a list, numbered from 1. */
export function listed(nodes: readonly ShownNode[]): string {
  let number = 0;
  return nodes
    .flatMap((node) => [
      `${++number} ${shownNode(node)}`,
      ...node.children.map((child) => `  ${++number} ${shownNode(child)}`),
    ])
    .join('\n');
}

export function shownNode({ name, tags, summary }: Omit<ShownNode, 'children'>): string {
  const labels = tags.map((tag) => asLabel(tag, LONGEST_TAG)).filter((tag) => tag !== '');
  const brief = asLabel(summary, LONGEST_SUMMARY);
  return `${asLabel(name, LONGEST_NAME)}${labels.length === 0 ? '' : ` (${labels.join(', ')})`}${brief === '' ? '' : `: ${brief}`}`;
}
