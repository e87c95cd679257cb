import { describe, expect, it } from 'vitest';
import { ScriptedOpenAiServer } from '../fakes/openai-server/scripted-openai-server.ts';
import { filledLab } from '../main/cli/fake-terminal.ts';

const lab = await filledLab();

const flagsFor = (url: string) => [
  ...['--llm-provider', 'openai-compatible', '--llm-model', 'm', '--llm-base-url', `${url}/v1`],
];

describe('mnemis ask with a language model', () => {
  it('prints what it says, and under it what that rests on', async () => {
    await using server = await ScriptedOpenAiServer.start({
      reply: () => 'HOLDS\nLisbon [1, 77]',
    });
    const flags = flagsFor(server.url);
    const { out, exitCode } = await lab.run('ask', 'Where did Ana move?', '--answerer', 'llm', ...flags);
    expect(exitCode).toBe(0);
    expect(out).toMatch(
      /^Lisbon \[1\]\n {4}\[1\] \w+.*\n {8}\S.*\nnote: 1 citations of the model refer to no source\n1 call of the language model, \d+ prompt tokens and \d+ completion tokens\n {2}answer-question: 1 call, \d+ prompt tokens and \d+ completion tokens\n$/,
    );
    const asked = server.requests.length;
    const local = await lab.run(
      'ask',
      'Where did Ana move?',
      '--answerer',
      'local',
      ...flags,
      '--tier',
      'llm',
    );
    expect(local.exitCode).not.toBe(0); // `ask` reads no turns for facts: it has no tier
    expect(await lab.run('ask', 'Where did Ana move?', '--answerer', 'local', ...flags)).toMatchObject({
      out: expect.stringContaining('Lisbon'),
    });
    expect(server.requests.length).toBe(asked);
  });

  it('prints what is true instead of a wrong detail, with its source', async () => {
    await using server = await ScriptedOpenAiServer.start({
      reply: () => 'FAILS\nNOT_ENOUGH: Ana moved to Lisbon [1].',
    });
    const { out } = await lab.run('ask', 'Why did Bob move?', '--answerer', 'llm', ...flagsFor(server.url));
    expect(out).toMatch(/^There is not enough .*\. Ana moved to Lisbon \[1\]\.\n {4}\[1\] \w+.*\n {8}\S/);
  });

  it('keeps to a budget of tokens, in memory’s own words', async () => {
    await using server = await ScriptedOpenAiServer.start({ reply: () => ({}) });
    const flags = [...flagsFor(server.url), '--llm-token-budget', '3'];
    const { out } = await lab.run('ask', 'Where did Ana move?', '--answerer', 'llm', ...flags);
    expect(out).toMatch(/Lisbon[\s\S]*note: the language model failed \(budget-exhausted\)/);
    expect(server.requests).toEqual([]);
  });

  it('says what is missing to ask one', async () => {
    const run = await lab.run('ask', 'Where did Ana move?', '--answerer', 'llm');
    expect(run).toMatchObject({ exitCode: 2, err: expect.stringContaining('No language model is set') });
  });
});
