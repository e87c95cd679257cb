import type { ChatAsked } from '../../fakes/openai-server/script.ts';

export interface Reply {
  segments: object[];
  keep: number[];
  entities: object[];
  facts: Record<string, unknown>[];
}

/** What a good model says to the prompt `read-segments`: one fact for each turn. */
export function goodReply({ messages }: ChatAsked): Reply {
  const prompt = messages[1]?.content ?? '';
  const turns = [...prompt.matchAll(/^(\d+) (\w+): (.*)$/gm)].map(([, number, speaker, text]) => ({
    number: Number(number),
    speaker: speaker!,
    text: text!,
  }));
  const segments = [...prompt.matchAll(/^== (\d+)/gm)].map(([, segment]) => Number(segment));
  return {
    segments: segments.map((segment) => ({ segment, keywords: ['boat'], summary: 'About a boat.' })),
    keep: turns.map(({ number }) => number),
    entities: [],
    facts: turns.map(({ number, speaker, text }) => ({
      statement: `${speaker} said: ${text}`,
      ...{ subject: '', relation: '', object: '', participants: [speaker] },
      ...{ said: '', date: '', until: '', confidence: 0.9, turns: [number] },
    })),
  };
}

export const isReading = ({ messages }: ChatAsked): boolean =>
  /recorded talk into entries/.test(messages[0]?.content ?? '');
