/** The environment's variable with the language model's key. */
export const MODEL_KEY_VARIABLE = 'MNEMIS_LLM_API_KEY';
