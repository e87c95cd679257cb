import { describe, expect, it } from 'vitest';
import { askingTerms } from '../../src/answer/wordings.ts';
import { Mnemis } from '../../src/engine.ts';

/** What is said, a question about it, what the answer holds, and a question about what nobody said. */
const CASES: readonly (readonly [
  language: string,
  said: string,
  asked: string,
  answer: RegExp,
  unknown: string,
])[] = [
  ['zh', '我住在根特。我的狗叫雷克斯。', '我住在哪里？', /根特/, '我什么时候结婚的？'],
  ['zh2', '我的妹妹在大学学习法律。', '我的妹妹学习什么？', /法律/, '我的车是什么颜色？'],
  ['ja', '私はゲントに住んでいます。', '私はどこに住んでいますか？', /ゲント/, '私の車は何色ですか？'],
  ['ko', '나는 겐트에 살고 있어요.', '나는 어디에 살고 있어요?', /겐트/, '내 차는 무슨 색이에요?'],
  [
    'fr',
    'J’habite à Gand depuis deux ans.',
    'Où est-ce que j’habite ?',
    /Gand/,
    'Quelle est la couleur de ma voiture ?',
  ],
  [
    'fr2',
    'Ma sœur étudie le droit à Lyon.',
    'Qu’étudie ma sœur ?',
    /droit/,
    'Quand est-ce que je me suis marié ?',
  ],
  ['es', 'Vivo en Gante con mi perro.', '¿Dónde vivo?', /Gante/, '¿De qué color es mi coche?'],
  [
    'es2',
    'Mi hermana trabaja en el hospital de Sevilla.',
    '¿Dónde trabaja mi hermana?',
    /hospital/,
    '¿Cuándo me casé?',
  ],
  ['de', 'Ich wohne in Gent, nahe am Kanal.', 'Wo wohne ich?', /Gent/, 'Welche Farbe hat mein Auto?'],
  [
    'de2',
    'Meine Schwester studiert Jura in Bonn.',
    'Was studiert meine Schwester?',
    /Jura/,
    'Wann habe ich geheiratet?',
  ],
  ['it', 'Abito a Gand vicino al canale.', 'Dove abito?', /Gand/, 'Di che colore è la mia macchina?'],
  ['nl', 'Ik woon in Gent, vlak bij het kanaal.', 'Waar woon ik?', /Gent/, 'Welke kleur heeft mijn auto?'],
  ['pt', 'Eu moro em Gante desde maio.', 'Onde eu moro?', /Gante/, 'De que cor é o meu carro?'],
  ['ar', 'أسكن في مدينة غنت منذ سنتين.', 'أين أسكن؟', /غنت/, 'ما لون سيارتي؟'],
  ['tr', 'Gent şehrinde yaşıyorum.', 'Nerede yaşıyorum?', /Gent/, 'Arabamın rengi ne?'],
  ['el', 'Μένω στη Γάνδη με τον σκύλο μου.', 'Πού μένω;', /Γάνδη/, 'Τι χρώμα είναι το αυτοκίνητό μου;'],
  ['pl', 'Mieszkam w Gandawie od maja.', 'Gdzie mieszkam?', /Gandawie/, 'Jakiego koloru jest mój samochód?'],
  ['ru', 'Я живу в Генте уже два года.', 'Где я живу?', /Генте/, 'Какого цвета моя машина?'],
  ['hi', 'मैं गेंट में रहता हूँ।', 'मैं कहाँ रहता हूँ?', /गेंट/, 'मेरी कार का रंग क्या है?'],
  ['sv', 'Jag bor i Gent nära kanalen.', 'Var bor jag?', /Gent/, 'Vilken färg har min bil?'],
];

async function ask(said: string, question: string): Promise<string> {
  const engine = await Mnemis.open({ path: ':memory:', automatic: false });
  const memory = engine.scope('a');
  await memory.add([
    { content: said, speaker: 'Ann' },
    { content: 'Bonjour! 你好! Hallo!', speaker: 'Bob' },
  ]);
  await memory.flush();
  const { text } = await memory.ask(question);
  await engine.close();
  return text;
}

describe.each(CASES)('a question in another language: %s', (_, said, asked, answer, unknown) => {
  it('is answered by the turn that says it', async () => {
    expect(await ask(said, asked)).toMatch(answer);
  });

  it('is refused where memory does not say it', async () => {
    expect(await ask(said, unknown)).toMatch(/not enough/);
  });
});

it('words of English questions are left to the analyzer', () => {
  expect(askingTerms('Where does Ann live, and who is her man in Como?').size).toBe(0);
});
