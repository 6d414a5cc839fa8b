/** The tabs of an app, and the page of an app that was deleted. */

export const tabs = 'App';
export const releases = 'Releases';
export const builds = 'Builds';
export const apiKeys = 'API keys';
export const signing = 'Signing';
export const adoption = 'Adoption';
export const devices = 'Devices';
export const history = 'History';
export const settings = 'Settings';

export const loading = 'the app';
export const notFound = 'App not found';
export const mayBeDeleted = 'It may have been deleted. The history of a deleted app is kept.';
export const showHistory = 'Show its history';
export const unnamed = (id: number): string => `App ${id}`;
export const deleted = 'This app was deleted. Its history is kept.';
