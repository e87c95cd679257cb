import { describe, expect, it } from 'vitest';
import { NONE, Timeline } from '../../src/search/timeline.ts';
import { seededRandom } from './random.ts';
import { pick, type RandomTurn, randomTurn, sessionsOf } from './random-conversation.ts';

function expectChains(timeline: Timeline, live: ReadonlyMap<number, RandomTurn>): void {
  const sessions = sessionsOf(live);
  for (const [session, ordinals] of sessions) {
    for (const [place, ordinal] of ordinals.entries()) {
      expect(timeline.previous.at(ordinal)).toBe(ordinals[place - 1] ?? NONE);
      expect(timeline.next.at(ordinal)).toBe(ordinals[place + 1] ?? NONE);
      expect(timeline.validAt.at(ordinal)).toBe(live.get(ordinal)!.validAt);
      expect(timeline.speakers[timeline.speaker.at(ordinal)]).toBe(live.get(ordinal)!.speaker);
      expect(timeline.sources[timeline.source.at(ordinal)]).toBe(live.get(ordinal)!.source);
    }
    expect(timeline.lastTurn(session)).toBe(ordinals.at(-1));
    expect(timeline.nextIndex(session)).toBe(live.get(ordinals.at(-1)!)!.index + 1);
    expect(timeline.turnsOf.at(timeline.sessions.indexOf(session))).toBe(ordinals.length);
  }
  expect(timeline.liveSessions()).toBe(sessions.size);
  const speakers = new Set([...live.values()].map(({ speaker }) => speaker));
  expect(new Set(timeline.liveSpeakers().map((number) => timeline.speakers[number]))).toEqual(speakers);
}

describe('Timeline', () => {
  it.each([1, 2, 3])(
    'links the live turns of a session by index, in any order of arrival (seed %i)',
    (seed) => {
      const random = seededRandom(seed);
      const live = new Map<number, RandomTurn>();
      let timeline = new Timeline();
      for (let ordinal = 0; ordinal < 200; ordinal++) {
        const turn = randomTurn(random);
        timeline.add(ordinal, turn);
        live.set(ordinal, turn);
        for (let gone = random() < 0.4 ? 2 : 0; gone > 0 && live.size > 0; gone--) {
          const removed = pick([...live.keys()], random);
          timeline.remove(removed);
          live.delete(removed);
        }
        if (ordinal % 50 === 25) timeline = Timeline.fromSections(timeline.toSections())!;
        if (ordinal % 10 === 0) expectChains(timeline, live);
      }
      for (const ordinal of live.keys()) timeline.remove(ordinal);
      expectChains(timeline, new Map());
      expect(timeline.nextIndex('one')).toBe(0);
    },
  );

  it('keeps no time of a turn that was removed', () => {
    const timeline = new Timeline();
    for (const ordinal of [0, 1, 2, 3]) {
      timeline.add(ordinal, randomTurn(seededRandom(ordinal + 1)));
      for (const start of ordinal === 1 ? [] : [ordinal + 10, ordinal + 20])
        timeline.addTime(ordinal, { start, end: start + 5 });
    }
    timeline.remove(2);
    timeline.remove(1);
    expect([...timeline.timesFrom.values()]).toEqual([10, 20, 0, 0, 13, 23]);
    expect([...timeline.timesTo.values()]).toEqual([15, 25, 0, 0, 18, 28]);
  });

  it('is empty for an unknown session', () => {
    const timeline = new Timeline();
    expect([timeline.lastTurn('x'), timeline.nextIndex('x'), timeline.liveSessions()]).toEqual([NONE, 0, 0]);
  });

  it('rejects foreign sections', () => {
    const timeline = new Timeline();
    timeline.add(0, randomTurn(seededRandom(1)));
    const whole = timeline.toSections();
    for (const name of whole.keys()) {
      const less = new Map(whole);
      less.delete(name);
      expect(Timeline.fromSections(less), name).toBeNull();
    }
  });
});
