import { appOfStream } from './app-of-stream';

it.each([
  ['apiKeys-7', 7],
  ['apiKeys-7-pr-1.4', 7],
  ['signingKey-12', 12],
])('reads the id of the app from the name of the stream %s', (stream, appId) => {
  expect(appOfStream({ stream })).toBe(appId);
});
