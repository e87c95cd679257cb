import { describe, expect, it } from 'vitest';
import { ownSpeaker, settingsOf } from '../../../../renderer/imports/import-choices.ts';
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
    expect(ownSpeaker({ speakers }, 'mara')).toBe('Mara Lind');
    expect(ownSpeaker({ speakers }, 'Ana')).toBe('Ana');
    expect(ownSpeaker({ speakers }, 'Ma')).toBeUndefined();
    expect(ownSpeaker({ speakers }, '')).toBeUndefined();
  });

  it('asks only what the format leaves open', () => {
    const known = { name: 'Mara', timeZone: 'Europe/Oslo' };
    const whatsapp = { format: 'whatsapp', speakers };
    expect(settingsOf({}, known)).toEqual({ timeZone: 'Europe/Oslo' });
    expect(settingsOf({ dateOrder: 'day-first' }, { ...known, preview: whatsapp })).toEqual({
      me: 'Mara Lind',
      timeZone: 'Europe/Oslo',
      dateOrder: 'day-first',
    });
    expect(settingsOf({ me: '' }, { ...known, preview: whatsapp })).toEqual({ timeZone: 'Europe/Oslo' });
    const chosen = { branches: 'all', includeTemporary: true } as const;
    expect(settingsOf(chosen, { ...known, preview: { format: 'mem0', speakers } })).toEqual({
      timeZone: 'Europe/Oslo',
    });
    expect(settingsOf(chosen, { ...known, preview: { format: 'chatgpt', speakers } })).toEqual({
      ...{ ...chosen, me: 'Mara', timeZone: 'Europe/Oslo' },
    });
  });
});
