import type { TurnInput } from '../../../src/model/turn-input.ts';

/** A conversation written for `mnemis demo`: two friends over half a year, one turn per line. */
interface DemoSession {
  readonly name: string;
  readonly at: string;
  /** "Speaker: words", in order; turns are two minutes apart. */
  readonly lines: readonly string[];
}

export const DEMO_SESSIONS: readonly DemoSession[] = [
  {
    name: 'january',
    at: '2026-01-11T18:30:00Z',
    lines: [
      'Nora: Ilan! It has been ages. How did the new year start for you?',
      'Ilan: Quietly. I came back from a trip to Lisbon last Sunday, for a conference on tram networks.',
      'Nora: Trams again! Did you at least see some of the city?',
      'Ilan: I rode line 28 three times and ate too many custard tarts.',
      'Nora: That sounds like you. I am still in Lyon, freezing in my flat near the Saône.',
      'Ilan: Is the heating still broken?',
      'Nora: The landlord promised to repair it before February. I work from the library until then.',
      'Ilan: And the book illustrations, how are they going?',
      'Nora: I finished the fox chapter yesterday. Twelve drawings, all in ink.',
      'Ilan: Wonderful. Which chapter comes next?',
      'Nora: The owls. I want to draw them at the bird sanctuary, from life.',
      'Ilan: Tell me when you go, my sister Maya works there as a keeper.',
      'Nora: Really? Then I will write to Maya this week.',
      'Ilan: She loves visitors who sit still.',
    ],
  },
  {
    name: 'february',
    at: '2026-02-08T19:00:00Z',
    lines: [
      'Ilan: Did you meet Maya and the owls?',
      'Nora: I did, last Thursday. She let me draw a barn owl called Pixel for two hours.',
      'Ilan: She told me that Pixel bit your pencil.',
      'Nora: He ate the eraser, to be exact.',
      'Ilan: I am on a trip to Turin, measuring the old tram depot for the museum.',
      'Nora: How long will you stay there?',
      'Ilan: Until Friday. Then home to Marseille, my cello teacher is waiting.',
      'Nora: You took up the cello? Since when?',
      'Ilan: Since the first week of January. My neighbours are very patient people.',
      'Nora: I gave up meat, by the way. I have been a vegetarian for three weeks.',
      'Ilan: Good for you. What do you miss most?',
      'Nora: My grandmother’s chicken soup. Nothing else so far.',
      'Ilan: I will cook you my lentil stew when you visit.',
      'Nora: The heating works again, so you could also visit me.',
    ],
  },
  {
    name: 'march',
    at: '2026-03-15T17:45:00Z',
    lines: [
      'Nora: I have news. The publisher in Ghent offered me a job as an illustrator!',
      'Ilan: That is huge! Full time?',
      'Nora: Four days a week. I would start on the 4th of May.',
      'Ilan: Will you take it?',
      'Nora: I said yes on Friday. I am nervous about leaving Lyon, though.',
      'Ilan: You speak no Dutch.',
      'Nora: I started a course last week. My teacher Joris says that my vowels are charming.',
      'Ilan: That is what teachers say about bad vowels.',
      'Nora: And you, still on the road?',
      'Ilan: I made a trip to Porto two weeks ago, to see the tram museum. They have a carriage from 1872.',
      'Nora: You collect trams like other people collect stamps.',
      'Ilan: I cannot deny it. The cello goes well too, I can play a slow minuet.',
      'Nora: Play it for me when we meet.',
      'Ilan: Deal. And bring the owl drawings.',
    ],
  },
  {
    name: 'april',
    at: '2026-04-19T10:15:00Z',
    lines: [
      'Ilan: Happy birthday, Nora! Thirty-four, right?',
      'Nora: Thank you! Thirty-four today, and I got the best present ever.',
      'Ilan: Tell me, what is it?',
      'Nora: I adopted a dog yesterday. Her name is Biscuit, a grey whippet from the shelter.',
      'Ilan: A whippet! Does she like trams?',
      'Nora: She trembles at buses, so perhaps trams are better.',
      'Ilan: How old is she?',
      'Nora: Two years. She sleeps on my drawing table, on top of the owls.',
      'Ilan: My present will come late. I bought it on my trip to Zurich and left it at the hotel.',
      'Nora: Zurich! What did you do there?',
      'Ilan: I gave a talk about quiet rails. Forty people came, nobody slept.',
      'Nora: That is a success. What was the present?',
      'Ilan: A tin of watercolours from the oldest shop in town. They promised to send it.',
      'Nora: You are the best. I will paint Biscuit with them.',
    ],
  },
  {
    name: 'may',
    at: '2026-05-10T20:00:00Z',
    lines: [
      'Nora: I moved to Ghent last weekend! I live in a small house by the canal now.',
      'Ilan: Congratulations! How was the first week at the publisher?',
      'Nora: Lovely and exhausting. My boss is called Hanneke, and she knows every bird by its call.',
      'Ilan: Then she will like your owls.',
      'Nora: She put Pixel the owl on the cover of the book.',
      'Ilan: Maya will cry when she hears that.',
      'Nora: I sent her the first print on Wednesday.',
      'Ilan: And how does Biscuit like Belgium?',
      'Nora: She ran into the canal on the first day. A cyclist pulled her out.',
      'Ilan: Oh no! Is she well?',
      'Nora: Perfectly. The cyclist is called Wout, and he brought her a towel. We had coffee on Friday.',
      'Ilan: We had coffee, she says. I want to hear more about Wout.',
      'Nora: There is nothing to tell yet.',
      'Ilan: Yet! I heard that word.',
    ],
  },
  {
    name: 'june',
    at: '2026-06-21T16:20:00Z',
    lines: [
      'Ilan: I am on a work trip to Riga, where the sun does not set.',
      'Nora: What takes you to Riga?',
      'Ilan: A week of night measurements on line 7. I sleep in the daytime.',
      'Nora: I should tell you that I eat fish again. I stopped being a vegetarian in June.',
      'Ilan: What happened?',
      'Nora: Wout happened. He cooks mussels like nobody else.',
      'Ilan: So it is serious with Wout?',
      'Nora: We have been together for three weeks. He repairs church organs.',
      'Ilan: A man of patience. I like him already.',
      'Nora: How is the cello?',
      'Ilan: I sold it. My wrist hurt, and the doctor told me to stop.',
      'Nora: I am so sorry, Ilan.',
      'Ilan: I bought a harmonica instead. My neighbours moved out.',
      'Nora: They did not!',
      'Ilan: They did, but to be near their daughter. I like to think that it was the harmonica.',
    ],
  },
  {
    name: 'july',
    at: '2026-07-26T09:00:00Z',
    lines: [
      'Nora: The book is printed! “Night Birds of the Rhône”, in shops since Monday.',
      'Ilan: I ordered five copies. One for each of my cousins.',
      'Nora: The launch is on the 12th of September in Ghent. You must come.',
      'Ilan: I will be there. I take the night train from Marseille.',
      'Nora: Maya is coming too, and she wants to bring a photograph of Pixel.',
      'Ilan: She told me. She was promoted to head keeper last month.',
      'Nora: I must congratulate her!',
      'Ilan: My next trip is to Helsinki, on Tuesday, for the new line along the harbour.',
      'Nora: How many cities is that this year?',
      'Ilan: I stopped counting. My suitcase keeps the labels.',
      'Nora: Wout and I spent last weekend in Bruges. Biscuit barked at every swan.',
      'Ilan: Brave dog. Swans are terrible.',
      'Nora: She is learning to swim now, with a small orange vest.',
      'Ilan: Send me a picture, please.',
    ],
  },
];

const TWO_MINUTES = 120_000;

export function demoTurns(): TurnInput[] {
  return DEMO_SESSIONS.flatMap(({ name, at, lines }) =>
    lines.map((line, index): TurnInput => {
      const colon = line.indexOf(': ');
      return {
        content: line.slice(colon + 2),
        speaker: line.slice(0, colon),
        session: name,
        index,
        at: Date.parse(at) + index * TWO_MINUTES,
        source: 'demo',
      };
    }),
  );
}
