import { z } from 'zod';
import { ConversationIndex } from './conversation-index.ts';
import { CorrectionIndex } from './correction-index.ts';
import { DescriptionIndex, DocumentIndex } from './document-index.ts';
import { type CurrentProfile, currentProfileSchema, EntityIndex } from './entity-index.ts';
import { EnrichmentIndex, EpisodeIndex, MetadataIndex, TurnMarks } from './episode-index.ts';
import { FactValidity, StatementIndex } from './fact-index.ts';
import { GraphView } from './graph-view.ts';
import { HierarchyIndex } from './hierarchy-index.ts';
import { LexicalIndex } from './lexical-index.ts';
import { OrdinalTable } from './ordinals.ts';
import { PassageVectors } from './passage-vectors.ts';
import type { ScopeGraphs } from './scope-graphs.ts';
import { ScopeIndex } from './scope-index.ts';
import { prefixSections, type Section, type Sections, sectionJson, sectionsUnder } from './sections.ts';
import { Timeline } from './timeline.ts';
import { VectorIndex } from './vector-index.ts';

const idsSchema = z.array(z.string());
const profilesSchema = z.array(currentProfileSchema);

/** The whole index of a scope as named sections of one snapshot. */
export function scopeIndexSections(index: ScopeIndex): Sections {
  const { episodes, entities, descriptions, facts, segments, hierarchy, validity, graphs } = index;
  return joined({
    ...textParts(index),
    'episodes.ids/': idSections(episodes.ids),
    'episodes.vectors/': episodes.vectors.toSections(),
    'episodes.passages.vectors/': episodes.passages.vectors.toSections(),
    'episodes.passages/': episodes.passages.toSections(),
    'descriptions.ids/': idSections(descriptions.ids),
    'descriptions.vectors/': descriptions.vectors.toSections(),
    'descriptions/': descriptions.toSections(),
    'facts/': documentNumbers(facts),
    'validity/': validity.toSections(),
    'segments/': documentNumbers(segments),
    'hierarchy.documents/': documentNumbers(hierarchy.documents),
    'hierarchy.names/': hierarchy.nameVectors.toSections(),
    'entities.ids/': idSections(entities.ids),
    'entities.profiles/': documentNumbers(entities.profiles),
    'entities.names/': entities.nameVectors.toSections(),
    'graphs.mentions/': graphs.mentions.toSections(),
    'graphs.about/': graphs.about.toSections(),
    'graphs.evidence/': graphs.evidence.toSections(),
    'graphs.inSegment/': graphs.inSegment.toSections(),
    'graphs.related/': graphs.related.toSections(),
  });
}

/** The sections of the index that hold words, without vectors, edges and ids. */
export function scopeTextSections(index: ScopeIndex): Sections {
  return joined(textParts(index));
}

function textParts(index: ScopeIndex): Readonly<Record<string, Sections>> {
  const { episodes, marks, entities, facts, statements, segments, hierarchy, enrichment, corrections } =
    index;
  return {
    'episodes.timeline/': episodes.timeline.toSections(),
    'episodes.conversation/': episodes.conversation.toSections(),
    'episodes.metadata/': episodes.metadata.toSections(),
    'marks/': marks.toSections(),
    'facts/lexical/': facts.lexical.toSections(),
    'statements/': statements.toSections(),
    'segments/lexical/': segments.lexical.toSections(),
    'hierarchy/': hierarchy.toSections(),
    'hierarchy.documents/lexical/': hierarchy.documents.lexical.toSections(),
    'enrichment/': enrichment.toSections(),
    'corrections/': corrections.toSections(),
    'entities.profiles/lexical/': entities.profiles.lexical.toSections(),
    'entities.current/': new Map<string, Section>([['current', { json: entities.current() }]]),
  };
}

/** Null if a section is missing or does not fit: the caller then rebuilds from the graph. */
export function scopeIndexFromSections(dimension: number, sections: Sections): ScopeIndex | null {
  const under = (prefix: string) => sectionsUnder(prefix, sections);
  const episodes = readEpisodes(dimension, under);
  const marks = TurnMarks.fromSections(under('marks/'));
  const descriptions = readDescriptions(dimension, under);
  const facts = readDocuments(dimension, under('facts/'));
  const statements = StatementIndex.fromSections(under('statements/'));
  const validity = FactValidity.fromSections(under('validity/'));
  const segments = readDocuments(dimension, under('segments/'));
  const entities = readEntities(dimension, under);
  const hierarchy = readHierarchy(dimension, under);
  const enrichment = EnrichmentIndex.fromSections(under('enrichment/'));
  const corrections = CorrectionIndex.fromSections(under('corrections/'));
  const graphs = readGraphs(under);
  if (!episodes || !facts || !statements || !segments || !entities || !enrichment) return null;
  if (!corrections || !graphs || !hierarchy || !marks || !descriptions) return null;
  if (validity?.length !== facts.length) return null;
  const documents = { episodes, marks, facts, statements, validity, segments, entities, descriptions };
  return new ScopeIndex(dimension, { ...documents, hierarchy, enrichment, corrections, graphs });
}

