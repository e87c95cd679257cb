import { seededRandom } from '../../search/random.ts';

const SOUNDS = ['ba', 'de', 'fi', 'go', 'ku', 'la', 'mer', 'nor', 'pel', 'ros', 'sta', 'tun', 'vel', 'zor'];

/** Turns that each name a person and a town; few others name them. */
export function towns(count: number) {
  const random = seededRandom(11);
  const name = () => {
    const word = Array.from({ length: 3 }, () => SOUNDS[Math.floor(random() * SOUNDS.length)]).join('');
    return `${word[0]!.toUpperCase()}${word.slice(1)}`;
  };
  return Array.from({ length: count }, (_, at) => ({
    content: `I visited ${name()} ${name()} in ${name()}ville.`,
    ...{ speaker: 'Ann', session: `s${Math.floor(at / 50)}`, sourceId: String(at) },
    at: Date.UTC(2024, 0, 1) + at * 60_000,
  }));
}
