'use strict';
/** What @capgo/electron-updater asks of Electron: the version of the app, and a folder for its data. */
exports.app = {
  isPackaged: true,
  getVersion: () => process.env['TEST_APP_VERSION'],
  getPath: () => process.env['TEST_USER_DATA'],
  on: () => undefined,
};
exports.safeStorage = { isEncryptionAvailable: () => false };
exports.globalShortcut = { register: () => true, unregister: () => undefined };
exports.ipcMain = { handle: () => undefined, removeHandler: () => undefined };
