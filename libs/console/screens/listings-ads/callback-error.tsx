import { useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { Button } from '../../parts/button';

/** Every error code that Google or the server may return from the consent page. */
const WORDS: Readonly<Record<string, string>> = {
  invalid_state:
    'This way to a connection was not begun here, or was used before, or took longer than ten minutes. Connect once more.',
  access_denied:
    'Access was not granted at Google, or only for a limited time. Connect once more and grant all that is asked for; if that does not help, remove Sluice from the apps of the account there first.',
  oauth_client_missing:
    'Google does not accept the OAuth client, or none is set. Check its id and its secret, then connect again.',
  remote_unavailable: 'Google could not grant access just now. Wait a moment and connect again.',
  module_disabled: 'The module was turned off meanwhile. Turn it on and connect once more.',
  entitlement_required: 'The module’s entitlement was taken away meanwhile. Grant it and connect once more.',
  rate_limited: 'Too many browsers returned from Google in a short time. Wait a minute and connect again.',
  service_unavailable: 'A service of this installation did not answer. Wait a little and connect once more.',
};

/** Shows the error with which Google sent the browser back, and removes it from the address. */
export function CallbackError() {
  const [query] = useSearchParams();
  const [, go] = useLocation();
  const [code, setCode] = useState(() => query.get('error'));
  const told = query.get('error');
  useEffect(() => {
    if (told === null) return;
    setCode(told);
    go('/listings-ads', { replace: true });
  }, [told, go]);
  if (code === null) return null;
  return (
    <div className="note danger" role="alert">
      <p>
        <strong>The store was not connected.</strong> {WORDS[code] ?? `The refusal has the code ${code}.`}
      </p>
      <Button onClick={() => setCode(null)}>Dismiss</Button>
    </div>
  );
}
