export const VALIDITIES = ['current', 'any'] as const;
/** Whether facts that have ended are offered too. */
export type Validity = (typeof VALIDITIES)[number];
