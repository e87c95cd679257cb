import type { Description, Episode, Fact, Profile, Segment } from '../../model/nodes.ts';
import { isWithoutStatements } from '../describe/profile-summary.ts';

export interface RemovedRows {
  readonly episode: readonly Episode[];
  readonly segment: readonly Segment[];
  readonly fact: readonly Fact[];
  readonly description: readonly Description[];
  readonly profile: readonly Profile[];
}

/** What removed rows hold in words. */
export interface RemovedTexts {
  /** What turns said, where and by whom. */
  readonly said: ReadonlySet<string>;
  /** What was made of it: statements, summaries, descriptions. Others may say the same. */
  readonly told: ReadonlySet<string>;
}

export function textsOf({ episode, segment, fact, description, profile }: RemovedRows): RemovedTexts {
  const said = [
    ...episode.flatMap(({ content, attachments, speaker, session, sourceId }) => [
      content,
      ...attachments.map((attachment) => attachment.description),
      ...[speaker, session, sourceId ?? ''],
    ]),
  ];
  const told = [
    ...fact.map(({ statement }) => statement),
    ...segment.map(({ summary }) => summary),
    ...description.map(({ text }) => text),
    // Names are looked for by themselves.
    ...profile.flatMap((each) => (isWithoutStatements(each) ? [] : [each.summary])),
  ];
  return { said: withText(said), told: withText(told) };
}

function withText(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.filter((text) => text.trim() !== ''));
}
