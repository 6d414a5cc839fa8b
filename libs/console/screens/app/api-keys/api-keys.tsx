import type { ApiKey, App } from '@sluice/contracts';
import { useState } from 'react';
import { usePaged } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { Section } from '../../../parts/page';
import { Listed } from '../../../parts/pager';
import { Empty } from '../../../parts/states';
import { useWanted } from '../../../parts/wanted';
import * as texts from '../../../texts/api-keys';
import { KeyCard } from './key-card';
import { KeyDialogs, type KeyAct } from './key-dialogs';
import './api-keys.css';

/** How many keys of an app may be active. */
const LIMIT = 3;

/** The keys that devices of the app send. */
export function ApiKeys({ app }: { readonly app: App }) {
  const [act, setAct] = useState<KeyAct>();
  const { list: keys, turn } = usePaged<ApiKey>(`/apps/${app.id}/api-keys`, ['keys', app.id], {
    // Uses and blocked requests of a key are no events.
    refetchInterval: 15_000,
  });
  useWanted(({ what }) => {
    if (what === 'create') setAct({ kind: 'make' });
  });
  const active = keys.data?.data.filter(({ status }) => status === 'active').length ?? 0;
  const make = (
    <Button kind="primary" onClick={() => setAct({ kind: 'make' })}>
      {texts.newKey}
    </Button>
  );
  return (
    <Section title={texts.title} actions={make}>
      <p className="dim">{texts.lead}</p>
      {keys.data !== undefined && <p className="dim">{texts.activeKeys(active, LIMIT)}</p>}
      <Listed
        of={keys}
        turn={turn}
        what={texts.loading}
        empty={
          <Empty title={texts.noKeys}>
            <p>{texts.firstKey}</p>
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
      <KeyDialogs app={app} act={act} full={active >= LIMIT ? LIMIT : undefined} close={() => setAct(undefined)} />
    </Section>
  );
}
