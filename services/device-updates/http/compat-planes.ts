/** Base of the protocols of other update clients: the plane, then the app key, then the operation. */
export const COMPAT_BASE = '/compat/';
/** The names of these protocols in a path. */
export const PLANES: readonly string[] = ['capawesome', 'capgo', 'codepush', 'expo', 'hot-updater', 'native-update'];
