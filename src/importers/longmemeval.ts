import { jsonImporter } from './json/json-format.ts';
import { longMemEvalFormat } from './longmemeval-format.ts';

export const longMemEvalImporter = jsonImporter(longMemEvalFormat);
