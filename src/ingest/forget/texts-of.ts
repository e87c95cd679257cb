import type { Description, Episode, Fact, Profile, Segment } from '../../model/nodes.ts';

export interface RemovedRows {
  readonly episode: readonly Episode[];
  readonly segment: readonly Segment[];
  readonly fact: readonly Fact[];
  readonly description: readonly Description[];
  readonly profile: readonly Profile[];
}

/** What removed rows hold in words. */
export interface RemovedTexts {
  /** What turns said, and statements. */
  readonly said: readonly string[];
  /** What was made of it: summaries, descriptions, names. */
  readonly told: readonly string[];
}

export function textsOf({ episode, segment, fact, description, profile }: RemovedRows): RemovedTexts {
  const said = [
    ...episode.flatMap(({ content, attachments }) => [
      content,
      ...attachments.map((attachment) => attachment.description),
    ]),
    ...fact.map(({ statement }) => statement),
  ];
  const told = [
    ...episode.flatMap(({ speaker, session, sourceId }) => [speaker, session, sourceId ?? '']),
    ...segment.map(({ summary }) => summary),
    ...description.map(({ text }) => text),
    ...profile.flatMap(({ name, aliases, summary, tags }) =>
      // A date stands in what is written of any other turn of that day.
      tags.includes('date') ? [summary] : [name, ...aliases, summary],
    ),
  ];
  const some = (text: string) => text.trim() !== '';
  return { said: said.filter(some), told: told.filter(some) };
}
