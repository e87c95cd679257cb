import { labWith } from './fake-terminal.ts';

const SENTENCES = [
  ...['bread', 'cheese', 'pizza', 'soup', 'pasta'].map((food) => `I love ${food}.`),
  ...['dog', 'cat', 'parrot', 'rabbit'].map((animal) => `I bought a ${animal}.`),
  ...['zither', 'guitar', 'piano', 'violin'].map((instrument) => `I love the ${instrument}.`),
];
export const GROUPED_TURNS = SENTENCES.map((content, index) => ({
  ...{ content, speaker: 'Ana', session: 's1', index, at: '2024-01-05' },
}));

/** A lab whose memory holds things of a few kinds. */
export const groupedLab = () => labWith(GROUPED_TURNS);
