import { expect, it } from 'vitest';
import { DAY, startOfDay } from '../../../src/time/calendar.ts';
import { zoneOffset } from '../../../src/util/time-zone.ts';
import { AppLab } from './jobs/app-lab.ts';

it('"yesterday" and what is ahead are days of the person’s time zone', async () => {
  const now = Date.now();
  // One of the two has another date than UTC at every hour.
  const timeZone = new Date(now).getUTCHours() < 10 ? 'Pacific/Honolulu' : 'Pacific/Kiritimati';
  const today = startOfDay(now + zoneOffset(timeZone, now));
  expect(today).not.toBe(startOfDay(now));
  await using lab = await AppLab.open({ config: { timeZone } });
  const { client } = lab;
  const say = async (text: string) => {
    for await (const _ of client.chat({
      conversation: 'c',
      text,
      message: crypto.randomUUID(),
      parent: null,
    }));
  };
  await say('I flew to Oslo yesterday.');
  await say('I have an appointment with my dentist tomorrow.');
  const at = new Date(startOfDay(now) - DAY / 2).toISOString();
  const speaker = { speaker: 'user', role: 'user' as const };
  await client.add({ scope: 'default', turns: [{ ...speaker, content: 'I bought a kayak.', at }] });
  await client.flush({ scope: 'default' });
  const { items } = await client.facts({ scope: 'default', state: 'any' });
  expect(items.find(({ statement }) => statement.includes('Oslo'))?.eventAt).toBe(today - DAY);
  const answerWith = async (offset: number) => {
    const question = { scope: 'default', question: 'What did I do yesterday?', asker: 'user', offset };
    for await (const event of client.ask(question)) if (event.type === 'answer') return event.answer.text;
    throw new Error('no answer');
  };
  expect(await answerWith(zoneOffset(timeZone, now))).toContain('Oslo');
  expect(await answerWith(0)).not.toContain('Oslo');
  const { ahead } = await client.reminders({ scope: 'default' });
  expect(ahead.map(({ day }) => day)).toEqual([today + DAY]);
});
