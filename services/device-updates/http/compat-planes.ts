/** Base of the protocols of other update clients: the plane, then the app key, then the operation. */
export const COMPAT_BASE = '/compat/';
/** The names of these protocols in a path. */
export const PLANES: readonly string[] = ['capawesome', 'capgo', 'codepush', 'expo', 'hot-updater', 'native-update'];

export const CAPAWESOME_BASE = `${COMPAT_BASE}capawesome`;
export const CAPGO_BASE = `${COMPAT_BASE}capgo`;
export const CODEPUSH_BASE = `${COMPAT_BASE}codepush`;
export const EXPO_BASE = `${COMPAT_BASE}expo`;
export const HOT_UPDATER_BASE = `${COMPAT_BASE}hot-updater`;
export const NATIVE_UPDATE_BASE = `${COMPAT_BASE}native-update`;
