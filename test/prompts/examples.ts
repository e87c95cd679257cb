import { judgeAnswer } from '../../eval/judge-answer.ts';
import { judgeBeam } from '../../eval/judges/beam-judge.ts';
import { judgeByFile } from '../../eval/judges/file-judge.ts';
import { judgeLocomo } from '../../eval/judges/locomo-judge.ts';
import { judgeLongMemEval } from '../../eval/judges/longmemeval-judge.ts';
import { checkTitle, titleSegment } from '../../eval/papers/readings/gam.ts';
import {
  describeMentions,
  extractTriplets,
  judgeTurns,
  summarizeSegment,
} from '../../eval/papers/readings/memorai.ts';
import {
  extractFacts,
  nameEntities,
  profileInContext,
  reflectOnFacts,
  reflectOnNames,
} from '../../eval/papers/readings/mnemis.ts';
import { extractPropositions } from '../../eval/papers/readings/personalai.ts';
import { chatWithMemory } from '../../graphs/assistant/chat-with-memory-prompt.ts';
import { describeImage } from '../../graphs/assistant/describe-image-prompt.ts';
import { answerQuestion } from '../../src/answer/llm/answer-question-prompt.ts';
import { categorizeNodes } from '../../src/hierarchy/categorize/llm/categorize-nodes-prompt.ts';
import { describeCategories } from '../../src/hierarchy/describe/describe-categories-prompt.ts';
import { describeEntities } from '../../src/ingest/describe/describe-entities-prompt.ts';
import { readSegments } from '../../src/ingest/extract/llm/read-segments-prompt.ts';
import { reflectOnSegment } from '../../src/ingest/extract/llm/reflect-on-segment-prompt.ts';
import { resolveEntities } from '../../src/ingest/resolve/resolve-entities-prompt.ts';
import { relateSegments } from '../../src/ingest/segment/relate/relate-segments-prompt.ts';
import { segmentBoundaries } from '../../src/ingest/segment/segment-boundaries-prompt.ts';
import { outdatedFacts } from '../../src/ingest/supersede/outdated-facts-prompt.ts';
import type { Prompt, TextPrompt } from '../../src/model/prompt.ts';
import type { PromptTurn } from '../../src/prompts/render-turns.ts';
import { selectNodes } from '../../src/retrieve/categories/select-nodes-prompt.ts';
import { rewriteQuestion } from '../../src/retrieve/rewrite/rewrite-question-prompt.ts';
import { parseQuestion } from '../../src/retrieve/traversal/parse-question-prompt.ts';

/** Monday, 10 June 2024. */
const AT = Date.UTC(2024, 5, 10, 9);
const DAY = 86_400_000;

export function promptTurn(speaker: string, content: string, rest: Partial<PromptTurn> = {}): PromptTurn {
  return { speaker, role: 'user', at: AT, content, attachments: [], ...rest };
}

export const PUPPY: readonly PromptTurn[] = [
  promptTurn('Ann', 'I adopted a puppy in Oslo last Friday.\nHer name is Luna!', {
    attachments: [{ kind: 'image', description: 'a photo of a brown puppy' }],
  }),
  promptTurn('Bob', 'Lovely! Is your sister still afraid of dogs?'),
];
export const GARDEN: readonly PromptTurn[] = [
  promptTurn('Ann', 'What do I plant in shade?', { at: AT + DAY }),
  promptTurn('helper', 'Ferns would suit your yard.', { at: AT + DAY, role: 'assistant' }),
];

interface Example<Asked = Prompt<never, unknown>> {
  readonly prompt: Asked;
  readonly input: never;
}

function example<Input>(prompt: Prompt<Input, unknown>, input: Input): Example {
  return { prompt, input: input as never };
}

function textExample<Input>(prompt: TextPrompt<Input>, input: Input): Example<TextPrompt<never>> {
  return { prompt, input: input as never };
}

const ANN = { name: 'Ann', kind: 'person', aliases: ['Annie'], context: 'Ann adopted the puppy Luna.' };
const OLD_ANN = { name: 'Ann Berg', kind: 'person', aliases: ['Ann'], context: 'Ann Berg lives in Oslo.' };
const TOPICS = [
  { keywords: ['puppy', 'Oslo'], summary: 'Ann told Bob on 10 June 2024 that she adopted a puppy.' },
  { keywords: ['garden'], summary: 'Ann asked about plants for shade.' },
];

/** A turn and the one before it. */
const IN_CONTEXT = { turns: PUPPY.slice(1), recent: PUPPY.slice(0, 1) };

const JUDGED = {
  question: 'When did Ann adopt Luna?',
  gold: '7 June 2024',
  answer: 'last Friday, in Oslo',
};

