import { jsonImporter } from './json/json-format.ts';
import { locomoFormat } from './locomo-format.ts';

export const locomoImporter = jsonImporter(locomoFormat);
