import { describe, expect, it } from 'vitest';
import { asksForSpeaker, likelySpeaker, settingsOf } from '../../../../renderer/imports/import-choices.ts';
import { countsText, progressText } from '../../../../renderer/parts/job/job-text.ts';
import { formatDollars } from '../../../../renderer/strings/text.ts';

type Worded = Parameters<typeof progressText>[0];
const job = (more: Partial<Worded>): Worded => ({
  ...{ kind: 'import', state: 'running', phase: 'storing', share: 0, secondsToGo: null, counts: {} },
  ...more,
});

describe('texts of jobs', () => {
  it('says what a job does, how far it is and how long it takes', () => {
    expect(progressText(job({ phase: 'enriching', share: 0.429, secondsToGo: 180 }))).toBe(
      'Reading for facts · 42 % · about 3 min to go',
    );
    expect(progressText(job({ phase: 'waiting for another process' }))).toBe('Waiting for another process');
    expect(progressText(job({ state: 'paused', share: 0.5 }))).toBe('Paused');
    expect(progressText(job({ state: 'waiting' }), 'WhatsApp chat.txt')).toBe('Waits for WhatsApp chat.txt');
  });

  it('says what an import has done', () => {
    const counts = { added: 3, superseding: 1, known: 2, consolidated: 1, pending: 3, facts: 5 };
    expect(countsText(job({ counts }))).toBe(
      '4 turns stored · 2 turns known already · 1 of 4 turns read · 5 facts',
    );
    expect(countsText(job({ counts: { added: 3, dropped: 2 } }))).toBe(
      '3 turns stored · 2 statements of the model not kept',
    );
    expect(countsText(job({ state: 'done', counts: {} }))).toBe('0 turns stored');
    expect(countsText(job({}))).toBe('');
  });

  it('says how much of a download or a move is there', () => {
    expect(countsText(job({ kind: 'pull', counts: { bytes: 45e6, totalBytes: 90e6 } }))).toMatch(
      /45 MB of 90 MB/,
    );
    expect(countsText(job({ kind: 'move', counts: { texts: 10, totalTexts: 99 } }))).toBe('10 of 99 texts');
  });

  it('writes dollars with the digits that they need', () => {
    expect([0, 0.0002, 0.004, 1.2, 340].map(formatDollars)).toEqual([
      '$0',
      '< $0.001',
      '$0.004',
      '$1.20',
      '$340',
    ]);
  });
});

describe('choices for a file', () => {
  const speakers = [
    { name: 'Mara Lind', turns: 9, role: 'user' },
    { name: 'Ana', turns: 3, role: 'user' },
  ];

  it('finds the user among the speakers by the name or the first name', () => {
    expect(likelySpeaker({ speakers }, 'mara')).toBe('Mara Lind');
    expect(likelySpeaker({ speakers }, 'Ana')).toBe('Ana');
    expect(likelySpeaker({ speakers }, 'Ana Vik')).toBe('Ana');
    for (const name of ['Ma', '', 'Mara Vik']) expect(likelySpeaker({ speakers }, name)).toBeUndefined();
    const twice = [...speakers, { name: 'Mara Vik', turns: 1, role: 'user' }];
    expect(likelySpeaker({ speakers: twice }, 'Mara')).toBeUndefined();
  });

  it('else takes the owner of an export, and who is in most of the files', () => {
    const owned = [
      speakers[0]!,
      { ...speakers[1]!, role: 'other' },
      { name: 'GPT', turns: 9, role: 'assistant' },
    ];
    expect(likelySpeaker({ speakers: owned }, '')).toBe('Mara Lind');
    const others = [['Ana', 'Ben'], ['Ana'], ['Mara Lind', 'Cleo']];
    expect(likelySpeaker({ speakers }, '', others)).toBe('Ana');
    expect(likelySpeaker({ speakers }, '', [['Ana', 'Mara Lind']])).toBeUndefined();
  });

  it('asks where nothing is likely, until somebody is chosen or nobody', () => {
    const known = { name: '', timeZone: 'UTC' };
    for (const format of ['whatsapp', 'jsonl']) {
      const preview = { format, speakers };
      const asks = (choices: { me?: string }) =>
        asksForSpeaker(preview, choices, settingsOf(choices, { ...known, preview }));
      expect([asks({}), asks({ me: 'Ana' }), asks({ me: '' })]).toEqual([true, false, false]);
      expect(settingsOf({ me: 'Ana' }, { ...known, preview })).toMatchObject({ speaker: 'Ana' });
    }
    const single = { format: 'jsonl', speakers: speakers.slice(1) };
    expect(asksForSpeaker(single, {}, settingsOf({}, { ...known, preview: single }))).toBe(false);
  });

  it('asks only what the format leaves open', () => {
    const known = { name: 'Mara', timeZone: 'Europe/Oslo' };
    const whatsapp = { format: 'whatsapp', speakers };
    expect(settingsOf({}, known)).toEqual({ timeZone: 'Europe/Oslo' });
    expect(settingsOf({ dateOrder: 'day-first' }, { ...known, preview: whatsapp })).toEqual({
      speaker: 'Mara Lind',
      timeZone: 'Europe/Oslo',
      dateOrder: 'day-first',
    });
    expect(settingsOf({ me: '' }, { ...known, preview: whatsapp })).toEqual({ timeZone: 'Europe/Oslo' });
    const chosen = { branches: 'all', includeTemporary: true } as const;
    expect(settingsOf(chosen, { ...known, preview: { format: 'mem0', speakers: [] } })).toEqual({
      timeZone: 'Europe/Oslo',
    });
    // A log that knows roles only asks for the name, before and after it was read with it.
    for (const name of ['user', 'Mara'])
      expect(
        settingsOf(
          {},
          {
            ...known,
            name: 'Mara',
            preview: { format: 'jsonl', speakers: [{ name, role: 'user', turns: 2 }] },
          },
        ),
      ).toEqual({ timeZone: 'Europe/Oslo', me: 'Mara' });
    const mia = { format: 'jsonl', speakers: [{ name: 'Mia', role: 'user' as const, turns: 2 }] };
    expect(settingsOf({}, { ...known, name: 'Mara', preview: mia })).toEqual({ timeZone: 'Europe/Oslo' });
    expect(settingsOf(chosen, { ...known, preview: { format: 'chatgpt', speakers } })).toEqual({
      ...{ ...chosen, me: 'Mara', timeZone: 'Europe/Oslo' },
    });
  });
});
