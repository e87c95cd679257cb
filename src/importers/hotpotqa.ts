import { hotpotQaFormat } from './hotpotqa-format.ts';
import { jsonImporter } from './json/json-format.ts';

export const hotpotQaImporter = jsonImporter(hotpotQaFormat);
