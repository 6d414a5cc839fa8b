import { changeOf } from './change-routing';

it.each([
  ['apps', 'AppRegistered', { id: 7, ownerId: 1 }, { topic: 'apps', app: 7 }],
  ['apps', 'AppRemoved', { id: 7 }, { topic: 'apps', app: 7 }],
  ['app-7', 'AppEdited', { id: 7, name: 'Shop' }, { topic: 'apps', app: 7 }],
  ['token-3', 'TokenRevoked', { id: 3 }, { topic: 'tokens', app: null, id: 3 }],
  ['owner-2', 'OwnerKeyRotated', { id: 2 }, { topic: 'owner', app: null, id: 2 }],
  ['channel-7-production', 'BuildPaused', { buildId: 9 }, { topic: 'builds', app: 7, id: 9 }],
  ['channel-7-production', 'ChannelClosed', { appId: 7 }, { topic: 'builds', app: 7 }],
  ['job-01ARZ3NDEKTSV4RRFFQ69G5FAV', 'JobClaimed', {}, { topic: 'jobs', app: null, id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }],
  ['apiKeys-7', 'ApiKeyDeleted', { id: 4 }, { topic: 'keys', app: 7, id: 4 }],
  ['signingKey-7', 'SigningKeyRotated', { id: 5 }, { topic: 'signing-key', app: 7, id: 5 }],
  ['keystore-7', 'KeystoreStored', { id: 'seal' }, { topic: 'keystore', app: 7 }],
  ['merchant-default', 'SyncSettingsChanged', {}, { topic: 'listings', app: null }],
  ['syncRun-01ARZ3NDEKTSV4RRFFQ69G5FAV', 'OffersSent', {}, { topic: 'listings', id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }],
  ['channel-7-staging', 'OfALaterRelease', {}, { topic: 'builds', app: 7 }],
])('%s changes with %s', (stream, type, data, expected) => {
  expect(changeOf({ stream, type, data })).toMatchObject(expected);
});

it.each([
  ['job-01ARZ3NDEKTSV4RRFFQ69G5FAV', 'JobRenewed'],
  ['sequence-builds', 'BlockTaken'],
  ['toString', 'Odd'],
])('nothing that is shown changes with %s %s', (stream, type) => {
  expect(changeOf({ stream, type, data: {} })).toBeUndefined();
});
