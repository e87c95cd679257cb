import { describeImage } from '../../../graphs/assistant/describe-image-prompt.ts';
import type { Attached } from '../../../graphs/assistant/nodes.ts';
import type { UsageMeter } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import { imageUri } from '../../../src/model/image-uri.ts';
import type { PromptImage } from '../../../src/model/prompt.ts';
import type { Message } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import type { StoredMessage } from '../store/message-table.ts';
import { type AnswerModel, metered } from './answer-models.ts';

/** Images of a branch that go with a message, the newest ones. */
const MOST_IMAGES = 4;
/** Of a description, in characters. */
const LONGEST_CAPTION = 1_000;

interface ImagesRequest {
  readonly scope: string;
  readonly question: StoredMessage;
  /** The branch before it. */
  readonly earlier: readonly StoredMessage[];
  readonly model: AnswerModel | null;
  readonly meter: UsageMeter;
  readonly signal: AbortSignal;
}

type Context = Pick<AppContext, 'store'>;
type Image = Message['attachments'][number] & { readonly image: string };

/**
 * The images of a message for the assistant. A model that sees is asked what they show, where nobody has said it, while
 * it answers.
 */
export function attachedImages(context: Context, request: ImagesRequest): Attached {
  const { question, earlier, model } = request;
  // A message that was deleted meanwhile needs no description.
  const described =
    model?.sees === true ? describe(context, request, model).catch(() => undefined) : Promise.resolve();
  return {
    images: model?.sees === true ? shownImages(context, request.scope, [...earlier, question]) : [],
    captions: imagesOf(question).map(captionOf(question)),
    forMemory: async () => {
      await described;
      return imagesForMemory(context.store.messages.get(question.id));
    },
  };
}

/** As the turn of a message keeps its images. */
export function imagesForMemory(message: StoredMessage): Awaited<ReturnType<Attached['forMemory']>> {
  return imagesOf(message).map((each) => ({
    kind: 'image',
    description: captionOf(message)(each),
    uri: imageUri(each.image),
  }));
}

/** What earlier images show, behind the words of their message. */
export const wordsWithImages = (message: StoredMessage): string =>
  [message.text, ...imagesOf(message).map((each) => `[image: ${captionOf(message)(each)}]`)].join('\n');

export const imagesOf = ({ attachments }: Pick<Message, 'attachments'>): Image[] =>
  attachments.filter((each): each is Image => each.image !== null);

/** What somebody said of it, else its name and day. */
const captionOf =
  ({ at }: Pick<Message, 'at'>) =>
  ({ caption, name }: Image): string =>
    caption === '' ? `${name}, ${new Date(at).toISOString().slice(0, 10)}` : caption;

function shownImages(
  { store }: Context,
  scope: string,
  messages: readonly StoredMessage[],
): readonly PromptImage[] {
  const newest = messages.flatMap(imagesOf).slice(-MOST_IMAGES);
  return newest.flatMap(({ image }) => promptImage(store, image, scope) ?? []);
}

function promptImage({ images }: Context['store'], id: string, scope: string): PromptImage | null {
  const found = images.find(id, scope);
  return found && { type: found.type, data: Buffer.from(found.data).toString('base64') };
}

/** Keeps what the model says of the images with their message. One that it cannot describe has its name. */
async function describe(
  { store }: Context,
  { scope, question, meter, signal }: ImagesRequest,
  { model }: AnswerModel,
): Promise<void> {
  for (const { image: id } of imagesOf(question).filter(({ caption }) => caption === '')) {
    const image = promptImage(store, id, scope);
    if (image === null) continue;
    const input = { image, words: question.text };
    const said = await metered(model, meter)
      .text(describeImage, input, { signal })
      .catch(() => null);
    const caption = said?.text.trim().slice(0, LONGEST_CAPTION).toWellFormed() ?? '';
    const { attachments } = store.messages.get(question.id);
    store.messages.update(question.id, {
      attachments: attachments.map((each) => (each.image === id ? { ...each, caption } : each)),
    });
  }
}