function readGraphs(under: Under): ScopeGraphs | null {
  const mentions = GraphView.fromSections(under('graphs.mentions/'));
  const about = GraphView.fromSections(under('graphs.about/'));
  const evidence = GraphView.fromSections(under('graphs.evidence/'));
  const inSegment = GraphView.fromSections(under('graphs.inSegment/'));
  const related = GraphView.fromSections(under('graphs.related/'));
  return mentions && about && evidence && inSegment && related
    ? { mentions, about, evidence, inSegment, related }
    : null;
}

type Under = (prefix: string) => Sections;

function readEpisodes(dimension: number, under: Under): EpisodeIndex | null {
  const ids = readIds(under('episodes.ids/'));
  const timeline = Timeline.fromSections(under('episodes.timeline/'));
  const conversation = timeline && ConversationIndex.fromSections(timeline, under('episodes.conversation/'));
  const vectors = readVectors(dimension, under('episodes.vectors/'));
  const ofPassages = readVectors(dimension, under('episodes.passages.vectors/'));
  const passages = ofPassages && PassageVectors.fromSections(under('episodes.passages/'), ofPassages);
  const metadata = MetadataIndex.fromSections(under('episodes.metadata/'));
  return ids && timeline && conversation && vectors && passages && metadata
    ? new EpisodeIndex({ ids, timeline, conversation, vectors, passages, metadata })
    : null;
}

function readEntities(dimension: number, under: Under): EntityIndex | null {
  const ids = readIds(under('entities.ids/'));
  const profiles = readDocuments(dimension, under('entities.profiles/'));
  const nameVectors = readVectors(dimension, under('entities.names/'));
  const current = sectionJson(under('entities.current/'), 'current', profilesSchema);
  return ids && profiles && nameVectors && current
    ? new EntityIndex({
        ids,
        profiles,
        nameVectors,
        current: current as unknown as readonly CurrentProfile[],
      })
    : null;
}

function readDescriptions(dimension: number, under: Under): DescriptionIndex | null {
  const ids = readIds(under('descriptions.ids/'));
  const vectors = readVectors(dimension, under('descriptions.vectors/'));
  return ids && vectors && DescriptionIndex.fromSections(under('descriptions/'), { ids, vectors });
}

function readHierarchy(dimension: number, under: Under): HierarchyIndex | null {
  const documents = readDocuments(dimension, under('hierarchy.documents/'));
  const nameVectors = readVectors(dimension, under('hierarchy.names/'));
  return documents && nameVectors
    ? HierarchyIndex.fromSections(under('hierarchy/'), { documents, nameVectors })
    : null;
}

function documentNumbers({ ids, vectors }: DocumentIndex): Sections {
  return joined({
    'ids/': idSections(ids),
    'vectors/': vectors.toSections(),
  });
}

function readDocuments(dimension: number, sections: Sections): DocumentIndex | null {
  const ids = readIds(sectionsUnder('ids/', sections));
  const lexical = LexicalIndex.fromSections(sectionsUnder('lexical/', sections));
  const vectors = readVectors(dimension, sectionsUnder('vectors/', sections));
  return ids && lexical && vectors ? new DocumentIndex({ ids, lexical, vectors }) : null;
}

function readVectors(dimension: number, sections: Sections): VectorIndex | null {
  const vectors = VectorIndex.fromSections(sections);
  return vectors?.dimension === dimension ? vectors : null;
}

function idSections(table: OrdinalTable): Sections {
  return new Map<string, Section>([['ids', { json: table.ids() }]]);
}

function readIds(sections: Sections): OrdinalTable | null {
  const ids = sectionJson(sections, 'ids', idsSchema);
  return ids && new OrdinalTable(ids);
}

function joined(parts: Readonly<Record<string, Sections>>): Sections {
  return new Map(
    Object.entries(parts).flatMap(([prefix, sections]) => [...prefixSections(prefix, sections)]),
  );
}
