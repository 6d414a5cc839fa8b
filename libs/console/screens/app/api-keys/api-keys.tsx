import type { ApiKey, App } from '@sluice/contracts';
import { useState } from 'react';
import { usePaged } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { Section } from '../../../parts/page';
import { Listed } from '../../../parts/pager';
import { Empty } from '../../../parts/states';
import { KeyCard } from './key-card';
import { KeyDialogs, type KeyAct } from './key-dialogs';
import './api-keys.css';

/** How many keys of an app may be active. */
const CAP = 3;

/** The keys that devices of the app ask with. */
export function ApiKeys({ app }: { readonly app: App }) {
  const [act, setAct] = useState<KeyAct>();
  const { list: keys, turn } = usePaged<ApiKey>(`/apps/${app.id}/api-keys`, ['keys', app.id], {
    // Uses and refusals of a key are no events.
    refetchInterval: 15_000,
  });
  const active = keys.data?.data.filter(({ status }) => status === 'active').length ?? 0;
  const make = (
    <Button kind="primary" onClick={() => setAct({ kind: 'make' })}>
      New API key
    </Button>
  );
  return (
    <Section title="API keys" actions={make}>
      <p className="dim">
        Devices send one of these with every question for updates. It lies in your app, so it is no secret for long:
        restrict it to your own apps and pages.
        {keys.data !== undefined && ` ${active} of ${CAP} are active; deprecated keys keep working and do not count.`}
      </p>
      <Listed
        of={keys}
        turn={turn}
        what="the API keys"
        empty={
          <Empty title="No API key yet">
            <p>Without one no device gets an update. Make one, and build it into your app.</p>
            {make}
          </Empty>
        }
      >
        {(rows) => (
          <ul className="cards">
            {rows.map((key) => (
              <KeyCard key={key.id} apiKey={key} act={setAct} />
            ))}
          </ul>
        )}
      </Listed>
      <KeyDialogs app={app} act={act} full={active >= CAP} close={() => setAct(undefined)} />
    </Section>
  );
}
