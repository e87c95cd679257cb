import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { GivenAnswer, InputOf, MemoryClient } from '../../main/contract.ts';
import { useClient } from '../state/connection.tsx';

/**
 * The answer to a question. Another question, or another time, cancels the one that is still under way. Quotations are
 * kept until memory changes; what a model wrote is kept until the question is asked again, since each answer costs.
 *
 * @param round A model answers the same question again in another round only.
 */
export function useAnswer(input: InputOf<'ask'> | null, round: number) {
  const client = useClient();
  return useQuery<GivenAnswer>({
    queryKey: input?.answerer === 'llm' ? ['written', input, round] : ['ask', input],
    queryFn: ({ signal }) => answerTo(client, input!, signal),
    enabled: input !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    // The answer as of another time stays until this one is there; one to another question does not.
    placeholderData: (earlier, query) =>
      (query?.queryKey[1] as typeof input)?.question === input?.question ? earlier : undefined,
  });
}

async function answerTo(
  client: MemoryClient,
  input: InputOf<'ask'>,
  signal: AbortSignal,
): Promise<GivenAnswer> {
  for await (const event of client.ask(input, { signal })) if (event.type === 'answer') return event.answer;
  throw new TypeError('The answer ended before it was whole');
}

/** A value once it has stayed the same for a while. */
export function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
