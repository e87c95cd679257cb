import { expect, it } from 'vitest';
import { localClient } from '../../../main/client/local-client.ts';
import { openEngine } from '../http/server-fixture.ts';

it('localClient uses the engine’s own retention rule, unless a request gives one or disables it', async () => {
  const retention = { turns: { olderThan: '1d' } };
  await using engine = await openEngine({ retention });
  const client = localClient(engine);
  await client.add({ scope: 'ana', turns: [{ content: 'I moved to Lisbon.', at: '2024-03-05' }] });
  const asked = { scope: 'ana', dryRun: true };
  expect(await client.maintain(asked)).toMatchObject({ retention: { turns: 1, keepFacts: false } });
  expect(await client.maintain({ ...asked, retention: null })).toMatchObject({ retention: null });
  const mild = { turns: { olderThan: '999y', keepFacts: undefined } };
  expect(await client.maintain({ ...asked, retention: mild })).toMatchObject({ retention: { turns: 0 } });
});
