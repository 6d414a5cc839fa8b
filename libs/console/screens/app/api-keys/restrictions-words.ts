import type { Restrictions } from '@sluice/contracts';

/** Why calls with a key were refused, in words: `last_blocked_reason` of an API key. */
const BLOCKED: Readonly<Record<string, string>> = {
  origin_not_allowed: 'a web page came from an origin that is not on the list',
  android_app_not_allowed: 'an Android app was not on the list, or was signed by another certificate',
  ios_app_not_allowed: 'an iOS app was not on the list',
  no_identity: 'the caller did not say which page or app it is',
};

export function blockedWords(reason: string | null): string {
  return reason === null ? 'for a reason that was not kept' : (BLOCKED[reason] ?? reason.replaceAll('_', ' '));
}

/** Such as `2 origins and 1 Android app`. */
export function restrictionWords({ origins = [], android = [], ios = [] }: Restrictions): string {
  const parts = [count(origins.length, 'origin'), count(android.length, 'Android app'), count(ios.length, 'iOS app')];
  const told = parts.filter((part) => part !== '');
  return told.length === 0 ? 'Any caller' : `Only ${new Intl.ListFormat('en').format(told)}`;
}

function count(number: number, name: string): string {
  return number === 0 ? '' : `${number} ${name}${number === 1 ? '' : 's'}`;
}
