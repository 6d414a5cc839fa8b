/** Injection token of the Sequence that build ids come from. */
export const BUILD_IDS = Symbol('BuildIds');
