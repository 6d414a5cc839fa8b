/** The device groups of an app that has none. */
export const NO_GROUPS = { groupsOf: () => Promise.resolve([]), erase: () => Promise.resolve() };
