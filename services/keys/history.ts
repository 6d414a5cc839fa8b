import { keysHistory } from '@sluice/contracts';
import { defineHistory } from '@sluice/history';
import { apiKeysPart } from './api-keys/api-keys.history';
import { keystoresPart } from './keystores/keystores.history';
import { signingKeysPart } from './signing-keys/signing-keys.history';

/** What happened to an app's keys of every kind and to the backup of its keystore. */
export const history = defineHistory({
  calls: keysHistory,
  name: 'keyHistory',
  parts: [apiKeysPart, signingKeysPart, keystoresPart],
});