/** Every prompt with an input that uses all that it has. */
export const EXAMPLES: readonly Example[] = [
  example(segmentBoundaries, { turns: [...PUPPY, ...GARDEN] }),
  example(judgeTurns, { turns: PUPPY }),
  example(readSegments, {
    segments: [PUPPY, GARDEN],
    earlier: 'Ann visited a shelter.',
    names: ['Ann Berg', 'Oslo'],
  }),
  example(reflectOnSegment, {
    turns: PUPPY,
    entities: ['Ann', 'Luna'],
    facts: [{ statement: 'Ann adopted Luna on 7 June 2024.', turns: [1] }],
  }),
  example(resolveEntities, { entities: [{ ...ANN, candidates: [OLD_ANN] }] }),
  example(describeEntities, {
    entities: [
      {
        name: 'Luna',
        summary: 'A puppy that Ann adopted.',
        notes: [
          { text: 'She is brown.', at: AT },
          { text: 'She limps.', at: AT + DAY },
        ],
      },
    ],
  }),
  example(nameEntities, IN_CONTEXT),
  example(reflectOnNames, { ...IN_CONTEXT, entities: ['Bob', 'Luna'] }),
  example(profileInContext, { ...IN_CONTEXT, entities: ['Bob', "Ann's sister"] }),
  example(extractFacts, { ...IN_CONTEXT, entities: ['Bob', "Ann's sister"] }),
  example(reflectOnFacts, {
    ...IN_CONTEXT,
    entities: ['Bob', "Ann's sister"],
    statements: ["Ann's sister was afraid of dogs."],
  }),
  example(summarizeSegment, { turns: PUPPY }),
  example(titleSegment, { turns: PUPPY }),
  example(checkTitle, { turns: PUPPY, keywords: ['puppy'], summary: PUPPY[0]!.content }),
  example(extractTriplets, { turns: PUPPY }),
  example(describeMentions, { turns: PUPPY, entities: ['Ann', 'Luna'] }),
  example(extractPropositions, { turns: PUPPY }),
  example(categorizeNodes, {
    layer: 2,
    nodes: [
      { name: 'Puppies', tags: ['dog', 'young animal'] },
      { name: 'Luna', tags: ['thing'] },
    ],
    known: ['Pets', 'Towns'],
    below: ['Gardens', 'Norwegian cities'],
    minimumChildren: 3,
    within: 'Animals',
  }),
  example(describeCategories, {
    categories: [
      {
        name: 'Pets',
        children: [
          { name: 'Luna', summary: 'A puppy that Ann adopted in Oslo.' },
          { name: 'Rex', summary: '' },
        ],
      },
    ],
  }),
  example(selectNodes, {
    nodes: [
      {
        name: 'Pets',
        tags: ['dog', 'home'],
        summary: 'Luna and Rex.',
        children: [{ name: 'Luna', tags: ['thing'], summary: 'A puppy from Oslo.', children: [] }],
      },
      { name: 'Towns', tags: [], summary: '', children: [] },
    ],
    question: 'Which pets does Ann have?',
  }),
  example(parseQuestion, { question: 'Which illness does Ann have?' }),
  example(rewriteQuestion, { question: 'Which illness does Ann have?' }),
  example(relateSegments, { topics: TOPICS, pairs: [{ topic: 2, earlier: [1] }] }),
  example(outdatedFacts, {
    facts: [
      {
        statement: 'Ann lives in Oslo.',
        validAt: AT - 90 * DAY,
        invalidAt: null,
        toldAt: Date.UTC(2023, 4, 8),
        said: '',
      },
      {
        statement: 'Ann has a cat.',
        validAt: AT - 80 * DAY,
        invalidAt: AT - 10 * DAY,
        toldAt: Date.UTC(2023, 4, 8),
        said: '',
      },
      {
        statement: 'Ann moved to Bergen.',
        validAt: AT,
        invalidAt: null,
        toldAt: Date.UTC(2023, 4, 8),
        said: 'I was wrong about Oslo.',
      },
    ],
    pairs: [{ fact: 3, others: [1, 2] }],
  }),
  example(judgeAnswer, JUDGED),
  example(judgeLocomo, JUDGED),
  example(judgeLongMemEval, { ...JUDGED, category: 'multi-session', answerable: true }),
  example(judgeBeam, { ...JUDGED, nugget: 'It names the day, 7 June 2024.' }),
];

const SOURCES = [
  { text: 'fact: Ann lives in Oslo (said on 2024-06-07)', heading: null },
  { text: 'Ann: I adopted Luna in Oslo last Friday.', heading: '@ Mon 2024-06-10 09:00' },
  { text: 'Bob: She purrs.', heading: '…' },
];

const IMAGE = { type: 'image/png', data: 'iVBORw0KGgo=' };

/** The prompts that are answered in prose. */
export const TEXT_EXAMPLES: readonly Example<TextPrompt<never>>[] = [
  textExample(answerQuestion, { sources: SOURCES, question: 'When did Ann adopt Luna?', now: AT }),
  textExample(chatWithMemory, {
    evidence: SOURCES,
    earlier: [
      { by: 'user', text: 'I met Bob.' },
      { by: 'assistant', text: 'Where?' },
    ],
    question: 'When did Ann adopt Luna?',
    captions: ['Luna on a red sofa'],
    images: [IMAGE],
    now: AT,
  }),
  textExample(judgeByFile, {
    ...JUDGED,
    template: 'Q: {question}\nGold: {gold}\nAnswer: {answer}\nyes or no?',
  }),
  textExample(describeImage, { image: IMAGE, words: 'This is Luna' }),
];
