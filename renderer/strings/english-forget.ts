export const forget = {};
