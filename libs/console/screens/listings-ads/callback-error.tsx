import { useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { Button } from '../../parts/button';
import * as texts from '../../texts/listings/module';
import { dismiss } from '../../texts/parts';

/** Shows the error code in the address to which Google returned the browser, and removes it from the address. */
export function CallbackError() {
  const [query] = useSearchParams();
  const [, go] = useLocation();
  const [code, setCode] = useState(() => query.get('error'));
  const returned = query.get('error');
  useEffect(() => {
    if (returned === null) return;
    setCode(returned);
    go('/listings-ads', { replace: true });
  }, [returned, go]);
  if (code === null) return null;
  return (
    <div className="note danger" role="alert">
      <p>
        <strong>{texts.notConnected}</strong> {texts.callbackErrors[code] ?? texts.otherCallbackError(code)}
      </p>
      <Button onClick={() => setCode(null)}>{dismiss}</Button>
    </div>
  );
}
