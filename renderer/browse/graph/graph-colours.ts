import type { GraphKind } from '../../../main/contract.ts';

/** Colours of the picture. Sigma reads plain values, so that the tokens of the style sheet cannot be used. */
export interface GraphColours {
  readonly entity: string;
  readonly topic: string;
  readonly turn: string;
  /** Of categories, from the lowest layer; higher ones have the last. */
  readonly layers: readonly string[];
  readonly link: string;
  readonly nearLink: string;
  readonly faded: string;
  readonly text: string;
  readonly ground: string;
}

/**
 * After Okabe and Ito, whose colours people with any kind of colour blindness can tell apart. Layers of categories
 * differ in lightness as well.
 */
const COLOURS: Readonly<Record<'light' | 'dark', GraphColours>> = {
  light: {
    entity: '#0072b2',
    topic: '#009e73',
    turn: '#8a8478',
    layers: ['#e69f00', '#d55e00', '#963c00', '#5c2500'],
    link: '#cbc6bc',
    nearLink: '#6f6a61',
    faded: '#e5e2dc',
    text: '#1f1d1a',
    ground: '#ffffff',
  },
  dark: {
    entity: '#56b4e9',
    topic: '#2fc79a',
    turn: '#8d877c',
    layers: ['#d98f00', '#f0a94b', '#f7cf93', '#fdebd2'],
    link: '#46423b',
    nearLink: '#bbb6ad',
    faded: '#2c2a26',
    text: '#eceae6',
    ground: '#191816',
  },
};

export function coloursOf(theme: string | undefined): GraphColours {
  return COLOURS[theme === 'dark' ? 'dark' : 'light'];
}

export function colourOf(
  { kind, layer }: { readonly kind: GraphKind; readonly layer: number },
  colours: GraphColours,
): string {
  if (kind !== 'category') return colours[kind];
  return colours.layers[Math.min(layer, colours.layers.length) - 1] ?? colours.layers[0]!;
}
