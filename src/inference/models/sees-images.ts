import type { MODEL_PROVIDERS } from './create-language-model.ts';

/** Names, or parts of them, of models that take images, as their makers and the lists of servers write them. */
const SEEING: readonly RegExp[] = [
  /\bgpt-(?:4o|4\.1|4\.5|4-turbo|4-vision|5)/,
  /\bo(?:1|3|4)(?!-mini)(?:\b|-)|\bo4-mini\b/,
  /\bclaude-(?:3|opus|sonnet|haiku)/,
  /\bgemini\b/,
  /\bgemma-?3n?\b(?!.*\b(?:1b|270m)\b)/,
  /\bllama-?4\b/,
  /\bgrok-(?:2-vision|4)/,
  /\bmistral-(?:small-?3\.[12]|medium-3)/,
  /\b(?:pixtral|llava|bakllava|moondream|minicpm-v|internvl|cogvlm|molmo|smolvlm|idefics)/,
  /\bphi-(?:3(?:\.5)?-vision|4-multimodal)/,
  /(?:^|[^a-z])(?:vision|vl|multimodal)(?:[^a-z]|$)|\d\.?\d?vl\b/,
];

/**
 * Whether a model is known, by its name, to take images. Models of this computer do not: their files have no part that
 * reads them.
 */
export function seesImages(provider: (typeof MODEL_PROVIDERS)[number], model: string): boolean {
  if (provider === 'local') return false;
  const name = model.toLowerCase().replaceAll('_', '-');
  return SEEING.some((each) => each.test(name));
}
