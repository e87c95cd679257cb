import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { refreshReplies } from '../../../renderer/state/refresh.ts';

it('asks again for a first reply that was under way when something changed', async () => {
  const queries = new QueryClient();
  const replies: ((reply: string) => void)[] = [];
  const observer = new QueryObserver(queries, {
    queryKey: ['conversation', { conversation: 'one' }],
    queryFn: () => new Promise<string>((resolve) => void replies.push(resolve)),
    retry: false,
  });
  const shown: (string | undefined)[] = [];
  const stop = observer.subscribe(({ data }) => void shown.push(data));
  await until(() => replies.length === 1);
  refreshReplies(queries, ['conversation']);
  replies[0]!('before the change');
  await until(() => replies.length === 2);
  replies[1]!('after it');
  await until(() => shown.at(-1) === 'after it');
  expect(replies).toHaveLength(2);
  stop();
  queries.clear();
});

async function until(check: () => boolean): Promise<void> {
  await expect.poll(check).toBe(true);
}
