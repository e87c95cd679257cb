/** Words that begin a question or a request, in the languages that the local rules read. */
const ASKING =
  /^(?:please\s+|so\s+|and\s+|but\s+|hey\s+|hi\s+)*(?:who|whom|whose|what|when|where|which|why|how|is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|tell|list|show|give|find|remind|explain|describe|summari[sz]e|compare|count|name|help|search|look)\b/i;
const FIRST_PERSON =
  /(?:^|[^\p{L}])(?:i|i[’'](?:m|ve|ll|d)|my|mine|we|we[’'](?:re|ve|ll|d)|our|ours)(?:$|[^\p{L}])/iu;

/** A message of fewer words, without a question, is taken for key words to look up. */
const FEWEST_TOLD = 5;

interface MessageKind {
  readonly asks: boolean;
  /** It tells something of whoever writes it. A message can ask and tell, or do neither, as a few key words do. */
  readonly tellsOfSpeaker: boolean;
  readonly isKeyWords: boolean;
}

export function kindOfMessage(text: string): MessageKind {
  const sentences = text.split(/(?<=[.!?:\n])\s+/);
  const asks = text.includes('?') || sentences.some((sentence) => ASKING.test(sentence.trim()));
  const tellsOfSpeaker = FIRST_PERSON.test(text);
  const isKeyWords = !asks && !tellsOfSpeaker && text.trim().split(/\s+/).length < FEWEST_TOLD;
  return { asks, tellsOfSpeaker, isKeyWords };
}
