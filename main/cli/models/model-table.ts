import type { ModelEntry, ModelVariantEntry } from '../../../src/engine/models/model-catalogue.ts';
import { BUNDLED_ENTRIES } from '../../../src/engine/models/model-reference.ts';
import type { CommandConsole } from '../console.ts';

/** A line per model and precision, after those that come with the package. */
export function modelTable(
  models: readonly ModelEntry[],
  modelsFolder: string,
  console: CommandConsole,
): string[] {
  const bundled = BUNDLED_ENTRIES.map(({ name, kind, dimension, megabytes, licence }) => [
    name,
    kind,
    `${dimension}`,
    '–',
    `${megabytes} MB`,
    'yes, bundled',
    licence,
  ]);
  const rows = models.flatMap((model) =>
    model.variants.map((variant) => [
      variant.isDefault ? model.name : `${model.name}:${variant.precision}`,
      model.kind,
      dimensionsOf(model),
      variant.precision,
      `${variant.megabytes} MB`,
      stateOf(variant),
      model.licence,
    ]),
  );
  const table = [['model', 'kind', 'numbers', 'stored as', 'size', 'here', 'licence'], ...bundled, ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  return [
    ...table.map((row, index) => {
      const line = row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd();
      return index === 0 ? console.style('bold', line) : line;
    }),
    console.style('dim', `Kept in ${modelsFolder}`),
  ];
}

function dimensionsOf({ dimension, shorterDimensions }: ModelEntry): string {
  return dimension === null ? '–' : [...shorterDimensions, dimension].join(', ');
}

function stateOf({ installed, selfCheckedOn }: ModelVariantEntry): string {
  if (!installed) return 'no';
  return selfCheckedOn.length === 0
    ? 'yes, not self-checked'
    : `yes, self-checked on ${selfCheckedOn.join(', ')}`;
}
