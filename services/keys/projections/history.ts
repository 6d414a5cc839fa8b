import { keysHistory } from '@sluice/contracts';
import { joinHistories } from '@sluice/history';
import { apiKeysHistory } from './api-keys.history';
import { keystoresHistory } from './keystores.history';
import { signingKeysHistory } from './signing-keys.history';

/** What happened to an app's keys of every kind and to the backup of its keystore. */
export const history = joinHistories(keysHistory, [apiKeysHistory, signingKeysHistory, keystoresHistory]);
